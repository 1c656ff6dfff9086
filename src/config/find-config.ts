import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, parse, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { isInside, realPath } from '../base/real-path.ts';
import { hasScripts } from './context-harness/find-scripts.ts';

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
  /** Paths in the file are relative to this folder. */
  folder: string;
  /** True if `file` is a `.ctx` folder that has scripts but no config.toml. */
  isImplied?: true;
}

/** Finds the config file: the one that is named, or else the first that exists; null if there is none. Throws INVALID_CONFIG. */
export function findConfigFile(search: ConfigSearch): ConfigFile | null {
  const { cwd, env } = search;
  if (search.explicitFile !== undefined) return named(search.explicitFile, '--config', search);
  for (const variable of ['ZOO_CONFIG', 'CTX_CONFIG']) {
    const value = env[variable];
    if (value) return named(value, `$${variable}`, search);
  }
  const dataDir = dataDirOf(search);
  const candidates = workingFolderConfigs.map((name) => join(cwd, name));
  const file = candidates.find((each) => existsSync(each));
  // Compares folders, not files: a link to the file in the data folder would use scripts of another folder.
  if (file !== undefined)
    return { file, isFound: realPath(dirname(file)) !== realPath(dataDir), folder: folderOf(file) };
  const scripts = join(cwd, '.ctx');
  if (hasScripts(scripts)) return { file: scripts, isFound: true, folder: cwd, isImplied: true };
  const own = join(dataDir, 'zoo.toml');
  return existsSync(own) ? { file: own, isFound: false, folder: dataDir } : null;
}

/** The configs that are found in the working folder. The first one that exists is used. */
export const workingFolderConfigs = ['zoo.toml', 'ctx.toml', '.ctx/config.toml', 'config/ctx.toml'] as const;

/** Tells whether a file is the config of Context Harness, whose globs, default types and paths follow its own rules. */
export function isCtxConfig(file: string | null): boolean {
  return file !== null && (basename(file) === 'ctx.toml' || /[\\/]\.ctx[\\/]config\.toml$/.test(file));
}

/** Throws if a file that was named does not exist. */
function named(name: string, by: string, search: ConfigSearch): ConfigFile {
  const file = resolve(search.cwd, name);
  if (existsSync(file)) return { file, isFound: false, folder: folderOfNamed(file, name, search) };
  throw new HubError('INVALID_CONFIG', `The config file ${file} (from ${by}) does not exist.`);
}

/**
 * Returns the folder for the relative paths in a named config. Context Harness uses the working folder, and so do we for its files below it. But
 * clients may start programs in the home folder or at the root: there, a file with an absolute name uses its own folder.
 */
function folderOfNamed(file: string, name: string, { cwd, home }: ConfigSearch): string {
  const isStartFolder = cwd === home || cwd === parse(cwd).root;
  const isTheirs = isCtxConfig(file) && isInside(file, cwd) && !(isAbsolute(name) && isStartFolder);
  return isTheirs ? cwd : folderOf(file);
}

/** Returns the project folder for `.ctx/config.toml` and `config/ctx.toml`, as Context Harness does. */
function folderOf(file: string): string {
  const folder = dirname(file);
  return /[\\/](?:\.ctx[\\/]config|config[\\/]ctx)\.toml$/.test(file) ? dirname(folder) : folder;
}

/** Expands ~, because no shell does it for these paths. */
export function fromHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path;
}
