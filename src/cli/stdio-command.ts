import { fileURLToPath } from 'node:url';

export interface StdioCommand {
  command: string;
  args: string[];
}

/** What an MCP client's config must say to start this hub on stdio: from a checkout its own file, else the package. */
export function stdioCommand(configFile: string | null): StdioCommand {
  const config = configFile === null ? [] : ['--config', configFile];
  if (!import.meta.url.endsWith('.ts')) return { command: 'npx', args: ['-y', 'agent-zoo', 'mcp', ...config] };
  const script = fileURLToPath(new URL('../../bin/zoo.js', import.meta.url));
  return { command: 'node', args: [script, 'mcp', ...config] };
}
