import { expect, it } from 'vitest';
import { readServerEntry } from './read-server-entry.ts';

const V = (name: string) => `\${${name}}`;

it.each<[string, object, object]>([
  [
    'Claude, a command',
    { command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
    { transport: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: '1' } },
  ],
  [
    'Claude, an address',
    { type: 'http', url: 'https://x.dev/mcp', headers: { A: 'b' } },
    { transport: 'streamable-http', url: 'https://x.dev/mcp', headers: { A: 'b' } },
  ],
  ['Claude, an older address', { type: 'sse', url: 'https://x.dev/x' }, { transport: 'sse' }],
  ['Claude Desktop, no type', { command: 'uvx', args: ['mcp-server-git'] }, { transport: 'stdio' }],
  ['Cursor, an address', { url: 'https://x.dev/mcp' }, { transport: 'streamable-http' }],
  ['Cursor, an address of events', { url: 'https://x.dev/sse' }, { transport: 'sse' }],
  ['Cursor, variables', { command: 'x', env: { KEY: `\${env:MY_KEY}` } }, { env: { KEY: V('MY_KEY') } }],
  [
    'Cursor, its own client',
    { url: 'https://x.dev', auth: { CLIENT_ID: 'i', CLIENT_SECRET: 's', scopes: ['a', 'b'] } },
    { auth: { type: 'oauth', clientId: 'i', clientSecret: 's', scope: 'a b' } },
  ],
  [
    'VS Code, a command',
    { type: 'stdio', command: 'x', cwd: `\${userHome}/x` },
    { transport: 'stdio', cwd: `${V('HOME')}/x` },
  ],
  ['Windsurf', { serverUrl: 'https://x.dev/sse' }, { transport: 'sse', url: 'https://x.dev/sse' }],
  [
    'Gemini, http',
    { httpUrl: 'https://x.dev/sse', timeout: 5_000 },
    { transport: 'streamable-http', timeoutMs: 5_000 },
  ],
  [
    'Gemini, filters and trust',
    { command: 'x', includeTools: ['a'], excludeTools: ['b'], trust: true },
    { include: ['a'], exclude: ['b'], approve: [], trust: 'first-use' },
  ],
  [
    'Gemini, OAuth',
    { url: 'https://x.dev', oauth: { enabled: true, clientId: 'i', scopes: ['a'] } },
    { auth: { type: 'oauth', clientId: 'i', scope: 'a' } },
  ],
  [
    'our own, OAuth in a private network',
    { url: 'https://x.dev', auth: { type: 'oauth', allow_hosts: ['sso.corp.example'] } },
    { auth: { type: 'oauth', allowHosts: ['sso.corp.example'] } },
  ],
  [
    'Cline',
    { command: 'x', disabled: true, timeout: 60, autoApprove: ['*'] },
    { enabled: false, timeoutMs: 60_000, approve: [] },
  ],
  [
    'Roo',
    { type: 'streamable-http', url: 'https://x.dev', alwaysAllow: [] },
    { transport: 'streamable-http', approve: null },
  ],
  [
    'Codex, a command',
    { command: 'x', startup_timeout_sec: 12.5, tool_timeout_sec: 90, enabled: false, env_vars: ['PATH'] },
    { connectTimeoutMs: 12_500, timeoutMs: 90_000, enabled: false, env: { PATH: V('PATH') } },
  ],
  [
    'Codex, an address',
    { url: 'https://x.dev', bearer_token_env_var: 'TOKEN', http_headers: { A: 'b' }, env_http_headers: { C: 'D' } },
    { auth: { type: 'bearer', token: V('TOKEN') }, headers: { A: 'b', C: V('D') } },
  ],
  ['Codex, lists', { command: 'x', enabled_tools: ['a'], disabled_tools: ['b'] }, { include: ['a'], exclude: ['b'] }],
  ['Copilot', { type: 'local', command: 'x', tools: ['*'] }, { transport: 'stdio', include: null }],
  ['Zed', { command: { path: 'x', args: ['y'], env: { A: 'b' } } }, { command: 'x', args: ['y'], env: { A: 'b' } }],
  [
    'opencode',
    { type: 'local', command: ['x', 'y'], environment: { A: 'b' }, enabled: true },
    { command: 'x', args: ['y'], env: { A: 'b' } },
  ],
  ['an old name of the transport', { transport: 'websocket', url: 'https://x.dev' }, { transport: 'streamable-http' }],
  [
    'values without quotes',
    { command: 'x', env: { PORT: 8080, ON: true, NONE: null } },
    { env: { PORT: '8080', ON: 'true' } },
  ],
  [
    'our own words',
    {
      command: 'x',
      timeout_secs: 5,
      connect_timeout_secs: 6,
      max_concurrent_calls: 2,
      max_output_bytes: 2_000,
      max_message_bytes: 3_000,
      trust: 'ask',
      trust_hints: true,
      start: 'boot',
      prefix: '',
      include: ['a*'],
      exclude: ['b'],
      approve: ['c'],
    },
    {
      timeoutMs: 5_000,
      connectTimeoutMs: 6_000,
      maxConcurrentCalls: 2,
      maxOutputBytes: 2_000,
      maxMessageBytes: 3_000,
      trust: 'ask',
      trustHints: true,
      start: 'boot',
      prefix: '',
      include: ['a*'],
      exclude: ['b'],
      approve: ['c'],
    },
  ],
  [
    'our own auth, a token',
    { url: 'https://x.dev', auth: { type: 'bearer', token: V('T') } },
    { auth: { type: 'bearer', token: V('T') } },
  ],
  [
    'our own auth, a key',
    { url: 'https://x.dev', auth: { type: 'api_key', key: 'k' } },
    { auth: { type: 'api-key', key: 'k', header: 'X-API-Key' } },
  ],
  [
    'our own auth, headers',
    { url: 'https://x.dev', auth: { type: 'headers', headers: { A: 'b' } } },
    { auth: { type: 'headers', headers: { A: 'b' } } },
  ],
  [
    'our own auth, OAuth',
    {
      url: 'https://x.dev',
      auth: { type: 'oauth', client_id: 'i', client_secret: 's', scope: 'x', grant: 'client_credentials' },
    },
    { auth: { type: 'oauth', clientId: 'i', clientSecret: 's', scope: 'x', grant: 'client-credentials' } },
  ],
  ['an address with a variable', { url: `https://${V('HOST')}/mcp` }, { url: `https://${V('HOST')}/mcp` }],
])('%s', (_client, entry, expected) => {
  const { definition, problems } = readServerEntry(entry);
  expect(problems).toEqual([]);
  expect(definition).toMatchObject(expected);
});

