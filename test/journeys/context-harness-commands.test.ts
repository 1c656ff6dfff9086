import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { version } from '../../src/version.ts';
import { runZoo, runZooProcess, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { makePdf } from '../support/knowledge/make-pdf.ts';
import { startEmbeddingServer } from '../support/models/embedding-server.ts';
import { freePort } from '../support/servers/free-port.ts';

/** What scripts written for `ctx` do, with `ctx` replaced by `zoo`. */

let folder: ZooFolder;
beforeEach(async () => {
  folder = await zooFolder();
  await write('docs/alpha.md', '# Alpha\n\nThe first document, about rust and deployment.\n');
  await write('docs/beta.md', '# Beta\n\nThe second document, about python and monitoring.\n');
  await write('docs/gamma.txt', 'The third document, about incidents.\n');
  await write('ctx.toml', filesystem);
  // A file that is read within 50 ms of its last change is read again by the next sync.
  const { ctimeMs } = await stat(join(folder.dir, 'docs/gamma.txt'));
  await vi.waitFor(() => expect(Date.now() - ctimeMs).toBeGreaterThanOrEqual(50));
});
afterEach(() => folder[Symbol.asyncDispose]());

const filesystem = `[connectors.filesystem.test]
root = "./docs"
include_globs = ["**/*.md", "**/*.txt", "**/*.pdf"]
`;
const zoo = (...args: string[]) => runZoo(args, { cwd: folder.dir });

async function write(name: string, text: string | Uint8Array): Promise<void> {
  const file = join(folder.dir, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Finds a count as a script does, such as 3 in "upserted documents: 3". */
function countIn(stdout: string, label: string): number {
  const found = new RegExp(`^ *${label}: (\\d+)`, 'm').exec(stdout);
  expect(found, `"${label}" in ${stdout}`).not.toBeNull();
  return Number(found?.[1]);
}

describe('a script reads the counts of a sync', () => {
  test('every sync prints the same lines in the same order, and ends with ok', async () => {
    const { code, stdout, stderr } = await zoo('sync', 'filesystem');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n').map((line) => line.replace(/\d+/g, 'N'))).toEqual([
      'sync filesystem:test',
      '  fetched: N items',
      '  upserted documents: N',
      '  chunks written: N',
      '  extraction skipped: N',
      '  checkpoint: N',
      '  N added (N.N s)',
      'ok',
      '',
    ]);
    expect(countIn(stdout, 'fetched')).toBe(3);
    expect(countIn(stdout, 'upserted documents')).toBe(3);
    expect(countIn(stdout, 'chunks written')).toBeGreaterThanOrEqual(3);
    expect(countIn(stdout, 'extraction skipped')).toBe(0);
    expect(countIn(stdout, 'checkpoint')).toBeGreaterThan(1_700_000_000);
  });

  test('a second sync fetches nothing, --full everything, and a new file one', async () => {
    await zoo('sync', 'filesystem:test');
    const second = (await zoo('sync', 'filesystem:test')).stdout;
    expect([countIn(second, 'fetched'), countIn(second, 'upserted documents')]).toEqual([0, 0]);
    expect(countIn((await zoo('sync', 'filesystem', '--full')).stdout, 'upserted documents')).toBe(3);
    expect((await zoo('stats')).stdout).toMatch(/Documents +3/);
    await write('docs/delta.md', '# Delta\n\nThe fourth document.\n');
    expect(countIn((await zoo('sync', 'all')).stdout, 'upserted documents')).toBe(1);
  });

  test('a damaged PDF and a file that is too large are skipped and counted, and the rest is indexed', async () => {
    await write('ctx.toml', `${filesystem}max_extract_bytes = 20000\n`);
    await write('docs/good.pdf', makePdf([['The spec test phrase.']]));
    await write('docs/damaged.pdf', '%PDF-1.4 this is no PDF');
    await write('docs/large.pdf', makePdf([Array.from({ length: 2_000 }, () => 'many words in a long file')]));
    const { code, stdout } = await zoo('sync', 'filesystem:test');
    expect(code).toBe(0);
    expect(countIn(stdout, 'extraction skipped')).toBe(2);
    expect(countIn(stdout, 'upserted documents')).toBe(4);
    expect((await zoo('search', 'spec test phrase')).stdout).toContain('good.pdf');
  });

  test('--dry-run prints the items and the chunks, and writes nothing', async () => {
    const { code, stdout } = await zoo('sync', 'filesystem', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('sync filesystem:test (dry-run)\n');
    expect(countIn(stdout, 'items found')).toBe(3);
    expect(countIn(stdout, 'estimated chunks')).toBeGreaterThanOrEqual(3);
    expect((await zoo('stats')).stdout).toMatch(/Documents +0/);
  });

  test.each([
    ['nonexistent', /"nonexistent"/],
    ['git', /"git"/],
    ['s3', /"s3"/],
    ['filesystem:other', /Available: filesystem:test/],
  ])('sync %s, which is not configured, fails and names what there is', async (target, sentence) => {
    const { code, stderr } = await zoo('sync', target);
    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stderr).toContain('filesystem:test');
  });
});

describe('a nightly job syncs a part', () => {
  const day = (text: string) => new Date(`${text}T12:00:00Z`);

  test('--limit reads so many documents, and the next sync reads on', async () => {
    const counts = [];
    for (let run = 0; run < 4; run += 1) {
      const { stdout } = await zoo('sync', 'filesystem', '--limit', '1');
      counts.push(countIn(stdout, 'upserted documents'));
    }
    expect(counts).toEqual([1, 1, 1, 0]);
    expect((await zoo('stats')).stdout).toMatch(/Documents +3/);
  });

  test('--since and --until read the documents changed on these days, and keep the others', async () => {
    await utimes(join(folder.dir, 'docs/alpha.md'), day('2026-01-10'), day('2026-01-10'));
    await utimes(join(folder.dir, 'docs/beta.md'), day('2026-02-10'), day('2026-02-10'));
    await utimes(join(folder.dir, 'docs/gamma.txt'), day('2026-03-10'), day('2026-03-10'));
    const february = await zoo('sync', 'filesystem', '--since', '2026-02-10', '--until', '2026-02-10');
    expect(countIn(february.stdout, 'upserted documents')).toBe(1);
    expect(february.stdout).toContain('1 added, 2 left for another sync');
    const winter = await zoo('sync', 'filesystem', '--full', '--until', '2026-02-28');
    expect(countIn(winter.stdout, 'upserted documents')).toBe(2);
    expect((await zoo('search', 'monitoring')).stdout).toContain('beta.md');
    expect((await zoo('search', 'incidents')).stdout).toContain('No passages found');
    expect(await zoo('sync', '--since', 'yesterday')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--since takes a date such as 2026-01-31, not "yesterday"'),
    });
  });

  test('sync script --source NAME runs one connector', async () => {
    const script = (id: string) =>
      `connector = {}\nfunction connector.scan(config)\n  return { { source_id = "${id}", body = "A ticket about " .. (config.topic or "nothing") } }\nend\n`;
    await write('jira.lua', script('J-1'));
    await write('other.lua', script('O-1'));
    await write(
      'ctx.toml',
      '[connectors.script.jira]\npath = "jira.lua"\ntopic = "refunds"\n[connectors.script.other]\npath = "other.lua"\n',
    );
    const { code, stdout } = await zoo('sync', 'script', '--source', 'jira');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^sync script:jira\n/);
    expect(stdout).not.toContain('script:other');
    expect((await zoo('search', 'refunds', '--source', 'script:jira')).stdout).toContain('J-1');
    expect((await zoo('sync', 'script', '--source', 'nobody')).stderr).toContain('There is no source "script:nobody"');
  });

  test('--progress json writes JSON lines to stderr and leaves stdout as it is', async () => {
    const { stdout, stderr } = await zoo('sync', 'filesystem', '--progress', 'json');
    expect(countIn(stdout, 'fetched')).toBe(3);
    const events = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toEqual({ event: 'progress', connector: 'filesystem:test', phase: 'discovering' });
    expect(events.at(-1)).toEqual({
      event: 'progress',
      connector: 'filesystem:test',
      phase: 'ingesting',
      n: 3,
      total: 3,
    });
    const human = await zoo('sync', 'filesystem', '--full', '--progress', 'human');
    expect(human.stderr).toMatch(/^sync filesystem:test {2}discovering\.\.\.\n[\s\S]* {2}ingesting {2}3 \/ 3 items\n$/);
    expect((await zoo('sync', '--full', '--no-progress')).stderr).toBe('');
  });
});

