import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { makeCtxDatabase } from '../support/knowledge/ctx-database.ts';
import { startS3Server } from '../support/servers/s3-server.ts';

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

async function write(name: string, text: string): Promise<string> {
  const file = join(folder.dir, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** Runs `zoo` as in a folder of the user: the config is found, not named. */
const zoo = (...words: string[]) => runZoo(words, { cwd: folder.dir, isUntrusted: true });
const trusted = async (...words: string[]) => {
  await zoo('trust', '--yes');
  return zoo(...words);
};

const docs = '[connectors.filesystem.docs]\nroot = "./docs"\ninclude_globs = ["**/*.md"]\n';
const usual = `[db]\npath = ".ctx/data/ctx.sqlite"\n\n[chunking]\nmax_tokens = 700\n\n[retrieval]\nfinal_limit = 12\n\n[server]\nbind = "127.0.0.1:7331"\n\n${docs}`;

describe('a used folder', () => {
  test.each([
    ['closed', true],
    ['still open in ctx', false],
  ])('a ctx.toml with a used database (%s) opens, and the database stays as it is', async (_name, isClosed) => {
    await write('ctx.toml', usual);
    await write('docs/guide.md', '# Guide\n\nDrain the queue first.\n');
    const file = join(folder.dir, '.ctx/data/ctx.sqlite');
    using database = makeCtxDatabase(file);
    if (isClosed) database.close();
    const before = hashesIn(dirname(file));

    const first = await trusted('sync', 'all');
    expect(first).toMatchObject({ code: 0 });
    expect(first.stderr).toBe(
      'zoo: .ctx/data/ctx.sqlite is a database of Context Harness and stays unchanged. Agent Zoo keeps its data beside it, in .ctx/data/ctx-zoo.sqlite. Run "zoo sync" to index the documents of your sources.\n',
    );
    const found = await zoo('search', 'drain the queue');
    expect(found).toMatchObject({ code: 0, stderr: '' });
    expect(found.stdout).toContain('Guide');
    expect(hashesIn(dirname(file))).toEqual(before);
    expect((await zoo('status')).stdout).toContain('ctx-zoo.sqlite');
  });

  test.each(['.ctx/config.toml', 'config/ctx.toml'])(
    'zoo init next to %s keeps its agents and sources',
    async (name) => {
      await write(
        name,
        `${usual}\n[agents.inline.reviewer]\ndescription = "Reviews"\ntools = []\nsystem_prompt = "Review."\n`,
      );
      const text = readFileSync(join(folder.dir, name), 'utf8');
      await zoo('trust', '--yes');
      for (const round of ['first', 'second']) {
        const { code, stdout } = await zoo('init');
        expect({ round, code }).toEqual({ round, code: 0 });
        expect(stdout).toContain(`${name} already exists. It was not changed.`);
        expect(stdout).toContain('Database initialized: .ctx/data/ctx.sqlite');
      }
      expect(existsSync(join(folder.dir, 'zoo.toml'))).toBe(false);
      expect(readFileSync(join(folder.dir, name), 'utf8')).toBe(text);
      expect((await zoo('agent', 'list')).stdout).toContain('reviewer');
      expect((await zoo('sources')).stdout).toContain('filesystem:docs');
    },
  );

  test('a second zoo init in a new folder is not an error, and changes nothing', async () => {
    expect((await zoo('init')).stdout).toMatch(/^Created: zoo\.toml\n/);
    const text = await write('zoo.toml', '[agents.mine]\nsystem_prompt = "Mine."\n');
    expect(await zoo('init')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('zoo.toml already exists. It was not changed.'),
    });
    expect(readFileSync(text, 'utf8')).toContain('Mine.');
  });

  test('--config is accepted before the command, behind it, and by init', async () => {
    await write('demo/config/ctx.toml', usual.replace('./docs', './demo/docs').replace('.ctx/data', './demo/data'));
    await write('demo/docs/guide.md', '# Guide\n\nDrain the queue first.\n');
    const config = 'demo/config/ctx.toml';
    expect(await zoo('--config', config, 'init')).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(folder.dir, 'demo/data/ctx.sqlite'))).toBe(true);
    expect(await zoo(`--config=${config}`, 'sync', 'filesystem')).toMatchObject({ code: 0, stderr: '' });
    const searches = [
      ['--config', config, 'search', 'drain'],
      ['search', 'drain', '--config', config],
      ['-c', config, 'search', 'drain'],
    ];
    for (const words of searches) expect((await zoo(...words)).stdout).toContain('Guide');
    expect(await zoo('--config', config, 'agent', 'list')).toMatchObject({ code: 0 });
    expect((await zoo('--config', config, '--help')).stdout).toContain('Usage: zoo');
    expect((await zoo('--config', config, 'snyc')).stderr).toContain('Did you mean "zoo sync"?');
    expect((await zoo('--config', 'nowhere.toml', 'sync')).stderr).toContain(
      'nowhere.toml (from --config) does not exist',
    );
  });

  test('zoo init --config writes a config that is not there yet', async () => {
    expect(await zoo('init', '--config', 'conf/mine.toml')).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder.dir, 'conf/mine.toml'), 'utf8')).toContain('[server]');
    expect(existsSync(join(folder.dir, 'zoo.toml'))).toBe(false);
  });
});

