import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { nearest } from '../base/nearest.ts';
import type { SourceProblem } from '../base/source.ts';
import { type Config, Config as ConfigSchema, knownKeys } from './config.ts';
import { type ConfigSearch, dataDirOf, findConfigFile, fromHome } from './find-config.ts';
import { type LookUp, parseConfig, readConfigText } from './read-config.ts';
import { secretsIn, secretValues } from './secret-values.ts';

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
}

/** Finds and reads the config. Throws INVALID_CONFIG with file, line, key and rule. */
export async function loadConfig(search: ConfigSearch): Promise<LoadedConfig> {
  const { cwd, env } = search;
  const lookUp: LookUp = (name) => env[name];
  const dataDir = dataDirOf(search);
  const file = findConfigFile(search);
  const problems: SourceProblem[] = [];
  let config = ConfigSchema.parse({}, { jitless: true });
  let text = '';
  if (file !== null) {
    const shown = showPath(file, cwd);
    ({ text } = await readConfigText(file, shown));
    config = parseConfig(text, shown, lookUp);
    problems.push(...unknownKeys(config).map((message) => ({ place: shown, message })));
  }
  const folder = file === null ? cwd : folderOf(file);
  const { mcp_servers, mcpServers, providers, a2a, embedding, events } = config;
  const named = secretsIn({ mcp_servers, mcpServers, providers, a2a, embedding, events });
  const secrets = secretValues(env, config.log.secret_env, named);
  const db = chooseDb(config.db, { env, folder, dataDir, home: search.home, problems });
  return { file, config: { ...config, db }, folder, text, dataDir, problems, cwd, home: search.home, lookUp, secrets };
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