describe('a developer tries a script before configuring it', () => {
  const echo = `tool = {
  name = "echo",
  description = "Echoes a message",
  parameters = {
    { name = "message", type = "string", required = true, description = "What to say" },
    { name = "times", type = "integer", required = false, description = "How often" },
  },
}
function tool.execute(params, context)
  return { echo = params.message, times = params.times, greeting = context.config.greeting }
end
`;

  test('tool test FILE --param runs a Lua file', async () => {
    await write('tools/echo.lua', echo);
    const { code, stdout, stderr } = await zoo(
      ...['tool', 'test', 'tools/echo.lua', '--param', 'message=hello world', '--param', 'times=3'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"echo": "hello world"');
    expect(stdout).toContain('"times": 3');
    const missing = await zoo('tool', 'test', 'tools/echo.lua');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('message') });
    expect(await zoo('tool', 'test', 'tools/none.lua')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No such file or folder: .*none\.lua/),
    });
  });

  test('tool test FILE --source NAME takes the settings of a section, even if the section runs the same file', async () => {
    await write('tools/echo.lua', echo);
    await write('ctx.toml', '[tools.script.echo]\npath = "tools/echo.lua"\ngreeting = "Ahoy"\n');
    const run = (...rest: string[]) => zoo('tool', 'test', './tools/echo.lua', '--param', 'message=x', ...rest);
    expect((await run('--source', 'echo')).stdout).toContain('"greeting": "Ahoy"');
    expect((await run()).stdout).not.toContain('Ahoy');
    expect((await run('--source', 'other')).stderr).toContain(
      'The config has no [tools.script.other]. Available: echo.',
    );
  });

  test('connector test FILE --source NAME shows the documents and indexes nothing', async () => {
    await write(
      'connectors/jira.lua',
      'connector = {}\nfunction connector.scan(config)\n  return { { source_id = "J-1", title = config.project, body = "text" } }\nend\n',
    );
    await write('ctx.toml', '[connectors.script.jira]\npath = "elsewhere.lua"\nproject = "Refunds"\n');
    const { code, stdout } = await zoo('connector', 'test', 'connectors/jira.lua', '--source', 'jira');
    expect(code).toBe(0);
    expect(stdout).toMatch(/J-1 {2}Refunds/);
    expect(stdout).toContain('1 item in ');
    expect((await zoo('connector', 'test', 'connectors/jira.lua')).stdout).toMatch(/ {2}J-1 {2}\d{4}-/);
    expect((await zoo('stats')).stdout).toMatch(/Documents +0/);
  });

  test('the settings of a section that is not trusted stay held, whatever file is named', async () => {
    await write('tools/echo.lua', echo);
    await write('ctx.toml', '[tools.script.echo]\npath = "tools/echo.lua"\ngreeting = "Ahoy"\n');
    const { code, stderr } = await runZoo(
      ['tool', 'test', 'tools/echo.lua', '--param', 'message=x', '--source', 'echo'],
      { cwd: folder.dir, isUntrusted: true },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('[tools.script.echo] is held. Run "zoo trust');
  });
});