describe('limits and settings', () => {
  test('settings outside our ranges are clamped with a warning, and every command works', async () => {
    const text = usual
      .replace('max_tokens = 700', 'max_tokens = 20000')
      .replace(
        'final_limit = 12',
        'final_limit = 500\ncandidate_k_keyword = 5000\ncandidate_k_vector = 0\ngroup_by = "document"\ndoc_agg = "max"\nmax_chunks_per_doc = 3',
      );
    await write('ctx.toml', text);
    await write('docs/guide.md', '# Guide\n');
    const { code, stderr } = await trusted('sync');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'ctx.toml:5: chunking.max_tokens: 20000 is outside the range; the maximum, 8192, is used.',
    );
    expect(stderr).toContain('retrieval.final_limit: 500 is outside the range; the maximum, 100, is used.');
    expect(stderr).toContain('retrieval.candidate_k_keyword: 5000 is outside the range; the maximum, 1000, is used.');
    expect(stderr).toContain('retrieval.candidate_k_vector: 0 is outside the range; the minimum, 1, is used.');
    expect(stderr).not.toContain('Unknown');
  });

  test('what ctx refuses is still refused', async () => {
    await write('ctx.toml', usual.replace('max_tokens = 700', 'max_tokens = 0'));
    expect((await trusted('sync')).stderr).toContain('chunking.max_tokens');
  });

  test('an unset variable disables its section, and the rest works', async () => {
    const script = (name: string) =>
      `\n[connectors.script.${name}]\npath = "scan.lua"\ntoken = "\${${name.toUpperCase()}_TOKEN}"\n`;
    await write(
      'ctx.toml',
      `${usual}${script('jira')}\n[tools.script.ticket]\npath = "ticket.lua"\ntoken = "\${JIRA_TOKEN}"\n`,
    );
    await write('docs/guide.md', '# Guide\n');
    const listed = await trusted('agent', 'list');
    expect(listed.code).toBe(0);
    expect(listed.stderr).toContain(
      'connectors.script.jira.token: the environment variable JIRA_TOKEN is not set, so [connectors.script.jira] is disabled.',
    );
    expect(listed.stderr).toContain('so [tools.script.ticket] is disabled.');
    expect((await zoo('sync', 'filesystem')).code).toBe(0);
    const failed = await zoo('sync', 'script:jira');
    expect(failed.code).not.toBe(0);
    expect(failed.stderr + failed.stdout).toContain('JIRA_TOKEN is not set');
  });

  test('sections that have no effect here get one sentence, once', async () => {
    const registry =
      '[registries.community]\nurl = "https://example.com/registry.git"\npath = "~/registry"\nreadonly = true\nauto_update = true\n';
    await write('ctx.toml', `${usual}\n[vector_index]\nbackend = "auto"\npath = "auto"\n\n${registry}`);
    await zoo('trust', '--yes');
    const first = await zoo('agent', 'list');
    expect(first.stderr.match(/\[vector_index\] has no effect/g)).toHaveLength(1);
    expect(first.stderr).toMatch(/\[registries\.community\]: \S+registry does not exist/);
    expect(first.stderr).not.toContain('Unknown section');
    expect((await zoo('agent', 'list')).stderr).toBe('');
    expect((await zoo('status')).stdout).toContain('[vector_index] has no effect');
  });
});

