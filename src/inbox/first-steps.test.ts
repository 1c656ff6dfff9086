import { expect, it } from 'vitest';
import { connectClients } from '../http/connect-clients.ts';
import { clientIdOf } from './first-steps.ts';

it.each([
  ['claude-code', 'claude-code'],
  ['claude-ai', 'claude-desktop'],
  ['cursor-vscode', 'cursor'],
  ['Visual Studio Code', 'vscode'],
  ['codex-mcp-client', 'codex'],
  ['gemini-cli-mcp-client', 'gemini-cli'],
  ['opencode', 'opencode'],
  ['lmstudio-mcp-bridge', 'lm-studio'],
  ['goose', 'goose'],
  ['my-script', null],
])('the client that calls itself %s is %s on the Connect screen', (name, id) => {
  expect(clientIdOf(name)).toBe(id);
  const stdioCommand = { command: 'zoo', args: ['mcp'] };
  const { clients } = connectClients({ url: 'http://x', stdioCommand, configFile: null, anonymous: 'use' });
  if (id !== null) expect(clients.map((client) => client.id)).toContain(id);
});
