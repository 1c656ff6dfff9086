import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../base/hub-error.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import type { Config } from './config.ts';
import { type LoadedConfig, showPath } from './load-config.ts';
import { type ConfigText, parseConfig, readConfigText } from './read-config.ts';
import { watchFile } from './watch-file.ts';

/** The config file as it was last good, and what is wrong with it now. */
export interface ConfigVersion {
  config: Config;
  /** What `config` was read from; for the lines in messages. */
  text: string;
  modifiedAt: number;
  /** How messages name the file. */
  shown: string;
  /** Why the file as it is now could not be read. */
  problem: string | undefined;
}

/** One config file for everybody who follows it: read, checked and watched once. */
export interface ConfigDocument {
  readonly loaded: LoadedConfig;
  readonly isWatched: boolean;
  /** For those who watch files that the config names. */
  readonly logger: Logger;
  /** The same object while nothing changed. Never throws for a broken file. */
  current(): Promise<ConfigVersion> | ConfigVersion;
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

/** A file written a moment ago may change again within the resolution of its time stamp. */
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

  /** One check at a time; one that must look again waits for the one under way. */
  function check(isCertainlyNew: boolean): Promise<ConfigVersion> {
    if (checking && isCertainlyNew) return checking.then(() => check(true));
    checking ??= refresh(isCertainlyNew).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function refresh(isCertainlyNew: boolean): Promise<ConfigVersion> {
    if (version && !isCertainlyNew && (await isUnchanged())) return version;
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

  /** Many editors empty a file before they write it: a new text counts when it stays the same. */
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

  /** A file that cannot be read is read from the start when it is back. */
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

/** The defaults serve, and nothing changes. */
function noFile(loaded: LoadedConfig, watch: boolean, logger: Logger): ConfigDocument {
  const version = { config: loaded.config, text: '', modifiedAt: 0, shown: 'the defaults', problem: undefined };
  return { loaded, isWatched: watch, logger, current: () => version, watch: () => () => {}, close: async () => {} };
}

/** What a hub takes from the file when it starts, and cannot change while it runs. */
const sections = [
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

/** Says which settings of the file are others than those the hub started with. */
export function settingsForRestart(loaded: LoadedConfig, config: Config): SourceProblem[] {
  const changed = sections.filter((name) => JSON.stringify(config[name]) !== JSON.stringify(loaded.config[name]));
  if (loaded.file === null || changed.length === 0) return [];
  const place = showPath(loaded.file, loaded.cwd);
  const names = changed.map((name) => `[${name}]`).join(', ');
  return [{ place, message: `${place}: ${names} changed. It counts when the hub starts again.` }];
}
