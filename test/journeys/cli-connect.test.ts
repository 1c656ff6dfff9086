import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { connectV1 } from '../support/clients/mcp-clients.ts';
import { type RunningZoo, runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

let folder: ZooFolder;
let served: RunningZoo;
let url: string;

beforeAll(async () => {
  folder = await zooFolder();
  served = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir });
  [, url = ''] = await served.says(/Web app\s+(http:\S+)/);
  url = new URL(url).origin;
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });
const connect = (...args: string[]) => zoo('connect', ...args, '--bind', new URL(url).host);
const pathOf = (name: string) => join(folder.dir, name);
const secretIn = (text: string) => /zoo_client_[\w-]{43}/.exec(text)?.[0] ?? '';

async function put(name: string, text: string): Promise<string> {
  await mkdir(dirname(pathOf(name)), { recursive: true });
  await writeFile(pathOf(name), text);
  return pathOf(name);
}

async function toolsWith(token: string): Promise<string[]> {
  const client = await connectV1({ url: `${url}/mcp`, token });
  const names = await client.toolNames();
  await client.close();
  return names;
}

test('without a client, the clients and their config files are listed', async () => {
  const { stdout, code } = await zoo('connect');
  expect(code).toBe(0);
  expect(stdout).toMatch(/claude-code +Claude Code +– +~\/\.claude\.json/);
  expect(stdout).toMatch(/codex +Codex +– +~\/\.codex\/config\.toml/);
  expect((await zoo('connect', '--write')).stderr).toContain('Name the client to write to');
  expect((await zoo('connect', 'curser')).stderr).toContain('Did you mean "cursor"?');
  expect((await zoo('connect', 'cursor', '--agent', 'nobody')).stderr).toContain('There is no agent "nobody"');
});

test('a snippet has a fresh key, with which a real client connects', async () => {
  const { stdout, code } = await connect('claude');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /claude mcp add --scope user --transport http agent-zoo http:\S+\/mcp --header 'Authorization: Bearer zoo_client_/,
  );
  expect(await toolsWith(secretIn(stdout))).toContain('agent_zoo_inject');
  const keys = JSON.parse((await zoo('key', 'list', '--json')).stdout);
  expect(keys).toEqual([
    expect.objectContaining({ name: 'Claude Code', agentId: null, lastUsedAt: expect.any(String) }),
  ]);
  expect((await zoo('connect')).stdout).toMatch(/claude-code +Claude Code +20\d\d-/);
});