describe('a site builds its search from the index', () => {
  interface Exported {
    documents: Record<string, unknown>[];
    chunks: { id: string; document_id: string; chunk_index: number; text: string }[];
  }

  test('export prints all documents and chunks as JSON', async () => {
    await zoo('sync', 'all');
    const { code, stdout, stderr } = await zoo('export');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { documents, chunks } = JSON.parse(stdout) as Exported;
    expect(documents.map((each) => each.source_id)).toEqual(['alpha.md', 'beta.md', 'gamma.txt']);
    expect(documents[0]).toEqual({
      id: expect.any(String),
      source: 'filesystem:test',
      source_id: 'alpha.md',
      source_url: expect.stringMatching(/^file:.*alpha\.md$/),
      title: 'Alpha',
      updated_at: expect.any(Number),
      body: '# Alpha\n\nThe first document, about rust and deployment.\n',
    });
    expect(documents[0]?.updated_at).toBeLessThan(10_000_000_000);
    const ids = documents.map(({ id }) => id);
    expect(chunks.length).toBeGreaterThanOrEqual(3);
    for (const { document_id, chunk_index } of chunks) {
      expect(ids).toContain(document_id);
      expect(chunk_index).toBeGreaterThanOrEqual(0);
    }
    expect(chunks.map(({ text }) => text).join()).toContain('about incidents');
  });

  test('export --output writes a file in a new folder and says so on stderr', async () => {
    expect(JSON.parse((await zoo('export')).stdout)).toEqual({ documents: [], chunks: [] });
    await zoo('sync', 'all');
    const { code, stdout, stderr } = await zoo('export', '--output', 'site/static/data.json');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Exported 3 documents, \d+ chunks to site\/static\/data\.json\n$/);
    const written: Exported = JSON.parse(await readFile(join(folder.dir, 'site/static/data.json'), 'utf8'));
    expect(written.documents).toHaveLength(3);
  });
});

