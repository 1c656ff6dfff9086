import { isAbsolute, join, relative, resolve } from 'node:path';
import { realPath } from '../base/real-path.ts';
import type { SourceProblem } from '../base/source.ts';
import { type AppliedConfig, applyConfig } from './apply-config.ts';
import { type Config, Config as ConfigSchema } from './config.ts';
import { besideCtxDatabase, isCtxDatabase } from './context-harness/ctx-database.ts';
import { aboutGlobalConfig } from './context-harness/global-config.ts';
import { type ConfigSearch, dataDirOf, findConfigFile, fromHome } from './find-config.ts';
import { type ConfigText, type LookUp, readConfigText } from './read-config.ts';
import { secretsIn, secretsInAddresses, secretValues } from './secret-values.ts';
import { namedConfig } from './trust/config-trust.ts';
import type { FoundPlace } from './trust/held-half.ts';

/** `config.db` holds either `url`, with the other keys for PostgreSQL, or an absolute `path`. */
export interface LoadedConfig extends AppliedConfig {
  /** The absolute path of the file; null if the defaults are used. */
  file: string | null;
  /** True if `file` is a `.ctx` folder that has scripts but no config.toml. */
  isImplied: boolean;
  /** Paths in the config are relative to this folder. */
  folder: string;
  /** The text of the file, to find line numbers for messages. */
  text: string;
  /** The data folder of the hub. */
  dataDir: string;
  /** The problems of the environment. `problems` contains them, too. */
  startProblems: readonly SourceProblem[];
  /** Paths in messages are relative to this folder when they are inside it. */
  cwd: string;
  /** The folder that ~ stands for. */
  home: string;
  /** Secrets from environment and config, which must never be written. */
  secrets: readonly string[];
  /** Reads an environment variable, for `${VAR}` in files that are reloaded. */
  lookUp: LookUp;
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
  const folder = found?.folder ?? cwd;
  const isImplied = found?.isImplied ?? false;
  let text = '';
  let applied: AppliedConfig = noConfig();
  if (file !== null) {
    const shown = showPath(file, cwd);
    ({ text } = await readConfig({ file, isImplied }, shown));
    const needsTrust = found?.isFound && { folder, realFolder: realPath(folder), home: search.home, dataDir, lookUp };
    applied = await applyConfig(text, { shown, folder, home: search.home, lookUp, place: needsTrust || undefined });
  }
  const { config } = applied;
  const { mcp_servers, mcpServers, providers, a2a, embedding, events } = config;
  const startProblems: SourceProblem[] = [];
  const db = chooseDb(config.db, { env, folder, dataDir, home: search.home, problems: startProblems });
  const named = secretsIn({ mcp_servers, mcpServers, providers, a2a, embedding, events });
  const inAddresses = secretsInAddresses([db.url, db.listen_url, db.bus_url]);
  const secrets = secretValues(env, config.log.secret_env, [...named, ...inAddresses]);
  const ownPath = beside(db.path);
  return {
    ...applied,
    file,
    isImplied,
    config: { ...config, db: ownPath === undefined ? db : { path: ownPath } },
    folder,
    text,
    dataDir,
    startProblems,
    problems: [...applied.problems, ...startProblems],
    notices: [
      ...applied.notices,
      ...aboutDatabase(db.path, ownPath, cwd),
      ...aboutGlobalConfig({
        file,
        isFound: found?.isFound ?? true,
        shown: showPath(file ?? '', cwd),
        env,
        home: search.home,
      }),
    ],
    cwd,
    home: search.home,
    lookUp,
    secrets,
  };
}

/** Reads the text of the config. That of a folder is empty. Throws INVALID_CONFIG. */
export async function readConfig(
  { file, isImplied }: { file: string; isImplied: boolean },
  shown: string,
): Promise<ConfigText> {
  if (isImplied) return { text: '', modifiedAt: 0, size: 0 };
  return readConfigText(file, shown);
}

function noConfig(): AppliedConfig {
  const config = ConfigSchema.parse({}, { jitless: true });
  return { config, raw: {}, trust: namedConfig, problems: [], notices: [], unset: [] };
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
  const { path: _, ...postgres } = db;
  if (db.url !== undefined) return postgres;
  const url = env.DATABASE_URL;
  if (url && /^postgres(ql)?:\/\//.test(url)) return { ...postgres, url };
  if (url) {
    problems.push({
      place: 'DATABASE_URL',
      message: 'DATABASE_URL is not a PostgreSQL URL (postgres://…) and is ignored.',
    });
  }
  if (db.path === undefined) return { path: join(dataDir, 'zoo.sqlite') };
  return { path: db.path === ':memory:' ? db.path : resolvePath({ folder, home }, db.path) };
}

/** The file that replaces a database of Context Harness, which stays as it is. */
function beside(path: string | undefined): string | undefined {
  return path !== undefined && isCtxDatabase(path) ? besideCtxDatabase(path) : undefined;
}

function aboutDatabase(path = '', own: string | undefined, cwd: string): string[] {
  if (own === undefined) return [];
  return [
    `${showPath(path, cwd)} is a database of Context Harness and stays unchanged. Agent Zoo keeps its data beside it, in ${showPath(own, cwd)}. Run "zoo sync" to index the documents of your sources.`,
  ];
}