const header = /Bearer zoo_client_[\w-]{43}/;
const servers = (entry: object) => ({ 'agent-zoo': entry });
const cases: [
  client: string,
  file: string,
  before: string,
  read: (text: string) => unknown,
  (url: string) => object,
][] = [
  [
    'claude',
    '.claude.json',
    '{\n  "numStartups": 7,\n  "mcpServers": {\n    "a": { "command": "b" }\n  }\n}\n',
    (text) => JSON.parse(text).mcpServers,
    (address) => servers({ type: 'http', url: address, headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'cursor',
    '.cursor/mcp.json',
    '{\n  // mine\n  "mcpServers": {},\n}\n',
    (text) => JSON.parse(text.replace('// mine', '').replace(/,\s*}\s*$/, '}')).mcpServers,
    (address) => servers({ url: address, headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'vscode',
    '.config/Code/User/mcp.json',
    '{\n\t"servers": {}\n}\n',
    (text) => JSON.parse(text).servers,
    (address) => servers({ type: 'http', url: address, headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'codex',
    '.codex/config.toml',
    '# mine\nmodel = "x"\n\n[mcp_servers.a]\ncommand = "b"\n',
    (text) => parseToml(text).mcp_servers,
    (address) => servers({ url: address, http_headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'gemini',
    '.gemini/settings.json',
    '{ "theme": "dark" }\n',
    (text) => JSON.parse(text).mcpServers,
    (address) => servers({ httpUrl: address, headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'opencode',
    '.config/opencode/opencode.json',
    '{\n  "$schema": "x"\n}\n',
    (text) => JSON.parse(text).mcp,
    (address) =>
      servers({
        type: 'remote',
        url: address,
        enabled: true,
        headers: { Authorization: expect.stringMatching(header) },
      }),
  ],
  [
    'lm-studio',
    '.lmstudio/mcp.json',
    '{\n  "mcpServers": {}\n}\n',
    (text) => JSON.parse(text).mcpServers,
    (address) => servers({ url: address, headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'goose',
    '.config/goose/config.yaml',
    'GOOSE_MODEL: x # mine\nextensions:\n  a:\n    enabled: true\n',
    (text) => parseYaml(text).extensions,
    (address) =>
      servers({ type: 'streamable_http', uri: address, headers: { Authorization: expect.stringMatching(header) } }),
  ],
  [
    'claude-desktop',
    '.config/Claude/claude_desktop_config.json',
    '{}\n',
    (text) => JSON.parse(text).mcpServers,
    () => servers({ command: expect.any(String), args: expect.arrayContaining(['mcp']) }),
  ],
];

test.each(cases)(
  '%s: the entry is written into its config, and the rest stays as it was',
  async (client, name, before, read, expected) => {
    const path = await put(name, before);
    await chmod(path, 0o644);
    const { stdout, stderr, code } = await connect(client, '--write');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Wrote the server "agent-zoo" to ~/${name}`);
    const after = await readFile(path, 'utf8');
    expect(stdout).not.toContain(secretIn(after) || 'zoo_client_');
    expect(read(after)).toMatchObject(expected(`${url}/mcp`));
    expect((await stat(path)).mode & 0o777).toBe(0o644);
    for (const line of before.split('\n').filter((each) => /mine|theme|numStartups|model|schema|command/.test(each)))
      expect(after).toContain(line.replace(/ \}$/, ''));
  },
);

test('a client of one agent gets a key for this agent only', async () => {
  await zoo('agent', 'new', 'Night Watch', '--template', 'code-reviewer');
  const { stdout, code } = await connect('codex', '--agent', 'night-watch');
  expect(code).toBe(0);
  expect(stdout).toContain(`[mcp_servers.agent-zoo-night-watch]\nurl = "${url}/mcp?agent=night-watch"\n`);
  const keys = JSON.parse((await zoo('key', 'list', '--json')).stdout);
  expect(keys.at(-1)).toMatchObject({ name: 'Codex', agentId: 'night-watch' });
});

test('an entry of ours is replaced, and the key in it is revoked', async () => {
  const path = pathOf('.lmstudio/mcp.json');
  await writeFile(path, '');
  const first = await connect('lm-studio', '--write');
  const old = secretIn(await readFile(path, 'utf8'));
  expect(first.stdout).toContain('with a new key called "LM Studio"');
  expect(await toolsWith(old)).toContain('agent_zoo_inject');
  const second = await connect('lm-studio', '--write');
  expect(second.stdout).toContain('The old key "LM Studio" no longer works.');
  const now = secretIn(await readFile(path, 'utf8'));
  expect(now).not.toBe(old);
  expect(await toolsWith(now)).toContain('agent_zoo_inject');
  await expect(toolsWith(old)).rejects.toThrow(/not valid/);
});

test('a config that cannot be parsed, or has such a server for another address, is left alone and no key is made', async () => {
  const count = async () => JSON.parse((await zoo('key', 'list', '--json')).stdout).length;
  const keys = await count();
  const path = await put('.cursor/mcp.json', '{ "mcpServers": ');
  const broken = await connect('cursor', '--write');
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringContaining('~/.cursor/mcp.json, line 1, is not valid JSON. Nothing was changed.'),
  ]);
  expect(await readFile(path, 'utf8')).toBe('{ "mcpServers": ');
  const other = '{ "mcpServers": { "agent-zoo": { "url": "https://zoo.example.com/mcp" } } }';
  await put('.cursor/mcp.json', other);
  const taken = await connect('cursor', '--write');
  expect([taken.code, taken.stderr]).toEqual([
    1,
    expect.stringContaining('is for another address, https://zoo.example.com/mcp'),
  ]);
  expect(await readFile(path, 'utf8')).toBe(other);
  expect(await count()).toBe(keys);
});
