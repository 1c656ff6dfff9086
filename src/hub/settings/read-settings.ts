import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import { Config } from '../../config/config.ts';
import type { ConfigDocument } from '../../config/config-document.ts';
import { configHash, normalized, readConfigFile } from '../../config/edit/change-config.ts';
import { type TomlStatement, tomlStatements } from '../../config/edit/toml-statements.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { parseToml, type RawConfig } from '../../config/read-config.ts';
import type { ConfigTrust } from '../../config/trust/config-trust.ts';
import { maskAddress } from '../../servers/mask-secrets.ts';
import {
  fileKeys,
  type PeerBody,
  type SettingBody,
  type SettingKey,
  type SettingOrigin,
  type SettingsBody,
  type SettingValue,
  settingKeys,
  type WebhookBody,
} from '../../settings/app-settings.ts';
import type { Store } from '../../store/store.ts';
import { resolvePermissions } from '../../team/members/default-permissions.ts';
import { type LiveConfig, type LiveSettings, valueAt } from './live-config.ts';
import { storedEntries } from './stored-entries.ts';

/** What the settings are read from. */
export interface SettingsParts {
  config: LoadedConfig;
  document: ConfigDocument;
  live: LiveConfig;
  store: Pick<Store, 'settings' | 'dismissals' | 'team' | 'location' | 'decisions' | 'runs' | 'chats'>;
}

/** What is in the config file now, whether or not it applies. */
export interface ConfigFacts {
  file: { path: string; shown: string; hash: string; problem: string | null } | undefined;
  /** Whether the file was created after the hub started, which had none, so that nothing in it applies yet. */
  isCreated: boolean;
  /** All tables of the file. */
  whole: RawConfig;
  /** The tables that apply. */
  raw: RawConfig;
  trust: ConfigTrust;
  /** Returns the line of a value; null if it has none of its own. */
  lineOf(path: readonly string[]): number | null;
}

export async function readConfigFacts({
  config,
  document,
}: Pick<SettingsParts, 'config' | 'document'>): Promise<ConfigFacts> {
  const { raw, trust, problem = null } = await document.current();
  const nothing = { file: undefined, isCreated: false, whole: {}, raw, trust, lineOf: () => null };
  if (config.isImplied) return nothing;
  const isCreated = config.file === null;
  const file = await readConfigFile(isCreated ? ownConfig(config) : config);
  if (isCreated && file.text === undefined) return nothing;
  const text = file.text ?? '';
  const statements = positions(text);
  // Nobody has read a file that was created since the start.
  const found = isCreated || problem === null ? tablesIn(text, file.shown) : { whole: raw, problem };
  return {
    file: { path: file.path, shown: file.shown, hash: configHash(file), problem: found.problem },
    isCreated,
    whole: found.whole,
    raw,
    trust,
    lineOf: (wanted) => statements.find(({ path }) => isDeepStrictEqual(path, wanted))?.line ?? null,
  };
}

/** The config in the home of a hub, which it reads at its next start if it finds no other one. */
export function ownConfig(config: LoadedConfig) {
  return { ...config, file: join(config.dataDir, 'zoo.toml'), folder: config.dataDir };
}

/** Says which file is missing beside the scripts of a `.ctx` folder, which hide the config in the hub's home. */
export function noConfigBeside({ file }: Pick<LoadedConfig, 'file'>): string {
  return `The hub uses the scripts in ${file}, which has no config. Create ${join(file ?? '', 'config.toml')} with a [server] section and restart the hub.`;
}

function tablesIn(text: string, shown: string): { whole: RawConfig; problem: string | null } {
  try {
    return { whole: parseToml(normalized(text), shown), problem: null };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { whole: {}, problem: error.message };
  }
}

function positions(text: string): TomlStatement[] {
  try {
    return tomlStatements(text);
  } catch {
    return [];
  }
}

const liveKeys =
  /^(?:engine|permissions|team|log|chats|runs|events|a2a|agents|mcp_servers|connectors|tools|providers|embedding)\./;

/** Whether a change to the setting applies only after a restart. */
export function needsRestart(key: string): boolean {
  return key === 'log.secret_env' || !liveKeys.test(key);
}

export async function readSettings(parts: SettingsParts): Promise<SettingsBody> {
  const facts = await readConfigFacts(parts);
  const live = await parts.live.refresh();
  const stored = new Map((await parts.store.settings.list('', z.unknown())).map(({ key, version }) => [key, version]));
  const { file, trust } = facts;
  return {
    file: file
      ? {
          name: file.shown,
          path: file.path,
          hash: file.hash,
          held: trust.held.map(({ key }) => key),
          folder: trust.folder,
          problem: file.problem,
        }
      : null,
    database: databaseOf(parts, facts),
    settings: settingKeys.map((key) => settingOf(parts, { key, facts, live, version: stored.get(key) ?? null })),
    webhooks: await webhooksOf(parts, { facts, live, stored }),
    peers: Object.entries(live.a2a.peers).map(([name, { url, bearer, headers }]): PeerBody => {
      const origin = originOf(['a2a', 'peers', name], facts, true);
      const version = stored.get(`a2a.peers.${name}`) ?? null;
      return {
        name,
        version,
        url: maskAddress(url),
        hasToken: bearer !== undefined,
        headers: Object.keys(headers),
        origin,
      };
    }),
  };
}

