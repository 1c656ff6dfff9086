import { fileURLToPath } from 'node:url';
import type { LoadedConfig } from '../config/load-config.ts';
import type { StdioCommand } from '../http/connect-clients.ts';

/**
 * What an MCP client's config must say to start this hub on stdio: from a checkout its own file, else the package.
 * Clients start commands in folders and environments of their own, so config and data folder are named.
 */
export function stdioCommand({ file, dataDir, lookUp }: LoadedConfig): StdioCommand {
  const config = file === null ? [] : ['--config', file];
  const home = lookUp('AGENT_ZOO_HOME') ? ['--home', dataDir] : [];
  const args = ['mcp', ...home, ...config];
  if (!import.meta.url.endsWith('.ts')) return { command: 'npx', args: ['-y', 'agent-zoo', ...args] };
  return { command: 'node', args: [fileURLToPath(new URL('../../bin/zoo.js', import.meta.url)), ...args] };
}
