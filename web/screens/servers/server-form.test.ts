import { describe, expect, it } from 'vitest';
import { ServerDefinition, type ServerDefinitionInput } from '../../../src/servers/server-definition.ts';
import { checkForm, checkServerName, newForm, type ServerForm, suggestServerName, toForm } from './server-form.ts';

const definitions: ServerDefinitionInput[] = [
  { transport: 'stdio', command: 'npx', args: ['-y', 'a server', "it's"], env: { KEY: '$' + '{KEY}' }, cwd: '/srv' },
  {
    transport: 'stdio',
    command: 'C:\\tools\\x.exe',
    prefix: '',
    include: ['read_*'],
    exclude: ['a', 'b'],
    approve: [],
    trust: 'ask',
    trustHints: true,
    start: 'boot',
    timeoutMs: 1_500,
    maxConcurrentCalls: 2,
    enabled: false,
  },
  {
    transport: 'sse',
    url: 'https://a.example/sse',
    headers: { 'X-Team': 'zoo' },
    auth: { type: 'bearer', token: 't' },
  },
  { transport: 'streamable-http', url: 'http://a', auth: { type: 'api-key', key: '••••••••', header: 'X-Key' } },
  { transport: 'streamable-http', url: 'http://a', auth: { type: 'headers', headers: { A: '1', B: '2' } } },
  { transport: 'streamable-http', url: 'http://a', auth: { type: 'oauth', clientId: 'c', scope: 'read write' } },
  { transport: 'streamable-http', url: 'http://a', auth: { type: 'oauth', allowHosts: ['sso.corp', '10.0.0.5:8080'] } },
  { transport: 'streamable-http', url: 'http://a', approve: ['delete_*'], prefix: 'gh_' },
];

const form = (change: Partial<ServerForm>, transport: 'stdio' | 'streamable-http' = 'stdio') =>
  checkForm({ ...newForm(transport), ...change });

describe('the server form', () => {
  it.each(definitions)('keeps every field of %j', (input) => {
    const definition = ServerDefinition.parse(input);
    expect(checkForm(toForm(definition))).toEqual({ ok: true, definition });
  });

  it('reads variables before the command; the table overrides them', () => {
    expect(form({ commandLine: 'A=1 B=2 server', env: [{ id: 0, name: 'B', value: '3' }] })).toMatchObject({
      definition: { command: 'server', env: { A: '1', B: '3' } },
    });
  });

  it.each([
    [{ commandLine: '' }, 'commandLine', 'Enter the command that starts the server.'],
    [{ commandLine: 'x', env: [{ id: 0, name: '', value: 'v' }] }, 'env', 'Enter a name for each value.'],
    [
      { commandLine: 'x', env: [{ id: 0, name: 'A-B', value: 'v' }] },
      'env',
      'Use letters, digits and _ in names. Do not start with a digit.',
    ],
    [{ commandLine: 'x', timeoutSeconds: 'soon' }, 'timeoutSeconds', 'Enter a number of seconds, such as 30.'],
    [{ commandLine: 'x', prefix: 'a b' }, 'prefix', 'Must be at most 40 characters from A–Z a–z 0–9 _ . -.'],
  ] as const)('reports the problem with the command form %j', (change, field, problem) => {
    expect(form(structuredClone(change) as unknown as Partial<ServerForm>)).toMatchObject({
      ok: false,
      problems: { [field]: problem },
    });
  });

  it.each([
    [{ url: '' }, 'url', 'Enter a URL.'],
    [{ url: 'ftp://x' }, 'url', 'A URL must start with http:// or https://.'],
    [{ url: 'http://x', auth: 'bearer' }, 'token', 'Enter a token.'],
    [
      { url: 'http://x', auth: 'api-key', key: 'k', keyHeader: 'a b' },
      'keyHeader',
      'Must be the name of an HTTP header.',
    ],
  ] as const)('reports the problem with the URL form %j', (change, field, problem) => {
    expect(form({ ...change }, 'streamable-http')).toMatchObject({ ok: false, problems: { [field]: problem } });
  });
});

describe('suggestServerName', () => {
  it.each([
    ['npx -y @modelcontextprotocol/server-filesystem /home/ada', 'filesystem'],
    ['npx -y @modelcontextprotocol/server-memory@2026.1.1', 'memory'],
    ['node node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'everything'],
    ['uvx mcp-server-git --repository .', 'git'],
    ['docker run -i --rm ghcr.io/github/github-mcp-server', 'github'],
    ['"/opt/my tools/weather.py"', 'weather'],
    ['', ''],
  ])('of %s is %s', (commandLine, name) => {
    expect(suggestServerName({ ...newForm('stdio'), commandLine })).toBe(name);
  });

  it.each([
    ['https://mcp.linear.app/sse', 'linear'],
    ['https://api.githubcopilot.com/mcp', 'githubcopilot'],
    ['http://localhost:3000/mcp', 'localhost'],
    ['http://127.0.0.1:3000/mcp', ''],
    ['not yet', ''],
  ])('of %s is %s', (url, name) => {
    expect(suggestServerName({ ...newForm('streamable-http'), url })).toBe(name);
  });
});

it('a name must be free and valid in tool names', () => {
  expect(checkServerName('files', [])).toBeNull();
  expect(checkServerName('', [])).toBe('Enter a name.');
  expect(checkServerName('files', ['files'])).toBe('A server named “files” already exists.');
  expect(checkServerName('a__b', [])).toBe('The name must not contain "__".');
  expect(checkServerName('-x', [])).toContain('start and end with a letter or digit');
});
