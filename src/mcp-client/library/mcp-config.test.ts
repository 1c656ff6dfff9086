import { describe, expect, it } from 'vitest';
import { type MCPConfig, readMCPConfig } from './mcp-config.ts';

const stdio: MCPConfig = { serverName: 'files', transport: 'stdio', connection: { command: 'node' } };
const url = 'https://mcp.example.com/mcp';

describe('a config', () => {
  it('of a process keeps command, arguments, environment and folder', () => {
    const connection = { command: 'node', args: ['a b', ''], env: { TOKEN: 'x=y' }, cwd: '/srv' };
    expect(readMCPConfig({ ...stdio, connection }).definition).toMatchObject({
      transport: 'stdio',
      ...connection,
    });
  });

  it.each([
    ['sse', 'sse'],
    ['streamable-http', 'streamable-http'],
    ['streamableHttp', 'streamable-http'],
    ['http', 'streamable-http'],
    ['websocket', 'streamable-http'],
    [undefined, 'streamable-http'],
  ] as const)('with the transport %s is reached by %s', (transport, expected) => {
    const config: MCPConfig = { serverName: 'x', transport, connection: { url, headers: { 'X-Team': 'blue' } } };
    expect(readMCPConfig(config).definition).toMatchObject({
      transport: expected,
      url,
      headers: { 'X-Team': 'blue' },
      auth: null,
    });
  });

  it.each<[MCPConfig['auth'], object]>([
    [
      { type: 'bearer', token: 't' },
      { type: 'bearer', token: 't' },
    ],
    [
      { type: 'api_key', key: 'k' },
      { type: 'api-key', key: 'k', header: 'X-API-Key' },
    ],
    [
      { type: 'api-key', key: 'k', header: 'X-Key' },
      { type: 'api-key', key: 'k', header: 'X-Key' },
    ],
    [
      { type: 'custom', headers: { 'X-A': '1' } },
      { type: 'headers', headers: { 'X-A': '1' } },
    ],
    [
      { type: 'headers', headers: { 'X-A': '1' } },
      { type: 'headers', headers: { 'X-A': '1' } },
    ],
    [
      { type: 'oauth', scope: 'files' },
      { type: 'oauth', scope: 'files', grant: 'authorization-code' },
    ],
  ])('keeps the auth %j', (auth, expected) => {
    const { definition } = readMCPConfig({ serverName: 'x', connection: { url }, auth });
    expect(definition).toMatchObject({ auth: expected });
  });

  it.each([
    [
      'Claude, a process',
      { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
      { transport: 'stdio', env: { A: 'b' } },
    ],
    ['Cursor, an address', { url, headers: { Authorization: 'Bearer x' } }, { transport: 'streamable-http', url }],
    ['VS Code, over SSE', { type: 'sse' as const, url }, { transport: 'sse', url }],
    ['VS Code, over HTTP', { type: 'http' as const, url }, { transport: 'streamable-http' }],
    ['VS Code, with a variable', { url, headers: { 'X-A': '$' + '{env:A}' } }, { headers: { 'X-A': '$' + '{A}' } }],
    ['Gemini', { httpUrl: url, timeout: 5_000 }, { transport: 'streamable-http', url, timeoutMs: 5_000 }],
    ['another client, with its own keys', { command: 'x', disabled: false, alwaysAllow: [] }, { transport: 'stdio' }],
  ])('in the form of %s is accepted', (_name, entry, expected) => {
    expect(readMCPConfig({ serverName: 'x', ...entry }).definition).toMatchObject(expected);
  });

  it('keeps limits, filters, prefix, transformers and confirmation', () => {
    const transformers = [{ transform: () => null }];
    const given = { include: ['a*'], exclude: ['ab'], prefix: 'p_', transformers, requiresConfirmation: ['write_*'] };
    const config = readMCPConfig({ ...stdio, ...given, timeoutMs: 500, maxOutputBytes: 2_000 });
    expect(config).toMatchObject(given);
    expect(config.definition).toMatchObject({ timeoutMs: 500, maxOutputBytes: 2_000, connectTimeoutMs: 30_000 });
  });

  it.each([
    ['no name', { connection: { command: 'x' } }, /serverName/],
    ['an empty name', { serverName: '', connection: { command: 'x' } }, /serverName/],
    ['nothing to connect to', { serverName: 'x' }, /"x": needs "command" or "url"/],
    ['both a command and a url', { serverName: 'x', command: 'a', url }, /either a command/],
    ['stdio with a url', { serverName: 'x', transport: 'stdio', connection: { url } }, /"stdio" needs a command/],
    ['sse with a command', { serverName: 'x', transport: 'sse', connection: { command: 'a' } }, /"sse" needs a url/],
    [
      'auth for a process',
      { ...stdio, auth: { type: 'bearer', token: 'secret-1' } },
      /auth is only for servers with a url/,
    ],
    ['an unknown transport', { ...stdio, transport: 'pigeon' }, /transport/],
    ['an unknown key', { ...stdio, enviroment: {} }, /enviroment/],
    ['a url that is none', { serverName: 'x', url: 'ftp://a' }, /url/],
    ['a header with a line break', { serverName: 'x', url, headers: { 'a\nb': 'x' } }, /headers/],
    ['a time that is none', { ...stdio, timeoutMs: -1 }, /timeoutMs/],
    ['a transformer that is none', { ...stdio, transformers: [{}] }, /transformers\[0\]/],
  ])('with %s is refused by field and rule', (_name, config, message) => {
    expect(() => readMCPConfig(config as never)).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringMatching(message) }),
    );
  });

  it('shares a connection with another view of the same server', () => {
    const view = { command: 'node', include: ['a'], exclude: ['b'], prefix: 'p_', requiresConfirmation: true };
    const [one, other] = [view, { command: 'node' }].map((entry) => readMCPConfig({ serverName: 'x', ...entry }));
    expect(one).toMatchObject({ include: ['a'], exclude: ['b'], prefix: 'p_', requiresConfirmation: true });
    expect(one?.definition).toEqual(other?.definition);
  });

  it('notes what it ignores', () => {
    const { notes } = readMCPConfig({ serverName: 'x', command: 'node', heders: {} });
    expect(notes).toEqual(['MCP server "x": heders: is unknown and ignored; did you mean "headers"?']);
  });

  it('is refused with a message that contains no secrets', () => {
    const auth = { type: 'bearer', token: ['secret-1'], extra: 'secret-2' };
    expect(() => readMCPConfig({ serverName: 'x', connection: { url }, auth } as never)).toThrowError(
      expect.objectContaining({ message: expect.not.stringContaining('secret-') }),
    );
  });
});