describe('a job embeds what is pending', () => {
  test('--dry-run counts, --limit and --batch-size bound the work, and rebuild does all of it', async () => {
    const server = await startEmbeddingServer();
    try {
      const embedding = (url: string) =>
        `${filesystem}[embedding]\nprovider = "openai-compatible"\nmodel = "m"\ndims = 16\nmax_retries = 0\nurl = "${url}"\n`;
      await write('ctx.toml', embedding('http://127.0.0.1:1/v1'));
      const synced = await zoo('sync', 'all');
      expect(synced.code).toBe(0);
      expect([countIn(synced.stdout, 'embeddings written'), countIn(synced.stdout, 'embeddings pending')]).toEqual([
        0, 3,
      ]);
      await write('ctx.toml', embedding(`${server.url}/v1`));
      const dry = await zoo('embed', 'pending', '--dry-run');
      expect(dry.stdout).toBe('embed pending (dry-run)\n  chunks needing embeddings: 3\n');
      expect(server.requests).toHaveLength(0);
      const two = await zoo('embed', 'pending', '--limit', '2', '--batch-size', '1');
      expect(two.stdout).toBe('embed pending\n  total pending: 3\n  embedded: 2\n  failed: 0\n  still pending: 1\n');
      expect(server.requests.map(({ texts }) => texts.length)).toEqual([1, 1]);
      expect(countIn((await zoo('embed', 'pending')).stdout, 'embedded')).toBe(1);
      expect((await zoo('embed', 'pending')).stdout).toBe('embed pending\n  all chunks up to date\n');
      expect(countIn((await zoo('embed', 'rebuild', '--batch-size', '2')).stdout, 'total chunks')).toBe(3);
      expect(server.requests.slice(3).map(({ texts }) => texts.length)).toEqual([2, 1]);
    } finally {
      await server.close();
    }
  });

  test.each([
    ['pending', []],
    ['pending', ['--dry-run']],
    ['rebuild', []],
  ])('embed %s %j without a provider fails and says that embeddings are disabled', async (command, options) => {
    const { code, stderr } = await zoo('embed', command, ...options);
    expect(code).toBe(1);
    expect(stderr).toContain('embeddings, which are disabled. Set [embedding] provider');
  });
});

test('serve mcp serves HTTP and MCP on the configured address', async () => {
  const port = await freePort();
  await write('ctx.toml', `${filesystem}[server]\nbind = "127.0.0.1:${port}"\n`);
  await using serving = startZoo(['serve', 'mcp'], { cwd: folder.dir });
  await serving.says(/Press Ctrl-C to stop/);
  const url = `http://127.0.0.1:${port}`;
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok', version });
  const tools = (await (await fetch(`${url}/tools/list`)).json()) as { tools: { name: string }[] };
  expect(tools.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['search', 'get', 'sources']));
  expect(await zoo('serve', 'http')).toMatchObject({ code: 2, stderr: expect.stringContaining('mcp') });
});

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'completions %s prints the same script as completion',
  async (shell) => {
    // The library behind it prints to the console of the process.
    const run = (command: string) => runZooProcess([command, shell], { cwd: folder.dir });
    const { code, stdout, stderr } = await run('completions');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe((await run('completion')).stdout);
    expect(stdout).toContain('zoo');
  },
);

test('commands that are not needed here say what to do instead', async () => {
  expect(await zoo('vector-index', 'status')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('always current'),
  });
  expect(await zoo('registry', 'install', 'community')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('clone one to the path of its [registries.NAME]'),
  });
  expect((await zoo('--help')).stdout).not.toContain('registry');
});

test('-V prints the version', async () => {
  expect(await zoo('-V')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
