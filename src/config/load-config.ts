import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { nearest } from '../base/nearest.ts';
import { realPath } from '../base/real-path.ts';
import type { SourceProblem } from '../base/source.ts';
import { type Config, Config as ConfigSchema, knownKeys } from './config.ts';
import { type ConfigSearch, dataDirOf, findConfigFile, fromHome } from './find-config.ts';
import { type LookUp, parseToml, type RawConfig, readConfigText, validateConfig } from './read-config.ts';
import { secretsIn, secretValues } from './secret-values.ts';
import { applyTrust, type ConfigTrust, namedConfig } from './trust/config-trust.ts';
import type { FoundPlace } from './trust/held-half.ts';

export interface LoadedConfig {
  /** The absolute path of the file; null if the defaults are used. */
  file: string | null;
  /** `db` holds either `url` or an absolute `path`. */
  config: Config;
  /** Paths in the config are relative to this folder. */
  folder: string;
  /** The text of the file, to find line numbers for messages. */
  text: string;
  /** The data folder of the hub. */
  dataDir: string;
  /** Warnings that do not stop the hub. */
  problems: readonly SourceProblem[];
  /** Paths in messages are relative to this folder when they are inside it. */
  cwd: string;
  /** The folder that ~ stands for. */
  home: string;
  /** Secrets from environment and config, which must never be written. */
  secrets: readonly string[];
  /** Reads an environment variable, for `${VAR}` in files that are reloaded. */
  lookUp: LookUp;
  /** The tables that apply, before `${VAR}` is expanded. */
  raw: RawConfig;
  /** The parts of the file that are held until the user trusts them. `config` does not contain them. */
  trust: ConfigTrust;
}

/** Where a found config is, for judging its later versions; undefined if it was named. */
export function foundPlace({ folder, home, dataDir, lookUp, trust }: FoundConfig): FoundPlace | undefined {
  return trust.folder === null ? undefined : { folder, realFolder: trust.folder, home, dataDir, lookUp };
}
type FoundConfig = Pick<LoadedConfig, 'folder' | 'home' | 'dataDir' | 'lookUp' | 'trust'>;

/**
 * Finds and reads the config. A config that was named (`explicitFile`, `$ZOO_CONFIG`, the home) applies as a whole. Of a config that was
 * found in the working folder, the parts that run code, connect, send data or relax a protection apply only as far as the user trusts them.
 * Throws INVALID_CONFIG with file, line, key and rule.
 */
export async function loadConfig(search: ConfigSearch): Promise<LoadedConfig> {
  const { cwd, env } = search;
  const lookUp: LookUp = (name) => env[name];
  const dataDir = dataDirOf(search);
  const found = findConfigFile(search);
  const file = found?.file ?? null;
  const folder = file === null ? cwd : folderOf(file);
  const problems: SourceProblem[] = [];
  let config = ConfigSchema.parse({}, { jitless: true });
  let text = '';
  let raw: RawConfig = {};
  let trust = namedConfig;
  if (file !== null) {
    const shown = showPath(file, cwd);
    ({ text } = await readConfigText(file, shown));
    const needsTrust = found?.isFound && { folder, realFolder: realPath(folder), home: search.home, dataDir, lookUp };
    const applied = await applyTrust(parseToml(text, shown), needsTrust || undefined);
    ({ raw, trust } = applied);
    config = validateConfig(applied.raw, { text, shown, lookUp });
    problems.push(...unknownKeys(config).map((message) => ({ place: shown, message })));
  }
  const { mcp_servers, mcpServers, providers, a2a, embedding, events } = config;
  const named = secretsIn({ mcp_servers, mcpServers, providers, a2a, embedding, events });
  const secrets = secretValues(env, config.log.secret_env, named);
  const db = chooseDb(config.db, { env, folder, dataDir, home: search.home, problems });
  return {
    file,
    config: { ...config, db },
    folder,
    text,
    dataDir,
    problems,
    cwd,
    home: search.home,
    lookUp,
    secrets,
    raw,
    trust,
  };
}

/** Returns the project folder for `.ctx/config.toml` and `config/ctx.toml`, as Context Harness does. */
function folderOf(file: string): string {
  const folder = dirname(file);
  return /[\\/](?:\.ctx[\\/]config|config[\\/]ctx)\.toml$/.test(file) ? dirname(folder) : folder;
}

/** Makes a path from the config absolute. */
export function resolvePath({ folder, home }: Pick<LoadedConfig, 'folder' | 'home'>, path: string): string {
  return resolve(folder, fromHome(path, home));
}

/** Returns a path relative to the working folder if it is inside it; otherwise unchanged. */
export function showPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? file : short;
}

interface DbChoice {
  env: ConfigSearch['env'];
  folder: string;
  dataDir: string;
  home: string;
  problems: SourceProblem[];
}

/** `[db] url` in the file, then `DATABASE_URL`, then `[db] path`, then `zoo.sqlite` in the data folder. */
function chooseDb(db: Config['db'], { env, folder, dataDir, home, problems }: DbChoice): Config['db'] {
  if (db.url !== undefined) return { url: db.url };
  const url = env.DATABASE_URL;
  if (url && /^postgres(ql)?:\/\//.test(url)) return { url };
  if (url) {
    problems.push({
      place: 'DATABASE_URL',
      message: 'DATABASE_URL is not a PostgreSQL URL (postgres://…) and is ignored.',
    });
  }
  if (db.path === undefined) return { path: join(dataDir, 'zoo.sqlite') };
  return { path: db.path === ':memory:' ? db.path : resolvePath({ folder, home }, db.path) };
}

/** Returns a message for each unknown section or key, which may be a typing mistake or a newer setting. */
function unknownKeys(config: Config): string[] {
  const sections = unknown(Object.keys(config), knownKeys.root).map(
    ({ name, hint }) => `Unknown section [${name}] was ignored.${hint('[', ']')}`,
  );
  const keys = Object.entries(knownKeys.sections).flatMap(([section, known]) =>
    unknown(Object.keys(Object(config[section])), known).map(
      ({ name, hint }) => `Unknown key "${name}" in [${section}] was ignored.${hint('"', '"')}`,
    ),
  );
  return [...sections, ...keys];
}

function unknown(names: readonly string[], known: readonly string[]) {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return {
        name: name.slice(0, 80),
        hint: (open: string, close: string) => (near === undefined ? '' : ` Did you mean ${open}${near}${close}?`),
      };
    });
}
