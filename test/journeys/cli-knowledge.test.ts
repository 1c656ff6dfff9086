import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runZoo, startZoo, type ZooFolder, zooFolder } from '../support/run-zoo.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
  await write('docs/a.md', '# Alpha\nthe first word');
});
afterEach(() => folder[Symbol.asyncDispose]());

const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });
const docs = '[connectors.filesystem.docs]\nroot = "docs"\n';

async function write(name: string, text: string): Promise<void> {
  const file = join(folder.dir, name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
}

describe('zoo sync', () => {
  test.each([
    ['lacks its folder', '[connectors.filesystem.docs]\n', /zoo\.toml:1: connectors\.filesystem\.docs\.root: /],
    ['is of no type', '[connectors.folder.docs]\nroot = "docs"\n', /connectors\.folder: is not a type of connector/],
    ['has no name that can be used', '[connectors.filesystem."a b"]\nroot = "docs"\n', /the name of a source must be/],
  ])('fails when the only source %s, and does not say that there is none', async (_, config, why) => {
    await write('zoo.toml', config);
    const { code, stdout, stderr } = await zoo('sync');
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(why);
    expect(stdout).not.toContain('There is nothing to sync');
  });

  test('goes on after a source that fails, and says what is wrong once', async () => {
    await write('zoo.toml', `[connectors.git.rules]\nurl = "https://host.example/a.git"\nbranch = "--bad"\n${docs}`);
    const { code, stdout, stderr } = await zoo('sync');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^git:rules {2}failed .*\n {2}"--bad" cannot be .*\nfilesystem:docs {2}1 added/);
    expect(stderr).toBe('');
    expect((await zoo('sources')).stdout.match(/"--bad" cannot be/g)).toHaveLength(1);
  });

  test('without any source says how to add one', async () => {
    await write('zoo.toml', '');
    expect(await zoo('sync')).toMatchObject({ code: 0, stdout: expect.stringContaining('There is nothing to sync') });
  });
});

test('a source that the config no longer names is removed by hand, one that it names is not', async () => {
  await write('zoo.toml', docs);
  await zoo('sync');
  expect(await zoo('connector', 'remove', 'docs')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('stands in the config file'),
  });
  await write('zoo.toml', '');
  expect((await zoo('sources')).stdout).toContain('no longer configured ("zoo connector remove filesystem:docs")');
  expect(await zoo('connector', 'remove', 'filesystem:other')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There are: filesystem:docs.'),
  });
  expect((await zoo('search', 'alpha')).stdout).toContain('Alpha');
  expect(await zoo('connector', 'remove', 'filesystem:docs')).toMatchObject({
    code: 0,
    stdout: 'Removed: filesystem:docs, with 1 document\n',
  });
  expect((await zoo('search', 'alpha')).stdout).toContain('The knowledge base is empty.');
});

test('a search by meaning that finds nothing says when passages still wait for it', async () => {
  const dead =
    '[embedding]\nprovider = "openai-compatible"\nurl = "http://127.0.0.1:1/v1"\nmodel = "m"\nmax_retries = 0\n';
  await write('zoo.toml', docs + dead);
  await zoo('sync');
  const { stdout, stderr } = await zoo('search', 'elephants', '--mode', 'keyword');
  expect([stdout, stderr]).toEqual(['Nothing was found.\n', '']);
  expect((await zoo('search', 'elephants')).stderr).toContain('knows 0 of 1 passages. "zoo embed pending"');
});

test('zoo agent show of a script says how to see its prompt, not that it is empty', async () => {
  await zoo('agent', 'init', 'helper', '--lua');
  const { stdout, stderr } = await zoo('agent', 'show', 'helper');
  expect(stdout).toContain('Its prompt is made when it is asked for: zoo agent test helper');
  expect(stderr).toBe('');
  expect(JSON.parse((await zoo('agent', 'show', 'helper', '--json')).stdout)).toMatchObject({ compiledPrompt: null });
});

test('zoo serve --watch follows folders that the config names later', async () => {
  await write('zoo.toml', docs);
  await write('more/b.md', '# Beta\nthe second word');
  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0', '--watch'], { cwd: folder.dir });
  const [, url = ''] = await serving.says(/(http:\/\/127\.0\.0\.1:\d+)/);
  const titles = async () => {
    const body = JSON.stringify({ query: 'word' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/tools/search`, { method: 'POST', headers, body });
    const { result } = (await response.json()) as { result: { results: { title: string }[] } };
    return result.results.map(({ title }) => title).sort();
  };
  const patience = { timeout: 20_000, interval: 100 };
  await vi.waitFor(async () => expect(await titles()).toEqual(['Alpha']), patience);
  const config = await readFile(join(folder.dir, 'zoo.toml'), 'utf8');
  await write('zoo.toml', `${config}[connectors.filesystem.more]\nroot = "more"\n`);
  await vi.waitFor(async () => expect(await titles()).toEqual(['Alpha', 'Beta']), patience);
  await rm(join(folder.dir, 'more/b.md'));
  await vi.waitFor(async () => expect(await titles()).toEqual(['Alpha']), patience);
});
