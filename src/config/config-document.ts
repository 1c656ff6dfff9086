import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../base/hub-error.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import type { Config } from './config.ts';
import { type LoadedConfig, showPath } from './load-config.ts';
import { type ConfigText, parseConfig, readConfigText } from './read-config.ts';
import { watchFile } from './watch-file.ts';

/** The last valid version of the config file, and the problem of the current one. */
export interface ConfigVersion {
  config: Config;
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
  const { file } = loaded;
  if (file === null) return noFile(loaded, watch, logger);
  const shown = showPath(file, loaded.cwd);
  const listeners = new Set<() => void>();
  let version: ConfigVersion | undefined;
  let last: (ConfigText & { readAt: number }) | undefined;
  let checking: Promise<ConfigVersion> | undefined;
  let watcher: ReturnType<typeof watchFile> | undefined;

  return {
    loaded,
    isWatched: watch,
    logger,
    current: () => (watcher?.isReady && version ? version : check(false)),
    watch(onChange) {
      listeners.add(onChange);
      if (watch) watcher ??= watchFile(file, { onChange: () => void check(true), logger });
      return () => {
        listeners.delete(onChange);
      };
    },
    async close() {
      await watcher?.close();
      await checking;
    },
  };

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
      if (isSameText && version) return version;
      const config = parseConfig(found.text, shown, loaded.lookUp);
      return publish({ config, text: found.text, modifiedAt: found.modifiedAt, shown, problem: undefined });
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const before = version ?? { config: loaded.config, text: loaded.text, modifiedAt: 0, shown };
      return publish({ ...before, problem: error.message });
    }
  }

  /** Reads until the text is stable, because many editors empty a file before they write it. */
  async function readSettled(): Promise<ConfigText> {
    let found = await readConfigText(file ?? '', shown);
    for (let round = 0; version && round < maxRounds; round += 1) {
      if (found.text === last?.text) return found;
      await sleep(settleMs);
      const again = await readConfigText(file ?? '', shown);
      if (again.text === found.text) return again;
      found = again;
    }
    return found;
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
    if (version && next.text === version.text && next.problem === version.problem) return version;
    version = next;
    for (const listener of listeners) listener();
    return version;
  }
}

/** The document without a file: always the defaults. */
function noFile(loaded: LoadedConfig, watch: boolean, logger: Logger): ConfigDocument {
  const version = { config: loaded.config, text: '', modifiedAt: 0, shown: 'the defaults', problem: undefined };
  return { loaded, isWatched: watch, logger, current: () => version, watch: () => () => {}, close: async () => {} };
}

/** The sections that a hub reads only at its start. */
const startSections = [
  'server',
  'chunking',
  'retrieval',
  'embedding',
  'permissions',
  'team',
  'log',
  'chats',
  'runs',
  'events',
  'providers',
  'engine',
] as const;

/** Reports settings that have changed since the hub started. */
export function settingsForRestart(loaded: LoadedConfig, config: Config): SourceProblem[] {
  const changed = startSections.filter((name) => JSON.stringify(config[name]) !== JSON.stringify(loaded.config[name]));
  if (loaded.file === null || changed.length === 0) return [];
  const place = showPath(loaded.file, loaded.cwd);
  const names = changed.map((name) => `[${name}]`).join(', ');
  return [{ place, message: `${place}: ${names} changed. Restart the hub to apply the change.` }];
}
