import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import type { Source, SourceProblem, SourceSnapshot } from '../base/source.ts';
import { uncertainMs } from './config-document.ts';
import { readConfigText } from './read-config.ts';
import type { ScriptSection, SectionList, WatchedSections } from './script-sections.ts';
import { type FileWatch, watchFile } from './watch-file.ts';

export interface SectionFilesOptions<T> {
  sections: WatchedSections;
  /** Other files that belong to a section's file. Their content is part of it. */
  companions?: {
    /** Returns the files that exist. */
    find(path: string): readonly string[];
    /** Returns files and folders to watch, whether they exist or not. */
    watched(path: string): readonly string[];
  };
  /** Throws HubError with file and line. */
  load(section: ScriptSection, file: FileState): Promise<T>;
}

interface Slot<T> {
  section: ScriptSection;
  file: FileState | undefined;
  value: T | undefined;
  problem: string | undefined;
  /** The user has not trusted the content of the file, so it was not loaded. */
  isHeld?: true;
}

export interface FileState {
  text: string;
  /** The texts of the companions, by path. */
  companions: ReadonlyMap<string, string>;
  /** The hash of all texts, in hex. */
  hash: string;
  /** Of the newest file. */
  modifiedAt: number;
  /** Tells whether any of the files has changed. */
  stamp: string;
  readAt: number;
}

/** Loads the files of sections, in the order of the config. A broken or missing file keeps its last valid version. */
export function sectionFiles<T>({ sections, companions, load }: SectionFilesOptions<T>): Required<Source<T>> {
  const companionsOf = (path: string) => companions?.find(path) ?? [];
  const watchedFor = (path: string) => [path, ...(companions?.watched(path) ?? [])];
  const listeners = new Set<() => void>();
  const watchers = new Map<string, FileWatch>();
  const changedPaths = new Set<string>();
  let slots = new Map<string, Slot<T>>();
  let list: SectionList | undefined;
  let loaded: SourceSnapshot<T> = { entries: [], problems: [] };
  let checking: Promise<SourceSnapshot<T>> | undefined;
  let stopSections: (() => void) | undefined;
  let hasNewSections = false;
  let isClosed = false;

  return {
    snapshot() {
      const now = sections.current();
      const isKnown = now === list && !checking && !hasNewSections && changedPaths.size === 0;
      return isKnown && [...slots.values()].every(isWatched) ? loaded : check();
    },
    watch(onChange) {
      listeners.add(onChange);
      stopSections ??= sections.watch(() => {
        hasNewSections = true;
        void check();
      });
      if (list) follow();
      return () => {
        listeners.delete(onChange);
      };
    },
    async close() {
      isClosed = true;
      stopSections?.();
      await Promise.all([...watchers.values()].map((watcher) => watcher.close()));
      await checking;
    },
  };

  /** Runs one check at a time, and checks again if something changes in the meantime. */
  function check(): Promise<SourceSnapshot<T>> {
    checking ??= refresh().finally(() => {
      checking = undefined;
      if ((hasNewSections || changedPaths.size > 0) && !isClosed) void check();
    });
    return checking;
  }

  async function refresh(): Promise<SourceSnapshot<T>> {
    hasNewSections = false;
    const now = await sections.current();
    const changed = new Set(changedPaths);
    changedPaths.clear();
    const found = await Promise.all(
      now.sections.map((section) => {
        const isChanged = watchedFor(section.path).some((path) => changed.has(path));
        return updated(slots.get(section.name), section, isChanged);
      }),
    );
    slots = new Map(found.map((slot) => [slot.section.name, slot]));
    const isFirst = list === undefined;
    list = now;
    if (stopSections) follow();
    publish(isFirst);
    return loaded;
  }

  async function updated(before: Slot<T> | undefined, section: ScriptSection, isChanged: boolean): Promise<Slot<T>> {
    const isSame = before?.section === section;
    try {
      const isStill = () => isUnchanged([section.path, ...companionsOf(section.path)], before?.file);
      if (isSame && !isChanged && (isWatched(before) || (await isStill()))) return before;
      const read = () => readState(section, companionsOf(section.path));
      for (let file = await read(); ; ) {
        if (isSame && file.hash === before.file?.hash) return { ...before, file };
        // The config reports it, once for the whole folder.
        if (!(await sections.isTrusted(section)))
          return { section, file: undefined, value: before?.value, problem: undefined, isHeld: true };
        const problem = await load(section, file).then(
          (value) => ({ value, problem: undefined }),
          (error: unknown) => ({ value: before?.value, problem: sentenceOf(error, section) }),
        );
        // A loader that reads the file itself may have seen a newer text.
        const now = await read();
        if (now.hash === file.hash) return { section, file, ...problem };
        file = now;
      }
    } catch (error) {
      return { section, file: undefined, value: before?.value, problem: sentenceOf(error, section) };
    }
  }

  /** Whether a watcher would have reported a change. */
  function isWatched({ section, isHeld }: Slot<T>): boolean {
    return !isHeld && watchedFor(section.path).every((path) => watchers.get(path)?.isReady === true);
  }

  function follow(): void {
    if (!sections.isWatched || isClosed) return;
    const paths = new Set([...slots.values()].flatMap(({ section }) => watchedFor(section.path)));
    for (const path of paths) {
      if (watchers.has(path)) continue;
      const onChange = () => {
        changedPaths.add(path);
        void check();
      };
      watchers.set(path, watchFile(path, { onChange, logger: sections.logger }));
    }
    for (const [path, watcher] of watchers) {
      if (paths.has(path)) continue;
      watchers.delete(path);
      void watcher.close();
    }
  }

  function publish(isFirst: boolean): void {
    const all = [...slots.values()];
    const entries = all.flatMap(({ value }) => (value === undefined ? [] : [value]));
    const problems = [...(list?.problems ?? []), ...all.flatMap(problemOf)];
    const isSame =
      entries.length === loaded.entries.length && entries.every((entry, index) => entry === loaded.entries[index]);
    if (isSame && JSON.stringify(problems) === JSON.stringify(loaded.problems)) return;
    loaded = { entries, problems };
    if (!isFirst) for (const listener of listeners) listener();
  }
}

