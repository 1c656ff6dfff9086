import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';

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
    ['is of no type', '[connectors.folder.docs]\nroot = "docs"\n', /connectors\.folder: is not a connector type/],
    ['has no name that can be used', '[connectors.filesystem."a b"]\nroot = "docs"\n', /a source name must have/],
  ])('fails if the only source %s, and does not claim that there is none', async (_, config, why) => {
    await write('zoo.toml', config);
    const { code, stdout, stderr } = await zoo('sync');
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(why);
    expect(stdout).not.toContain('You have no sources yet');
  });

  test('continues after a source that fails, and reports the error once', async () => {
    await write('zoo.toml', `[connectors.git.rules]\nurl = "https://host.example/a.git"\nbranch = "--bad"\n${docs}`);
    const { code, stdout, stderr } = await zoo('sync');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^sync git:rules\n[\s\S]*\n {2}"--bad" is not a valid .*\nfailed\nsync filesystem:docs\n[\s\S]*\n {2}1 added .*\nok\n$/,
    );
    expect(stderr).toBe('');
    expect((await zoo('sources')).stdout.match(/"--bad" is not a valid/g)).toHaveLength(1);
  });

  test('removes files that ignore rules or secret names exclude now, reports them, and explains each', async () => {
    await write('zoo.toml', docs);
    await write('docs/drafts/b.md', 'second');
    await write('docs/c.md', 'third');
    expect((await zoo('sync')).stdout).toContain('3 added');
    await write('docs/.gitignore', 'drafts/\n/c.md\n');
    await write('docs/credentials.json', '{"token":"x"}');
    const { code, stdout } = await zoo('sync');
    expect(code).toBe(0);
    expect(stdout).toContain('2 removed');
    expect(stdout).toContain('removed although the file exists: 2 documents hidden by ignore files');
    expect(stdout).toMatch(/skipped: .*1 file and 1 folder hidden by ignore files/);
    expect(stdout).toContain('1 file with a name that suggests a secret');
    expect((await zoo('sync', '--explain', 'docs/c.md')).stdout).toContain('the rule "/c.md" in .gitignore, line 2');
    expect((await zoo('sync', '--explain', 'credentials.json')).stdout).toContain('a name typical of secrets');
    expect((await zoo('sync', '--explain', 'docs/a.md')).stdout).toBe('filesystem:docs  a.md is indexed.\n');
    const json = await zoo('sync', 'filesystem:docs', '--explain', 'docs/a.md', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ explanations: [{ source: 'filesystem:docs', isTaken: true }] });
    expect(await zoo('sync', '--explain', 'docs/none.md')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/There is no file/),
    });
  });

  test('a folder that is suddenly empty keeps its documents and fails, until that is allowed', async () => {
    await write('zoo.toml', docs);
    await zoo('sync');
    await rm(join(folder.dir, 'docs/a.md'));
    const { code, stdout } = await zoo('sync');
    expect(code).toBe(1);
    expect(stdout).toContain('The document from the last sync was kept.');
    expect((await zoo('search', 'first')).stdout).toContain('Alpha');
    await rm(join(folder.dir, 'docs'), { recursive: true });
    expect(await zoo('sync', '--allow-empty')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/does not exist/),
    });
    await mkdir(join(folder.dir, 'docs'));
    expect(await zoo('sync', '--allow-empty')).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 removed/) });
  });

  test('a script that fails or returns nothing keeps its documents', async () => {
    await write('zoo.toml', '[connectors.script.tickets]\npath = "tickets.lua"\n');
    const script = (body: string) =>
      write('tickets.lua', `connector = {}\nfunction connector.scan(config)\n${body}\nend\n`);
    await script('return { { source_id = "1", body = "a ticket about refunds" } }');
    expect((await zoo('sync')).stdout).toContain('1 added');
    for (const [body, why] of [
      ['error("the token ran out")', /the token ran out/],
      ['return {}', /The scan found nothing\. The document from the last sync was kept/],
      ['return { items = {} }', /The scan found nothing/],
      ['return nil', /must return a list/],
    ] as const) {
      await script(body);
      expect(await zoo('sync')).toMatchObject({ code: 1, stdout: expect.stringMatching(why) });
      expect((await zoo('search', 'refunds')).stdout).toContain('script:tickets');
    }
    await script('return {}');
    expect(await zoo('sync', '--allow-empty')).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 removed/) });
  });

  test('without any source says how to add one', async () => {
    await write('zoo.toml', '');
    expect(await zoo('sync')).toMatchObject({ code: 0, stdout: expect.stringContaining('You have no sources yet') });
  });
});

test('zoo get prints a whole document, or the part that is asked for and how to read on', async () => {
  await write('zoo.toml', docs);
  await write('docs/long.md', `# Long\n${'a line of text\n'.repeat(6_000)}`);
  await zoo('sync');
  const [found] = JSON.parse((await zoo('search', 'long', '--json')).stdout);
  expect((await zoo('get', found.id)).stdout).toBe(await readFile(join(folder.dir, 'docs/long.md'), 'utf8'));
  expect(await zoo('get', found.id, '--lines', '1-2')).toMatchObject({
    stdout: '# Long\na line of text\n',
    stderr: '',
  });
  expect(await zoo('get', found.id, '--max-bytes', '30')).toMatchObject({
    stdout: '# Long\na line of text\n',
    stderr: expect.stringContaining(`call get with {"id":"${found.id}","lines":"3-"}`),
  });
  expect(JSON.parse((await zoo('get', found.id, '--passage', '1', '--json')).stdout)).toMatchObject({
    next: { id: found.id, passage: 2 },
  });
  expect(await zoo('get', found.id, '--lines', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('lines'),
  });
});

test('a source that the config no longer names is removed by hand, one that it names is not', async () => {
  await write('zoo.toml', docs);
  await zoo('sync');
  expect(await zoo('connector', 'remove', 'docs')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is defined in the config file'),
  });
  await write('zoo.toml', '');
  expect((await zoo('sources')).stdout).toContain(
    'no longer configured (remove it with "zoo connector remove filesystem:docs")',
  );
  expect(await zoo('connector', 'remove', 'filesystem:other')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Available: filesystem:docs.'),
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
  expect([stdout, stderr]).toEqual(['No passages found.\n', '']);
  expect((await zoo('search', 'elephants')).stderr).toContain(
    'Only 0 of 1 passages are embedded. Run "zoo embed pending"',
  );
});

test('zoo agent show of a script says how to see its prompt, not that it is empty', async () => {
  await zoo('agent', 'init', 'helper', '--lua');
  const { stdout, stderr } = await zoo('agent', 'show', 'helper');
  expect(stdout).toContain('The prompt is built on request. To see it: zoo agent test helper');
  expect(stderr).toBe('');
  expect(JSON.parse((await zoo('agent', 'show', 'helper', '--json')).stdout)).toMatchObject({ compiledPrompt: null });
});

test('zoo serve --watch follows folders that the config names later', async () => {
  await write('zoo.toml', docs);
  await write('more/b.md', '# Beta\nthe second word');
  await write('more/stays.md', '# Stays');
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
