import { expect, it } from 'vitest';
import { readClientConfig } from './read-client-config.ts';

const entry = '{"command":"node","args":["a,]b // no comment"]}';

it.each([
  ['Claude, Cursor', `{"mcpServers":{"files":${entry}}}`],
  ['VS Code', `{"servers":{"files":${entry}},"inputs":[]}`],
  ['settings of VS Code', `{"editor.tabSize":2,"mcp":{"servers":{"files":${entry}}}}`],
  ['settings of VS Code with a dotted key', `{"mcp.servers":{"files":${entry}}}`],
  ['Zed', `{"context_servers":{"files":${entry}}}`],
  ['opencode', `{"mcp":{"files":${entry}}}`],
  ['what is inside', `{"files":${entry}}`],
  ['what is inside, without braces', `"files": ${entry},`],
  [
    'comments and commas too many',
    `\ufeff// mine\n{"mcpServers":{/* all, */"files":{"command":"node",\n"args":["a,]b // no comment",],},},\n}`,
  ],
])('%s', (_client, text) => {
  const { servers, problems } = readClientConfig(text);
  expect(problems).toEqual([]);
  expect(servers).toMatchObject([
    { name: 'files', definition: { transport: 'stdio', command: 'node', args: ['a,]b // no comment'] } },
  ]);
});

it.each([
  ['{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem@1.2","/tmp"]}', 'filesystem'],
  ['{"command":"uvx","args":["mcp-server-git"]}', 'git'],
  ['{"command":"/usr/bin/weather.sh"}', 'weather'],
  ['{"url":"https://mcp.linear.app/sse"}', 'linear'],
  ['{"name":"mine","url":"https://x.dev"}', 'mine'],
])('a single server, %s, is named %s', (text, name) => {
  expect(readClientConfig(text).servers.map((server) => server.name)).toEqual([name]);
});

it('invalid names are adapted and stay distinct', () => {
  const text = `{"mcpServers":{"My Server":${entry},"My  Server":${entry},"a__b":${entry},"mail":${entry},"ÄÖ!":${entry},"☃":${entry}}}`;
  const { servers, problems } = readClientConfig(text);
  expect(servers.map(({ name }) => name)).toEqual(['My-Server', 'My-Server-2', 'a_b', 'mail-server', 'AO', 'server']);
  expect(problems.map(({ name }) => name)).toEqual(['My Server', 'My  Server', 'a__b', 'mail', 'ÄÖ!', '☃']);
});

it('an unusable entry does not affect the others', () => {
  const { servers, problems } = readClientConfig(`{"mcpServers":{"bad":{},"files":${entry}}}`);
  expect(servers.map(({ name }) => name)).toEqual(['files']);
  expect(problems).toEqual([{ name: 'bad', message: 'needs "command" or "url".' }]);
});

it.each([
  ['no JSON', 'command = "x"', /not valid JSON/],
  ['a list', '[]', /must be a JSON object/],
  ['nothing', '{}', /contains no servers/],
  ['a key that would change prototypes', '{"mcpServers":{"__proto__":{"command":"x"}}}', /__proto__/],
  ['too deep', `{"mcpServers":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`, /nested deeper/],
])('says what is wrong with %s', (_what, text, message) => {
  const { servers, problems } = readClientConfig(text);
  expect(servers).toEqual([]);
  expect(problems[0]?.message).toMatch(message);
});

it('unbalanced text is read quickly', () => {
  for (const text of [
    `{"${'a'.repeat(1_000_000)}`,
    '/*'.repeat(500_000),
    `{${' ,'.repeat(500_000)}`,
    '"\\'.repeat(300_000),
  ]) {
    const begun = performance.now();
    readClientConfig(text);
    // Quadratic reading would take minutes; a busy machine needs a second or two.
    expect(performance.now() - begun).toBeLessThan(20_000);
  }
});