it.each<[string, unknown, RegExp, boolean]>([
  ['no table', 'npx x', /must be a table/, false],
  ['nothing to start or reach', { args: ['x'] }, /needs "command" or "url"/, false],
  [
    'a transport that nobody knows',
    { type: 'pigeon', url: 'https://x.dev' },
    /"pigeon" is unknown; use stdio, sse/,
    false,
  ],
  ['an address that is none', { url: 'nowhere' }, /^url: /m, false],
  ['an address of another kind', { url: 'file:///etc/passwd' }, /^url: /m, false],
  ['a wrong kind of value', { command: 'x', args: 'y' }, /args: /, false],
  ['a name of the environment that is none', { command: 'x', env: { 'a b': 'c' } }, /env.*a b/, false],
  [
    'a key nobody knows',
    { command: 'x', colour: 'red', sound: 1 },
    /colour: is unknown and ignored\nsound: is unknown/,
    true,
  ],
  ['a file of variables', { command: 'x', envFile: '.env' }, /envFile: is not supported/, true],
  [
    'a question to a person',
    { url: 'https://x.dev', headers: { A: `Bearer \${input:my-token}` } },
    /headers\.A: asks the user for "my-token"; set the environment variable MY_TOKEN/,
    true,
  ],
  [
    'a folder that an editor knows',
    { command: 'x', args: [`\${workspaceFolder}`] },
    /args\.0: only an editor can fill in \$\{workspaceFolder\}/,
    true,
  ],
  ['tools that need no approval', { command: 'x', alwaysAllow: ['read', 'list'] }, /alwaysAllow: .*: read, list/, true],
  ['headers for a command', { command: 'x', headers: { A: 'b' } }, /headers: does not apply to a command/, true],
  ['arguments for an address', { url: 'https://x.dev', args: ['a'] }, /args: does not apply to a URL/, true],
])('says what is wrong: %s', (_what, entry, message, isUsable) => {
  const { definition, problems } = readServerEntry(entry);
  expect(problems.join('\n')).toMatch(message);
  expect(definition !== undefined).toBe(isUsable);
});

it('a prompt for the user becomes a variable', () => {
  const { definition } = readServerEntry({ url: 'https://x.dev', headers: { A: `Bearer \${input:my-token}` } });
  expect(definition).toMatchObject({ headers: { A: `Bearer ${V('MY_TOKEN')}` } });
});

it.each([
  [{ comand: 'node' }, 'needs "command" or "url" (comand: is unknown and ignored; did you mean "command"?)'],
  [{ command: 'node', timeout_secs: -4 }, 'timeout_secs: must be a number of seconds from 0.1 to 3600'],
  [{ command: 'node', startup_timeout_sec: 'x' }, 'startup_timeout_sec: must be a number of seconds from 0.1 to 600'],
  [{ command: 'node', max_output_bytes: 1 }, 'max_output_bytes: must be at least 1,000'],
  [{ command: 'node', timeout: -2 }, 'timeout: must be at least 100'],
  [{ url: 'nowhere' }, 'url: must be an address that begins with http:// or https://'],
  [{ url: 'https://a.example', auth: { type: 'key' } }, 'auth.type: must be one of bearer, api-key, headers and oauth'],
])('problems with %j use its own key names', (entry, sentence) => {
  expect(readServerEntry(entry).problems).toEqual([sentence]);
});
