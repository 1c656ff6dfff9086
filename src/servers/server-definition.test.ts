import { expect, it } from 'vitest';
import { isTeamToolName, ServerDefinition, ServerName } from './server-definition.ts';

it.each(['files', 'my-server', 'a', 'Server_2'])('"%s" can be the name of a server', (name) => {
  expect(ServerName.safeParse(name).success).toBe(true);
});

it.each(['', '_a', 'a_', 'a__b', 'a b', 'é', 'x'.repeat(41), 'mail', 'TASK', 'supervisor'])(
  '"%s" cannot be the name of a server',
  (name) => {
    expect(ServerName.safeParse(name).success).toBe(false);
  },
);

it('no prefix makes a tool look like a team tool', () => {
  const prefixed = (prefix: string) => ServerDefinition.safeParse({ transport: 'stdio', command: 'x', prefix }).success;
  expect(['', 'fs_', 'mcp__files__', 'mcp__mailbox__'].map(prefixed)).toEqual([true, true, true, true]);
  expect(['mcp__mail__', 'mcp__mail_', 'MCP__Task__x'].map(prefixed)).toEqual([false, false, false]);
  expect(['mcp__mail__send', 'mcp__agent__anything', 'mcp__agents__x'].map(isTeamToolName)).toEqual([
    true,
    true,
    false,
  ]);
});