describe('names, globs and sources', () => {
  const sourceIds = async (source: string) => {
    const { stdout } = await zoo('search', 'word', '--source', source, '--limit', '50', '--json');
    return JSON.parse(stdout)
      .map((each: { source_id: string }) => each.source_id)
      .sort();
  };

  test('globs mean what they meant in ctx', async () => {
    const source = (name: string, globs: string) =>
      `[connectors.filesystem.${name}]\nroot = "."\ninclude_globs = ${globs}\n\n`;
    const settings = [
      source('root', '["README.md"]'),
      source('deep', '["docs/*.md"]'),
      '[connectors.filesystem.usual]\nroot = "./docs"\n\n',
    ];
    await write('ctx.toml', settings.join(''));
    for (const name of ['README.md', 'docs/README.md', 'docs/a.md', 'docs/deep/b.md', 'docs/notes.txt', 'docs/code.py'])
      await write(name, `A word in ${name}\n`);
    expect((await trusted('sync')).code).toBe(0);
    expect(await sourceIds('filesystem:root')).toEqual(['README.md']);
    expect(await sourceIds('filesystem:deep')).toEqual(['docs/README.md', 'docs/a.md', 'docs/deep/b.md']);
    expect(await sourceIds('filesystem:usual')).toEqual(['README.md', 'a.md', 'deep/b.md', 'notes.txt']);
  });

  test('.github, build, dist and vendor are indexed unless an ignore file hides them', async () => {
    await write('ctx.toml', '[connectors.filesystem.test]\nroot = "."\ninclude_globs = ["**/*.md"]\n');
    const names = ['.github/pull.md', 'build/a.md', 'dist/b.md', 'vendor/c.md'];
    for (const name of [...names, 'node_modules/x.md', 'target/y.md', '.git/z.md', '.secret/s.md'])
      await write(name, 'A word\n');
    expect((await trusted('sync')).code).toBe(0);
    expect(await sourceIds('filesystem:test')).toEqual(names);
    await write('.gitignore', 'dist/\n');
    expect((await zoo('sync')).code).toBe(0);
    expect(await sourceIds('filesystem:test')).toEqual(names.filter((name) => !name.startsWith('dist')));
  });

  test('scripts in .ctx work without a config, after zoo trust', async () => {
    await write(
      '.ctx/agents/helper/agent.lua',
      'agent = { description = "Helps" }\nfunction agent.resolve() return { system = "Help." } end\n',
    );
    await write('.ctx/tools/hello/tool.lua', 'tool = {}\nfunction tool.execute() return { said = "hello" } end\n');
    await write(
      '.ctx/connectors/notes/connector.lua',
      'connector = {}\nfunction connector.scan() return { { source_id = "1", body = "A note about queues" } } end\n',
    );
    const held = await zoo('agent', 'list');
    expect(held.stdout).not.toContain('helper');
    expect(held.stderr).toContain('agents.script.helper');
    const listed = await trusted('agent', 'list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain('helper');
    expect((await zoo('tool', 'test', 'hello')).stdout).toContain('hello');
    expect((await zoo('sync', 'script:notes')).code).toBe(0);
    expect((await zoo('search', 'queues')).stdout).toContain('script:notes');
    const made = await zoo('agent', 'init', 'second', '--toml');
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('Created: zoo.toml') });
    const both = (await zoo('agent', 'list')).stdout;
    for (const name of ['helper', 'second']) expect(both).toContain(name);
    await write('.ctx/tools/hello/tool.lua', 'tool = {}\nfunction tool.execute() return { said = "changed" } end\n');
    expect((await zoo('tool', 'list')).stderr).toContain('has changed since you trusted it');
  });

  test('a bucket is read page by page, and a second sync downloads only what has changed', async () => {
    const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret/of+the=bucket' };
    const names = Array.from({ length: 25 }, (_, index) => `engineering/runbooks/page ${index} & more.md`);
    const objects = Object.fromEntries(names.map((name) => [name, `# Word of ${name}\n`]));
    await using s3 = await startS3Server({ bucket: 'acme-docs', keys, pageSize: 10, objects });
    s3.objects.set('engineering/runbooks/drafts/x.md', 'A word');
    s3.objects.set('engineering/other.md', 'A word');
    s3.objects.set('engineering/runbooks/logo.png', 'A word');
    await write(
      'ctx.toml',
      `[connectors.s3.runbooks]\nbucket = "acme-docs"\nprefix = "engineering/runbooks/"\ninclude_globs = ["**/*.md"]\nexclude_globs = ["drafts/**"]\nendpoint_url = "${s3.url}"\n`,
    );
    const env = { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
    const sync = () => runZoo(['sync', 's3'], { cwd: folder.dir, env });
    expect(await sync()).toMatchObject({ code: 0, stderr: '' });
    expect(await sourceIds('s3:runbooks')).toEqual(names.toSorted());
    expect(s3.requests.filter(({ kind }) => kind === 'list')).toHaveLength(3);
    expect(s3.requests.filter(({ kind }) => kind === 'get')).toHaveLength(25);
    s3.requests.length = 0;
    s3.objects.set(names[3] ?? '', '# A changed word\n');
    s3.objects.delete(names[4] ?? '');
    expect(await sync()).toMatchObject({ code: 0, stderr: '' });
    expect(s3.requests.flatMap(({ kind, key }) => (kind === 'get' ? [key] : []))).toEqual([names[3]]);
    expect(await sourceIds('s3:runbooks')).toHaveLength(24);
  });

  test('one script serves two sections, takes their names and needs no description', async () => {
    await write(
      'ctx.toml',
      '[tools.script.first]\npath = "echo.lua"\nword = "one"\n\n[tools.script.second]\npath = "echo.lua"\nword = "two"\n',
    );
    await write(
      'echo.lua',
      'tool = { name = "echo" }\nfunction tool.execute(params, context) return { word = context.config.word } end\n',
    );
    const listed = await trusted('tool', 'list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/first\s+.*The Lua tool first/);
    expect(listed.stdout).toMatch(/second\s+.*The Lua tool second/);
    expect((await zoo('tool', 'test', 'second')).stdout).toContain('two');
  });

  test('the tools and agents of a registry on disk work', async () => {
    await write('ctx.toml', '[registries.company]\npath = "./registry"\n\n[tools.script.taken]\npath = "own.lua"\n');
    await write(
      'registry/registry.toml',
      '[tools.greet]\ndescription = "Greets"\npath = "lib/greet.lua"\n\n[tools.taken]\npath = "lib/greet.lua"\n\n[connectors.jira]\npath = "lib/jira.lua"\n',
    );
    await write('registry/lib/greet.lua', 'tool = {}\nfunction tool.execute() return { said = "hi" } end\n');
    await write('own.lua', 'tool = { description = "My own" }\nfunction tool.execute() return {} end\n');
    const listed = await trusted('tool', 'list');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/greet/);
    expect(listed.stdout).toMatch(/taken\s+.*My own/);
    expect((await zoo('sources')).stdout).not.toContain('jira');
  });
});

function hashesIn(dir: string): Record<string, string> {
  const files = readdirSync(dir).filter((name) => !name.includes('-zoo') && !name.endsWith('-shm'));
  return Object.fromEntries(
    files.map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(dir, name)))
        .digest('hex'),
    ]),
  );
}
