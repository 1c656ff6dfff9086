import { fileURLToPath } from 'node:url';
import { isCtxConfig } from '../config/find-config.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { StdioCommand } from '../http/connect-clients.ts';

interface Running {
  /** The URL of this module: TypeScript in a checkout, JavaScript in the package. */
  module: string;
  /** The path of the Node that runs the hub. */
  node: string;
}

/**
 * Returns the command with which MCP clients start this hub on stdio: a file of the checkout, or the package. It names config
 * and data folder, because clients start commands in their own folder and environment. Paths in a config of Context Harness depend on the
 * working folder.
 */
export function stdioCommand(
  { file, folder, dataDir, lookUp, trust, config: { db } }: LoadedConfig,
  running: Running = { module: import.meta.url, node: process.execPath },
): StdioCommand {
  // Does not name a config that was found: naming it would trust it, and every later change to it.
  const named = file === null ? [] : ['--config', file, ...(isCtxConfig(file) ? ['--folder', folder] : [])];
  const config = trust.folder === null ? named : ['--folder', folder];
  const home = lookUp('AGENT_ZOO_HOME') ? ['--home', dataDir] : [];
  const { command, args } = program(running);
  const needs = db.url !== undefined && db.url === lookUp('DATABASE_URL') ? ['DATABASE_URL'] : [];
  return { command, args: [...args, 'mcp', ...home, ...config], needs };
}

function program({ module, node }: Running): StdioCommand {
  if (module.endsWith('.ts')) {
    return { command: 'node', args: [fileURLToPath(new URL('../../bin/zoo.js', module))] };
  }
  // This Node was installed by npm. The one that clients find may be too old.
  const isFromNpm = node.split(/[\\/]/).includes('node_modules');
  const args = isFromNpm ? ['-y', '-p', 'node@24', '-p', 'agent-zoo', 'zoo'] : ['-y', 'agent-zoo'];
  return { command: 'npx', args };
}
