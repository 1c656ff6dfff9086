import { describe, expect, it } from 'vitest';
import { ServerDefinition } from '../../../src/servers/server-definition.ts';
import type { ServerInfo, ServerState } from '../../../src/servers/servers.ts';
import { actionsOfServer, countTools, locationOfServer, matchesServer, untilRetry } from './describe-server.ts';

const stdio = ServerDefinition.parse({ transport: 'stdio', command: 'npx', args: ['-y', 'a server'] });
const oauth = ServerDefinition.parse({ transport: 'sse', url: 'https://a.example/sse', auth: { type: 'oauth' } });

it('the location of a server is its command or URL', () => {
  expect(locationOfServer(stdio)).toBe("npx -y 'a server'");
  expect(locationOfServer(oauth)).toBe('https://a.example/sse');
});

it('tools are counted by status', () => {
  const tools = (['active', 'active', 'off', 'new', 'changed', 'gone', 'conflict', 'filtered'] as const).map(
    (status) => ({ status, remoteName: status, localName: status }),
  );
  expect(countTools({ tools, elsewhere: [] })).toEqual({ active: 2, waiting: 2, conflicts: 1, total: 8 });
  const elsewhere = tools.filter(({ status }) => status === 'new');
  expect(countTools({ tools, elsewhere })).toEqual({ active: 2, waiting: 3, conflicts: 1, total: 8 });
});

describe('the actions', () => {
  const failed = { kind: 'failed', reason: 'x', since: 0, attempts: 1 } as const;
  const connected = { kind: 'connected', since: 0, serverName: 's', serverVersion: '1', protocolVersion: '1' } as const;
  const cases: [ServerState, string[]][] = [
    [{ kind: 'idle' }, ['canConnect']],
    [{ kind: 'connecting' }, ['canDisconnect']],
    [connected, ['canReconnect', 'canDisconnect']],
    [{ ...failed, retryAt: 5 }, ['canConnect', 'canDisconnect']],
    [{ ...failed, retryAt: null }, ['canConnect']],
    // It rejects what its definition says.
    [{ kind: 'sign-in', reason: 'x', since: 0 }, ['canConnect']],
    [{ kind: 'disabled' }, []],
  ];
  it.each(cases)('with %j', (state, expected) => {
    const can = actionsOfServer({ state, origin: 'config', definition: stdio });
    expect(Object.entries(can).flatMap(([name, is]) => (is ? [name] : []))).toEqual(expected);
  });

  it('only a server without credentials of its own takes a sign-in', () => {
    const state: ServerState = { kind: 'sign-in', reason: 'x', since: 0 };
    const can = (auth: object | null, headers = {}) =>
      actionsOfServer({
        state,
        origin: 'config',
        definition: ServerDefinition.parse({ transport: 'sse', url: 'https://files.example', auth, headers }),
      });
    for (const auth of [null, { type: 'oauth' }])
      expect(can(auth)).toMatchObject({ canSignIn: true, canConnect: false });
    expect(can({ type: 'bearer', token: 'x' })).toMatchObject({ canSignIn: false, canConnect: true });
    expect(can(null, { Authorization: 'x' })).toMatchObject({ canSignIn: false, canConnect: true });
  });

  it('only a stored server can be edited, and only a signed-in one can sign out or in again', () => {
    expect(actionsOfServer({ state: connected, origin: 'store', definition: oauth })).toMatchObject({
      canEdit: true,
      canSignIn: true,
      canSignOut: true,
    });
  });
});

it.each([
  [0, null],
  [-5_000, null],
  [1, 'in 1 s'],
  [59_000, 'in 59 s'],
  [61_000, 'in 2 min'],
])('%d ms before the next attempt it reads %s', (ms, text) => {
  expect(untilRetry(1_000_000 + ms, 1_000_000)).toBe(text);
});

it('a server is found by name, location and tools', () => {
  const server = {
    name: 'files',
    definition: stdio,
    tools: [{ localName: 'mcp__files__read' }],
  } as unknown as ServerInfo;
  expect(matchesServer(server, 'NPX read')).toBe(true);
  expect(matchesServer(server, 'files write')).toBe(false);
});
