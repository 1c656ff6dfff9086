import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isCtxConfig } from '../find-config.ts';

interface UsedConfig {
  /** The config in use; null if there is none. */
  file: string | null;
  /** False if the user has named it. */
  isFound: boolean;
  shown: string;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
}

/** Says that the user-wide config of Context Harness does not apply, where Context Harness would read it. */
export function aboutGlobalConfig({ file, isFound, shown, env, home }: UsedConfig): string[] {
  const wouldApply = file === null || (isFound && isCtxConfig(file));
  const folder = absolute(env.CTX_CONFIG_DIR) ?? join(absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'ctx');
  const global = join(folder, 'config.toml');
  if (!wouldApply || !existsSync(global)) return [];
  const remedy =
    file === null
      ? 'Name it with --config or $CTX_CONFIG to use it.'
      : `Copy the sections that you need into ${shown}.`;
  return [`${global} is not read: Agent Zoo uses one config at a time. ${remedy}`];
}

/** Ignores a relative path, as Context Harness does. */
function absolute(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