/** Reads a file and its companions. Throws INVALID_CONFIG. */
export async function readState(
  { path, shown }: Pick<ScriptSection, 'path' | 'shown'>,
  companionPaths: readonly string[] = [],
): Promise<FileState> {
  const main = await readConfigText(path, shown);
  const others = await Promise.all(
    companionPaths.map(async (each) => ({ path: each, ...(await readConfigText(each, basename(each))) })),
  );
  // Loaded with the first file, because most hubs have none.
  const { hash } = process.getBuiltinModule('node:crypto');
  const { text } = main;
  const whole = others.length === 0 ? text : JSON.stringify([text, others.map((each) => [each.path, each.text])]);
  return {
    text,
    companions: new Map(others.map((each) => [each.path, each.text])),
    hash: hash('sha256', whole),
    modifiedAt: Math.max(main.modifiedAt, ...others.map(({ modifiedAt }) => modifiedAt)),
    stamp: stampOf([{ path, ...main }, ...others]),
    readAt: Date.now(),
  };
}

async function isUnchanged(paths: readonly string[], file: FileState | undefined): Promise<boolean> {
  if (!file || file.readAt - file.modifiedAt < uncertainMs) return false;
  const found = await Promise.all(
    paths.map(async (path) => {
      const each = await stat(path).catch(() => undefined);
      return { path, modifiedAt: each?.mtimeMs ?? 0, size: each?.size ?? 0 };
    }),
  );
  return stampOf(found) === file.stamp;
}

function stampOf(files: readonly { path: string; modifiedAt: number; size: number }[]): string {
  return JSON.stringify(files.map(({ path, modifiedAt, size }) => [path, modifiedAt, size]));
}

function problemOf<T>({ section, value, problem }: Slot<T>): SourceProblem[] {
  if (problem === undefined) return [];
  const agentId = section.section.startsWith('agents.') ? { agentId: section.name.slice(0, 80) } : {};
  const sentence = /[.!?]$/.test(problem) ? problem : `${problem}.`;
  const message = value === undefined ? problem : `${sentence} The last valid version stays in use.`;
  return [{ ...agentId, place: section.shown, message: message.slice(0, 1_000) }];
}

function sentenceOf(error: unknown, { shown }: ScriptSection): string {
  return error instanceof HubError ? error.message : `${shown} could not be loaded.`;
}
