import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The facts about this machine that decide where programs keep their configs. */
export interface Machine {
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
}

/** Returns where each client keeps the config of this user; undefined for an unknown client. */
export function clientPath(id: string, machine: Machine): string | undefined {
  const { home, env } = machine;
  switch (id) {
    case 'cursor':
      return join(home, '.cursor', 'mcp.json');
    case 'vscode':
      return join(appFolder(machine), 'Code', 'User', 'mcp.json');
    case 'claude-code':
      return join(env.CLAUDE_CONFIG_DIR || home, '.claude.json');
    case 'claude-desktop':
      return join(appFolder(machine), 'Claude', 'claude_desktop_config.json');
    case 'codex':
      return join(env.CODEX_HOME || join(home, '.codex'), 'config.toml');
    case 'gemini-cli':
      return join(home, '.gemini', 'settings.json');
    case 'opencode': {
      const folder = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
      const withComments = join(folder, 'opencode.jsonc');
      return existsSync(withComments) ? withComments : join(folder, 'opencode.json');
    }
    case 'lm-studio':
      return join(home, '.lmstudio', 'mcp.json');
    case 'goose':
      return machine.platform === 'win32'
        ? join(appFolder(machine), 'Block', 'goose', 'config', 'config.yaml')
        : join(env.XDG_CONFIG_HOME || join(home, '.config'), 'goose', 'config.yaml');
    default:
      return undefined;
  }
}

/** Where desktop programs keep their settings. */
function appFolder({ home, env, platform }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}
