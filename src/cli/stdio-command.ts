import { fileURLToPath } from 'node:url';
import type { LoadedConfig } from '../config/load-config.ts';
import type { StdioCommand } from '../http/connect-clients.ts';

interface Running {
  /** This module's address: a checkout runs TypeScript, the package JavaScript. */
  module: string;
  /** Path of the Node that runs the hub. */
  node: string;
}

/**
 * What an MCP client's config must say to start this hub on stdio: from a checkout its own file, else the package.
 * Clients start commands in folders and environments of their own, so config and data folder are named.
 */
export function stdioCommand(
  { file, dataDir, lookUp, config: { db } }: LoadedConfig,
  running: Running = { module: import.meta.url, node: process.execPath },
): StdioCommand {
  const config = file === null ? [] : ['--config', file];
  const home = lookUp('AGENT_ZOO_HOME') ? ['--home', dataDir] : [];
  const { command, args } = program(running);
  const needs = db.url !== undefined && db.url === lookUp('DATABASE_URL') ? ['DATABASE_URL'] : [];
  return { command, args: [...args, 'mcp', ...home, ...config], needs };
}

function program({ module, node }: Running): StdioCommand {
  if (module.endsWith('.ts')) {
    return { command: 'node', args: [fileURLToPath(new URL('../../bin/zoo.js', module))] };
  }
  // A Node that npm installed is not the one clients find, which may be too old.
  const isFromNpm = node.split(/[\\/]/).includes('node_modules');
  const args = isFromNpm ? ['-y', '-p', 'node@24', '-p', 'agent-zoo', 'zoo'] : ['-y', 'agent-zoo'];
  return { command: 'npx', args };
}