function settingOf(
  { config, live: { started } }: SettingsParts,
  { key, facts, live, version }: { key: SettingKey; facts: ConfigFacts; live: LiveSettings; version: number | null },
): SettingBody {
  const path = key.split('.');
  const written = valueAt(facts.whole, path);
  const isInFile = written !== undefined;
  const applies = valueAt(facts.raw, path) !== undefined;
  const awaitsStart = isInFile && facts.isCreated && isFileKey(key);
  const value = awaitsStart ? toSettingValue(written) : settingValue(live, key);
  return {
    key,
    version,
    value,
    default: settingValue(defaults, key),
    origin: awaitsStart ? { kind: 'file', line: facts.lineOf(path) } : originOf(path, facts, version !== null),
    needsRestart: needsRestart(key),
    isPending: needsRestart(key) && JSON.stringify(value) !== JSON.stringify(settingValue(started, key)),
    readOnly: readOnlyReason(key, config),
    heldLine: isInFile && !applies && !facts.isCreated ? facts.lineOf(path) : null,
  };
}

function readOnlyReason(key: SettingKey, config: LoadedConfig): string | null {
  if (!config.isImplied || !isFileKey(key)) return null;
  return `The hub reads this before it opens its database. ${noConfigBeside(config)}`;
}

function isFileKey(key: SettingKey): boolean {
  return fileKeys.some((each) => each === key);
}

/** Returns the origin of a value that applies. `isSet` tells values that were set in the app from defaults. */
function originOf(path: readonly string[], { raw, lineOf }: ConfigFacts, isSet: boolean): SettingOrigin {
  if (valueAt(raw, path) !== undefined) return { kind: 'file', line: lineOf(path) };
  return isSet ? { kind: 'hub' } : { kind: 'default' };
}

const defaults = Config.parse({}, { jitless: true });

/** The lists of permissions have defaults that are not part of the config. */
function settingValue(settings: LiveSettings, key: SettingKey): SettingValue | null {
  const permissions = resolvePermissions(settings.permissions);
  return toSettingValue(valueAt({ ...settings, permissions }, key.split('.')));
}

function toSettingValue(value: unknown): SettingValue | null {
  if (value === undefined || value === null) return null;
  return Array.isArray(value)
    ? value.map(String)
    : typeof value === 'number' || typeof value === 'boolean'
      ? value
      : String(value);
}

function databaseOf({ config, store }: SettingsParts, { raw, lineOf }: ConfigFacts): SettingsBody['database'] {
  const place = maskAddress(store.location);
  const path = [
    ['db', 'url'],
    ['db', 'path'],
  ].find((each) => valueAt(raw, each) !== undefined);
  const isFromEnvironment = path?.[1] !== 'url' && /^postgres(ql)?:\/\//.test(config.lookUp('DATABASE_URL') ?? '');
  if (isFromEnvironment) return { place, origin: { kind: 'environment', name: 'DATABASE_URL' } };
  return { place, origin: path === undefined ? { kind: 'default' } : { kind: 'file', line: lineOf(path) } };
}

async function webhooksOf(
  { store }: SettingsParts,
  {
    facts,
    live: { events, log },
    stored,
  }: { facts: ConfigFacts; live: LiveSettings; stored: ReadonlyMap<string, number> },
): Promise<WebhookBody[]> {
  const without = (await storedEntries(store.settings, 'webhook')).filter(
    ([name]) => !Object.hasOwn(events.webhooks, name),
  );
  const all = [
    ...Object.entries(events.webhooks).map(([name, hook]) => ({ name, ...hook, lacksSecret: false })),
    ...without.map(([name, entry]) => ({ name, ...entry, lacksSecret: true })),
  ];
  const latest = await store.team.deliveries.latest(all.map(({ name }) => `webhook:${name}`));
  return all.map(({ name, url, events: types, lacksSecret }) => {
    const last = latest.find(({ target }) => target === `webhook:${name}`);
    return {
      name,
      version: stored.get(`events.webhooks.${name}`) ?? null,
      url: maskAddress(url),
      events: types ?? null,
      receivesAnchors: log.anchor_webhook === name,
      origin: originOf(['events', 'webhooks', name], facts, true),
      lacksSecret,
      last: last
        ? { at: last.deliveredAt ?? last.createdAt, state: last.state, attempts: last.attempts, error: last.lastError }
        : null,
    };
  });
}
