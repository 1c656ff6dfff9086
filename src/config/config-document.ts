import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../base/hub-error.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { type AppliedConfig, applyConfig } from './apply-config.ts';
import type { Config } from './config.ts';
import { trustFile } from './find-config.ts';
import { foundPlace, type LoadedConfig, readConfig, showPath } from './load-config.ts';
import type { ConfigText } from './read-config.ts';
import { areFilesTrusted, type ConfigTrust, heldProblems, isSameTrust, trustCommand } from './trust/config-trust.ts';
import type { JudgedPart } from './trust/judge-parts.ts';
import { type FileWatch, watchFile } from './watch-file.ts';

/** The last valid version of the config file, and the problem of the current one. */
export interface ConfigVersion extends AppliedConfig {
  /** The text of `config`, to find line numbers for messages. */
  text: string;
  modifiedAt: number;
  /** How messages name the file. */
  shown: string;
  /** Why the current file is invalid. */
  problem: string | undefined;
}

/** Reads, validates and watches the config file once for all parts of the hub. */
export interface ConfigDocument {
  readonly loaded: LoadedConfig;
  readonly isWatched: boolean;
  /** For parts that watch files named in the config. */
  readonly logger: Logger;
  /** Returns the same object until the file changes. Never throws for an invalid file. */
  current(): Promise<ConfigVersion> | ConfigVersion;
  /** Reads the file again, for a caller who has just written it. */
  reload(): Promise<ConfigVersion>;
  /** Returns whether the files of matching trusted parts are unchanged. If not, the parts are held from now on. */
  isTrusted(fits: (part: JudgedPart) => boolean): Promise<boolean>;
  /** Describes what is held, and the other problems of config and environment. */
  problems(): SourceProblem[];
  /** Returns what is held and what is trusted, as it was last judged. */
  trust(): ConfigTrust;
  /** Describes what is held. */
  heldProblems(): SourceProblem[];
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

/** A file that was written this recently may change again without a new timestamp. */
export const uncertainMs = 2_000;
const settleMs = 25;
const maxRounds = 20;

interface ConfigDocumentOptions {
  loaded: LoadedConfig;
  watch: boolean;
  logger?: Logger | undefined;
}

export function configDocument({ loaded, watch, logger = silentLogger }: ConfigDocumentOptions): ConfigDocument {
  const { file, isImplied } = loaded;
  if (file === null) return noFile(loaded, watch, logger);
  const shown = showPath(file, loaded.cwd);
  const listeners = new Set<() => void>();
  let version: ConfigVersion | undefined;
  let last: (ConfigText & { readAt: number }) | undefined;
  let checking: Promise<ConfigVersion> | undefined;
  let watchers: FileWatch[] = [];
  /** Something that trust depends on may have changed, although the file has not. */
  let isTrustOutdated = false;
  const place = foundPlace(loaded);

  return {
    loaded,
    isWatched: watch,
    logger,
    current: () => (version && isWatching() ? version : check(false)),
    reload: judgeAgain,
    async isTrusted(fits) {
      if (await areFilesTrusted((version ?? loaded).trust, place, fits)) return true;
      void judgeAgain();
      return false;
    },
    problems: () => [
      ...(version ? [...version.problems, ...loaded.startProblems] : loaded.problems),
      ...describeHeld(),
    ],
    trust: () => (version ?? loaded).trust,
    heldProblems: describeHeld,
    watch(onChange) {
      listeners.add(onChange);
      if (watch && watchers.length === 0) {
        watchers = [watchFile(file, { onChange: () => void check(true), logger })];
        // Another process may trust the folder meanwhile.
        if (place) watchers.push(watchFile(trustFile(loaded.dataDir), { onChange: () => void judgeAgain(), logger }));
      }
      return () => {
        listeners.delete(onChange);
      };
    },
    async close() {
      await Promise.all(watchers.map((each) => each.close()));
      await checking;
    },
  };

  function describeHeld(): SourceProblem[] {
    return heldProblems((version ?? loaded).trust, shown, trustCommand(loaded));
  }

  function isWatching(): boolean {
    return watchers.length > 0 && watchers.every(({ isReady }) => isReady);
  }

  function judgeAgain(): Promise<ConfigVersion> {
    isTrustOutdated = true;
    return check(true);
  }

  /** Runs one check at a time. A forced check waits for the current one. */
  function check(isForced: boolean): Promise<ConfigVersion> {
    if (checking && isForced) return checking.then(() => check(true));
    checking ??= refresh(isForced).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function refresh(isForced: boolean): Promise<ConfigVersion> {
    if (version && !isForced && (await isUnchanged())) return version;
    try {
      const found = await readSettled().catch(forget);
      const isSameText = found.text === last?.text;
      last = { ...found, readAt: Date.now() };
      // A folder has no text that could show which scripts it contains.
      if (isSameText && version && !isTrustOutdated && !isImplied) return version;
      isTrustOutdated = false;
      const { text, modifiedAt } = found;
      const { folder, home, lookUp } = loaded;
      const applied = await applyConfig(text, { shown, folder, home, lookUp, place });
      return publish({ ...applied, text, modifiedAt, shown, problem: undefined });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const problems = loaded.problems.filter((problem) => !loaded.startProblems.includes(problem));
      const before = version ?? { ...loaded, modifiedAt: 0, shown, problems };
      return publish({ ...before, problem: error.message });
    }
  }

  /** Reads until the text is stable, because many editors empty a file before they write it. */
  async function readSettled(): Promise<ConfigText> {
    let found = await read();
    for (let round = 0; version && round < maxRounds; round += 1) {
      if (found.text === last?.text) return found;
      await sleep(settleMs);
      const again = await read();
      if (again.text === found.text) return again;
      found = again;
    }
    return found;
  }

  function read(): Promise<ConfigText> {
    return readConfig({ file: file ?? '', isImplied }, shown);
  }

  /** Forgets the last text of an unreadable file, so that it is read again when it is back. */
  function forget(error: unknown): never {
    last = undefined;
    throw error;
  }

  async function isUnchanged(): Promise<boolean> {
    if (!last || last.readAt - last.modifiedAt < uncertainMs) return false;
    const found = await stat(file ?? '').catch(() => undefined);
    return found?.mtimeMs === last.modifiedAt && found.size === last.size;
  }

  function publish(next: ConfigVersion): ConfigVersion {
    const isSame = next.text === version?.text && next.problem === version.problem;
    if (version && isSame && isSameTrust(next.trust, version.trust)) return version;
    version = next;
    for (const listener of listeners) listener();
    return version;
  }
}

/** The document without a file: always the defaults. */
function noFile(loaded: LoadedConfig, watch: boolean, logger: Logger): ConfigDocument {
  const version = { ...loaded, text: '', modifiedAt: 0, shown: 'the defaults', problem: undefined, problems: [] };
  return {
    loaded,
    isWatched: watch,
    logger,
    current: () => version,
    reload: async () => version,
    isTrusted: async () => true,
    problems: () => [...loaded.problems],
    trust: () => version.trust,
    heldProblems: () => [],
    watch: () => () => {},
    close: async () => {},
  };
}

/** The sections that a hub reads only at its start. */
const startSections = ['server', 'chunking', 'retrieval', 'log', 'context'] as const;

/** Reports settings that have changed since the hub started. */
export function settingsForRestart(
  loaded: LoadedConfig,
  { config, trust }: Pick<ConfigVersion, 'config' | 'trust'>,
): SourceProblem[] {
  const changed: string[] = startSections.filter(
    (name) => JSON.stringify(startValues(config, name)) !== JSON.stringify(startValues(loaded.config, name)),
  );
  // The loaded config contains the database that was chosen, not the one in the file.
  if (stateOfDb(trust) !== stateOfDb(loaded.trust)) changed.unshift('db');
  if (loaded.file === null || changed.length === 0) return [];
  const place = showPath(loaded.file, loaded.cwd);
  const names = changed.map((name) => `[${name}]`).join(', ');
  return [{ place, message: `${place}: ${names} changed. Restart the hub to apply the change.` }];
}

function startValues(config: Config, name: (typeof startSections)[number]): unknown {
  return name === 'log' ? config.log.secret_env : config[name];
}

function stateOfDb({ parts }: ConfigTrust): string | undefined {
  const part = parts.find(({ key }) => key === 'db');
  return part?.state === 'trusted' ? part.hash : undefined;
}
