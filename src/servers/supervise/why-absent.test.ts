import { expect, it } from 'vitest';
import {
  remoteTool,
  ScriptedServer,
  TestConfig,
  type TestServers,
  testServers,
} from '../../../test/support/servers/test-servers.ts';
import { HubError } from '../../base/hub-error.ts';
import { silentLogger } from '../../base/logger.ts';
import { ownerCaller } from '../../callers/callers.ts';
import type { Caller } from '../../tools/caller.ts';
import { executeTool } from '../../tools/execute-tool.ts';
import { ServerDefinition } from '../server-definition.ts';
import type { ConnectOptions } from './server-connection.ts';

const untilGivenUp = ({ signal }: ConnectOptions) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const unreachable = () => {
  throw new HubError('UNAVAILABLE', 'Server "files" cannot be reached: nothing is listening at its address.');
};

interface Case {
  entry?: object;
  server?: (server: ScriptedServer) => void;
  /** What happens before the call. */
  arrange?: (test: TestServers, server: ScriptedServer) => Promise<unknown>;
  code: string;
  says: string | RegExp;
}

const cases: [string, Case][] = [
  [
    'disabled',
    {
      entry: { enabled: false },
      code: 'UNAVAILABLE',
      says: 'The server "files" is disabled. Enable it: set enabled = true in zoo.toml [mcp_servers.files].',
    },
  ],
  [
    'disconnected by a person',
    {
      arrange: async ({ servers, settled }) => {
        await settled('files', 'connected');
        await servers.disconnect('files');
      },
      code: 'UNAVAILABLE',
      says: 'The server "files" was disconnected. Connect it: in the Servers screen, or with POST /api/servers/files/connect.',
    },
  ],
  [
    'still connecting for the first time',
    {
      server: (server) => {
        server.connecting = untilGivenUp;
      },
      arrange: ({ settled }) => settled('files', 'connecting'),
      code: 'UNAVAILABLE',
      says: /is still connecting, .* Call again in a moment\.$/,
    },
  ],
  [
    'never reached',
    {
      server: (server) => {
        server.connecting = unreachable;
      },
      arrange: ({ settled }) => settled('files', 'failed'),
      code: 'UNAVAILABLE',
      says: /^The tools of server "files" are not known yet: .* cannot be reached: nothing is listening at its address\. Try again: zoo mcp-server test files$/,
    },
  ],
  [
    'one to sign in to',
    {
      server: (server) => {
        server.connecting = () => {
          throw new HubError(
            'SIGN_IN_REQUIRED',
            'Server "files" requires a sign-in. Sign in with: zoo mcp-server sign-in files',
          );
        };
      },
      arrange: ({ settled }) => settled('files', 'sign-in'),
      code: 'SIGN_IN_REQUIRED',
      says: /zoo mcp-server sign-in files$/,
    },
  ],
  [
    'asked about, with a tool that waits',
    {
      entry: { trust: 'ask' },
      arrange: ({ settled }) => settled('files', 'connected'),
      code: 'PERMISSION_DENIED',
      says: 'The tool "read" of server "files" is new and has not been accepted yet. Review and accept it in the Servers screen, or with: zoo mcp-server accept files',
    },
  ],
  [
    'there, with a tool that it changed',
    {
      arrange: async ({ settled, until, names }, server) => {
        await settled('files', 'connected');
        server.change(remoteTool('read', { description: 'Sends your files elsewhere.' }));
        await until(() => names().length === 0);
      },
      code: 'PERMISSION_DENIED',
      says: /has changed since it was accepted\. .*zoo mcp-server accept files$/,
    },
  ],
  [
    'there, with a tool that it lists no more',
    {
      arrange: async ({ settled, until, names }, server) => {
        await settled('files', 'connected');
        server.change();
        await until(() => names().length === 0);
      },
      code: 'UNKNOWN_TOOL',
      says: /is gone: the server no longer lists it\.$/,
    },
  ],
  [
    'there, with a tool that is turned off',
    {
      arrange: async ({ servers, settled }) => {
        await settled('files', 'connected');
        await servers.setTool('files', 'read', { enabled: false });
      },
      code: 'PERMISSION_DENIED',
      says: /is turned off\. Turn it on in the Servers screen\.$/,
    },
  ],
  [
    'there, with a tool that its definition leaves out',
    {
      entry: { exclude: ['read'] },
      arrange: ({ settled }) => settled('files', 'connected'),
      code: 'UNKNOWN_TOOL',
      says: /excluded by "include" or "exclude" .* in zoo\.toml \[mcp_servers\.files\]\.$/,
    },
  ],
];

it.each(cases)(
  'a call to a tool of a server that is %s explains that, to callers with permission',
  async (_name, given) => {
    const files = new ScriptedServer(remoteTool('read'));
    given.server?.(files);
    const config = new TestConfig();
    config.set({ files: { command: 'node', start: 'boot', ...given.entry } });
    const test = testServers({ files }, { config });
    await test.servers.refresh();
    await given.arrange?.(test, files);
    const rows: object[] = [];
    const parts = {
      tools: test.registry,
      decisions: { append: async (row: object) => void rows.push(row) } as never,
      clock: test.clock,
      logger: silentLogger,
      redact: (text: string) => text,
    };
    const call = (caller: Caller, tool: string) => executeTool(parts, { caller, tool, input: {} });

    const told = await call(ownerCaller('mcp'), 'mcp__files__read');
    if (told.ok) throw new Error('a call that must be refused was not');
    expect(told.error.code).toBe(given.code);
    expect(told.error.message).toMatch(given.says);
    expect(rows).toMatchObject([{ kind: 'error', tool: 'mcp__files__read' }]);

    // A caller without permission gets the same error whether or not there is such a tool.
    const narrow: Caller = { ...ownerCaller('mcp'), scope: { agentId: 'narrow', tools: ['search'] } };
    const [hidden, made] = await Promise.all([call(narrow, 'mcp__files__read'), call(narrow, 'mcp__files__made')]);
    if (hidden.ok || made.ok) throw new Error('a call that must be refused was not');
    expect([hidden.error.code, hidden.error.details]).toEqual(['PERMISSION_DENIED', undefined]);
    expect(hidden.error.message).toBe(made.error.message.replace('made', 'read'));

    expect(files.calls).toEqual([]);
    await test.servers.close();
    expect(test.registry.whyAbsent('mcp__files__read')).toBeUndefined();
  },
);

it('a name that a connected server does not know is an unknown tool', async () => {
  const files = new ScriptedServer(remoteTool('read'));
  const test = testServers({ files });
  await test.servers.add('files', ServerDefinition.parse({ transport: 'stdio', command: 'node' }));
  await test.settled('files', 'connected');
  expect(test.registry.whyAbsent('mcp__files__made')).toBeUndefined();
  expect(test.registry.whyAbsent('mcp__files__')).toBeUndefined();
  await test.servers.close();
});
