import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';

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

/** Finds the config file: the one that is named, or else the first that exists; null if there is none. Throws INVALID_CONFIG. */
export function findConfigFile(search: ConfigSearch): string | null {
  const { cwd, env } = search;
  if (search.explicitFile !== undefined) return named(search.explicitFile, '--config', cwd);
  for (const variable of ['ZOO_CONFIG', 'CTX_CONFIG']) {
    const value = env[variable];
    if (value) return named(value, `$${variable}`, cwd);
  }
  const candidates = ['zoo.toml', 'ctx.toml', '.ctx/config.toml', 'config/ctx.toml'].map((name) => join(cwd, name));
  return [...candidates, join(dataDirOf(search), 'zoo.toml')].find((file) => existsSync(file)) ?? null;
}

/** Throws if a file that was named does not exist. */
function named(name: string, by: string, cwd: string): string {
  const file = resolve(cwd, name);
  if (existsSync(file)) return file;
  throw new HubError('INVALID_CONFIG', `The config file ${file} (from ${by}) does not exist.`);
}

/** Expands ~, because no shell does it for these paths. */
export function fromHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path;
}
