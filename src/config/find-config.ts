import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HubError } from '../base/hub-error.ts';

/** Where a command looks for its config. */
export interface ConfigPlace {
  /** `--config`. */
  explicitFile?: string | undefined;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** The folder where the hub keeps its own data when the config names no other place. */
export function dataDirOf({ cwd, env, home }: ConfigPlace): string {
  return resolve(cwd, fromHome(env.AGENT_ZOO_HOME || '~/.agent-zoo', home));
}

/** The config that is used: named by the caller, else the first one there is; null when there is none. Throws INVALID_CONFIG. */
export function findConfigFile(place: ConfigPlace): string | null {
  const { cwd, env } = place;
  if (place.explicitFile !== undefined) return named(place.explicitFile, '--config', cwd);
  for (const variable of ['ZOO_CONFIG', 'CTX_CONFIG']) {
    const value = env[variable];
    if (value) return named(value, `$${variable}`, cwd);
  }
  const places = ['zoo.toml', 'ctx.toml', '.ctx/config.toml', 'config/ctx.toml'].map((name) => join(cwd, name));
  return [...places, join(dataDirOf(place), 'zoo.toml')].find((file) => existsSync(file)) ?? null;
}

/** A file that somebody asked for by name must be there. */
function named(name: string, by: string, cwd: string): string {
  const file = resolve(cwd, name);
  if (existsSync(file)) return file;
  throw new HubError('INVALID_CONFIG', `There is no config file ${file} (named by ${by}).`);
}

/** No shell reads these paths, so nobody else says what ~ means. */
export function fromHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path;
}
