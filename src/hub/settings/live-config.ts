import { z } from 'zod';
import { isRecord } from '../../base/is-record.ts';
import type { Logger } from '../../base/logger.ts';
import { fieldIssues } from '../../base/validate.ts';
import { Config } from '../../config/config.ts';
import type { ConfigDocument, ConfigVersion } from '../../config/config-document.ts';
import { secretsIn } from '../../config/secret-values.ts';
import { fileKeys, type SettingKey, settingKeys } from '../../settings/app-settings.ts';
import { type SettingStore, seenPrefix } from '../../settings/settings.ts';
import type { Vault } from '../../vault/vault.ts';
import { storedPeers, storedWebhooks } from './stored-entries.ts';

/** The settings that apply without a restart: from the config file, then from the app, then the defaults. */
export type LiveSettings = Pick<
  Config,
  'server' | 'engine' | 'permissions' | 'team' | 'log' | 'chats' | 'runs' | 'events' | 'a2a'
>;

export interface LiveConfig {
  /** The settings as of the last change that was noticed. */
  readonly current: LiveSettings;
  /** The settings with which the hub started. */
  readonly started: LiveSettings;
  /** Reads everything again, for a caller who has just changed it. */
  refresh(): Promise<LiveSettings>;
  /** Calls back after each change, however it was made. */
  watch(onChange: () => void): () => void;
  close(): Promise<void>;
}

interface LiveParts {
  document: ConfigDocument;
  settings: SettingStore;
  vault: Vault;
  /** Registers secrets that must never be written. */
  learn(secrets: readonly string[]): void;
  logger: Logger;
}

/** Joins the config file and the settings made in the app. Both are watched; the file wins. */
export async function liveConfig(parts: LiveParts): Promise<LiveConfig> {
  const { document, settings, logger } = parts;
  const listeners = new Set<() => void>();
  /** The settings of the file that applied last. */
  let applied: LiveSettings | undefined;
  const started = await read(document.loaded);
  let current = started;
  let reading: Promise<LiveSettings> | undefined;
  const again = () => void refresh().catch((error: unknown) => logger.error({ err: error }, 'settings were not read'));
  const stops = [
    document.watch(again),
    settings.watch((keys) => {
      if (keys.length === 0 || !keys.every((key) => key.startsWith(seenPrefix))) again();
    }),
  ];

  /** One read at a time; a change during a read is followed by another one. */
  function refresh(): Promise<LiveSettings> {
    const after = reading ?? Promise.resolve(current);
    const next = after.catch(() => current).then(readNow);
    reading = next;
    return next;
  }

  async function readNow(): Promise<LiveSettings> {
    const next = await read(await document.current());
    if (JSON.stringify(next) === JSON.stringify(current)) return current;
    current = next;
    for (const listener of listeners) listener();
    return current;
  }

  async function read({ config, raw, trust }: Pick<ConfigVersion, 'config' | 'raw' | 'trust'>): Promise<LiveSettings> {
    const { server, engine, permissions, team, log, chats, runs, events, a2a } = config;
    const live: LiveSettings = structuredClone({ server, engine, permissions, team, log, chats, runs, events, a2a });
    // A section that has changed waits for trust. Until then, the trusted one applies, because the defaults may allow more.
    const waiting = trust.held.filter(({ state, path }) => state === 'changed' && path.length === 1);
    for (const section of Object.keys(live).filter((name) => waiting.some(({ path }) => path[0] === name)))
      if (applied) Object.assign(live, { [section]: structuredClone(valueAt(applied, [section])) });
    applied = structuredClone(live);
    for (const { key, value } of await settings.list('', z.unknown())) {
      if (!isLiveKey(key) || valueAt(raw, key.split('.')) !== undefined) continue;
      if (checkValue(key.split('.'), value) === undefined) setAt(live, key.split('.'), value);
      else logger.warn({ setting: key }, 'a stored setting is not valid in this version; it is ignored');
    }
    try {
      live.events.webhooks = { ...(await storedWebhooks(parts)), ...live.events.webhooks };
      live.a2a.peers = { ...(await storedPeers(parts)), ...live.a2a.peers };
    } catch (error) {
      logger.error({ err: error }, 'the webhooks and peers that were added in the app cannot be used');
    }
    parts.learn(secretsIn({ events: live.events, a2a: live.a2a }));
    return live;
  }

  return {
    get current() {
      return current;
    },
    started,
    refresh,
    watch(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
    async close() {
      for (const stop of stops) stop();
      await reading?.catch(() => {});
    },
  };
}

/** Whether the app can store the value. Webhooks and peers are stored as a whole. */
export function isLiveKey(key: string): key is SettingKey {
  return settingKeys.some((each) => each === key) && !fileKeys.some((each) => each === key);
}

/** Returns the rule that a value breaks; undefined if the config would accept it. */
export function checkValue(path: readonly string[], value: unknown): string | undefined {
  const table: Record<string, unknown> = {};
  setAt(table, path, value);
  const { error } = Config.safeParse(table, { jitless: true });
  return (
    error &&
    fieldIssues(error)
      .map(({ message }) => message)
      .join('; ')
  );
}

export function valueAt(table: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (each, key) => (isRecord(each) && Object.hasOwn(each, key) ? each[key] : undefined),
    table,
  );
}

function setAt(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let table: Record<string, unknown> = root;
  for (const key of path.slice(0, -1)) {
    const inner = table[key];
    const next = isRecord(inner) ? inner : {};
    table[key] = next;
    table = next;
  }
  table[path.at(-1) ?? ''] = value;
}
