import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { realPath } from '../base/real-path.ts';

/** The places where a command looks for its config. */
export interface ConfigSearch {
  /** `--config`. */
  explicitFile?: string | undefined;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Returns the data folder of the hub, which the config can override for the database. */
export function dataDirOf({ cwd, env, home }: ConfigSearch): string {
  return resolve(cwd, fromHome(env.AGENT_ZOO_HOME || '~/.agent-zoo', home));
}

/** Returns where to search for a command that names the data folder (`--home`) or the folder with the config (`--folder`). */
export function searchFrom(
  { cwd, env, home }: ConfigSearch,
  named: { home?: string | undefined; folder?: string | undefined },
): ConfigSearch {
  const ownHome = named.home ?? env.AGENT_ZOO_HOME;
  // Both are relative to the working folder.
  const dataDir = ownHome && dataDirOf({ cwd, env: { AGENT_ZOO_HOME: ownHome }, home });
  return {
    cwd: resolve(cwd, fromHome(named.folder ?? '', home)),
    env: dataDir ? { ...env, AGENT_ZOO_HOME: dataDir } : env,
    home,
  };
}

/** Returns the file with all trusted folders, by real path. It is in the data folder, which no config can choose. */
export function trustFile(dataDir: string): string {
  return join(dataDir, 'trust.json');
}

/** A config file, and whether the user named it. */
export interface ConfigFile {
  file: string;
  /** True for a file that happens to be in the working folder. It is trusted only as far as the user has said so. */
  isFound: boolean;
}

/** Finds the config file: the one that is named, or else the first that exists; null if there is none. Throws INVALID_CONFIG. */
export function findConfigFile(search: ConfigSearch): ConfigFile | null {
  const { cwd, env } = search;
  if (search.explicitFile !== undefined) return named(search.explicitFile, '--config', cwd);
  for (const variable of ['ZOO_CONFIG', 'CTX_CONFIG']) {
    const value = env[variable];
    if (value) return named(value, `$${variable}`, cwd);
  }
  const dataDir = dataDirOf(search);
  const candidates = ['zoo.toml', 'ctx.toml', '.ctx/config.toml', 'config/ctx.toml'].map((name) => join(cwd, name));
  const file = [...candidates, join(dataDir, 'zoo.toml')].find((each) => existsSync(each));
  // Compares folders, not files: a link to the file in the data folder would use scripts of another folder.
  return file === undefined ? null : { file, isFound: realPath(dirname(file)) !== realPath(dataDir) };
}

/** Throws if a file that was named does not exist. */
function named(name: string, by: string, cwd: string): ConfigFile {
  const file = resolve(cwd, name);
  if (existsSync(file)) return { file, isFound: false };
  throw new HubError('INVALID_CONFIG', `The config file ${file} (from ${by}) does not exist.`);
}

/** Expands ~, because no shell does it for these paths. */
export function fromHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path;
}
