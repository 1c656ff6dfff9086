import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServerInfo } from '../../src/servers/servers.ts';
import { runZoo, type ZooFolder, zooFolder, zooScript } from '../support/command/run-zoo.ts';
import { npmServer } from '../support/servers/npm-servers.ts';

/** `outer` uses `zoo mcp` of `middle`, which uses `zoo mcp` of `inner`, which uses a server from npm. */
const folders: Record<'inner' | 'middle' | 'outer', ZooFolder | undefined> = {
  inner: undefined,
  middle: undefined,
  outer: undefined,
};
type HubName = keyof typeof folders;

function dirOf(hub: HubName): string {
  return folders[hub]?.dir ?? '';
}

async function zoo(hub: HubName, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runZoo(args, { cwd: dirOf(hub) });
  if (code !== 0) throw new Error(`zoo ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

const servers = { inner: 'files', middle: 'a-hub-in-the-middle', outer: 'the-outermost-of-hubs' } as const;

const known = new Map<HubName, Promise<Map<string, string>>>();

/** Returns the tools of the hub's external server: remote and local names. */
function toolsOf(hub: HubName): Promise<Map<string, string>> {
  const tools = known.get(hub) ?? readTools(hub);
  known.set(hub, tools);
  return tools;
}

async function readTools(hub: HubName): Promise<Map<string, string>> {
  const { tools } = JSON.parse(await zoo(hub, 'mcp-server', 'show', servers[hub], '--json')) as ServerInfo;
  expect(tools.filter(({ status }) => status !== 'active')).toEqual([]);
  return new Map(tools.map(({ remoteName, localName }) => [remoteName, localName]));
}

function addHub(to: HubName, hub: HubName): Promise<string> {
  const dir = dirOf(hub);
  const env = [`HOME=${dir}`, `AGENT_ZOO_HOME=${join(dir, 'home')}`].flatMap((each) => ['-e', each]);
  return zoo(to, 'mcp-server', 'add', servers[to], ...env, '--cwd', dir, '--', process.execPath, zooScript, 'mcp');
}

beforeAll(async () => {
  for (const hub of Object.keys(folders) as HubName[]) folders[hub] = await zooFolder();
  await writeFile(join(dirOf('inner'), 'note.txt'), 'written at the bottom');
  const files = [process.execPath, npmServer('filesystem'), dirOf('inner')];
  await zoo('inner', 'mcp-server', 'add', servers.inner, '--', ...files);
  await addHub('middle', 'inner');
  await addHub('outer', 'middle');
});
afterAll(async () => {
  for (const folder of Object.values(folders)) await folder?.[Symbol.asyncDispose]();
});

it('every tool of the innermost server is available three hubs further out, under a unique short name', async () => {
  const [inner, middle, outer] = [await toolsOf('inner'), await toolsOf('middle'), await toolsOf('outer')];
  expect(inner.size).toBeGreaterThan(10);
  for (const name of inner.values()) expect(outer.get(middle.get(name) ?? '')).toBeDefined();
  // The hubs' own tools are included.
  expect(outer.size).toBeGreaterThan(inner.size + 10);
  const names = [...outer.values()];
  expect(names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))).toEqual([]);
  expect(names.filter((name) => name.length === 64).length).toBeGreaterThan(0);
  expect(new Set(names).size).toBe(names.length);
});

/** Returns the outermost hub's name for a tool of the innermost server. */
async function outerName(tool: string): Promise<string> {
  const [inner, middle, outer] = [await toolsOf('inner'), await toolsOf('middle'), await toolsOf('outer')];
  return outer.get(middle.get(inner.get(tool) ?? '') ?? '') ?? '';
}

it('a call goes through all hubs, and each logs it', async () => {
  const name = await outerName('read_text_file');
  const path = join(dirOf('inner'), 'note.txt');
  expect(await zoo('outer', 'tool', 'call', name, '--json-input', JSON.stringify({ path }))).toContain(
    'written at the bottom',
  );
  for (const hub of Object.keys(folders) as HubName[]) {
    const log = await zoo(hub, 'log', '--json');
    expect(log, hub).toContain('written at the bottom');
  }
});

it("an error at the bottom is an error at the top, with the server's message", async () => {
  const name = await outerName('read_text_file');
  const input = JSON.stringify({ path: join(dirOf('inner'), 'none.txt') });
  const { code, stdout } = await runZoo(['tool', 'call', name, '--json-input', input], { cwd: dirOf('outer') });
  expect(code).toBe(1);
  expect(stdout).toContain('ENOENT');
});

it('no process is left running', async () => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const at = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  const left = at.filter((cwd) => Object.values(folders).some((folder) => folder && cwd.startsWith(folder.dir)));
  expect(left).toEqual([]);
});
