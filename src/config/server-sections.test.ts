import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configDocument } from './config-document.ts';
import { loadConfig } from './load-config.ts';
import { serverSections } from './server-sections.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'zoo-servers-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function read(text: string) {
  await writeFile(join(dir, 'zoo.toml'), text);
  const loaded = await loadConfig({
    explicitFile: 'zoo.toml',
    cwd: dir,
    home: dir,
    env: { TOKEN: 'the-value-of-it' },
  });
  return serverSections(configDocument({ loaded, watch: false })).current();
}

test('both tables are read as written, with variables unresolved', async () => {
  const text = `[mcp_servers.api]\nurl = "https://example.com/mcp"\nauth = { type = "bearer", token = "\${TOKEN}" }
[mcpServers.files]\ncommand = "node"\nargs = ["server.js"]\ncwd = "tools"`;
  expect(await read(text)).toEqual({
    servers: [
      {
        name: 'api',
        definedIn: 'zoo.toml [mcp_servers.api]',
        file: 'zoo.toml',
        lines: { '': 1, url: 2, auth: 3 },
        raw: { url: 'https://example.com/mcp', auth: { type: 'bearer', token: `\${TOKEN}` } },
      },
      {
        name: 'files',
        definedIn: 'zoo.toml [mcpServers.files]',
        file: 'zoo.toml',
        lines: { '': 4, command: 5, args: 6, cwd: 7 },
        raw: { command: 'node', args: ['server.js'], cwd: join(dir, 'tools') },
      },
    ],
    problems: [],
  });
});

test('a server without a folder runs in the folder of the config', async () => {
  const { servers } = await read('[mcp_servers.files]\ncommand = "node"');
  expect(servers).toMatchObject([{ raw: { cwd: dir } }]);
});

test('a value that is not a table, or a server in both tables, is a problem that does not affect the others', async () => {
  const { servers, problems } = await read(
    '[mcp_servers]\nbroken = 3\n[mcp_servers.a]\ncommand = "x"\n[mcpServers.a]\ncommand = "y"',
  );
  expect(servers).toMatchObject([{ name: 'a', raw: { command: 'x' } }]);
  expect(problems?.map(({ message }) => message)).toEqual([
    'zoo.toml [mcp_servers.broken]: expected a table with "command" or "url".',
    'zoo.toml [mcpServers.a]: [mcp_servers.a] defines the same server. This section is ignored.',
  ]);
});

test('an unset variable affects only its server; elsewhere it is an error', async () => {
  const server = `[mcp_servers.api]\nurl = "https://example.com/mcp"\nheaders = { "X-Key" = "\${MISSING}" }`;
  const { servers } = await read(server);
  expect(servers).toMatchObject([{ raw: { headers: { 'X-Key': `\${MISSING}` } } }]);
  await expect(read(`${server}\n[server]\nbind = "\${MISSING}"`)).rejects.toThrow(
    'zoo.toml:5: server.bind: the environment variable MISSING is not set.',
  );
});
