import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { luaParts } from '../../test/support/lua/lua-parts.ts';
import { type ScriptFolder, scriptFolder } from '../../test/support/lua/script-folder.ts';
import { connectorSections } from '../config/connector-sections.ts';
import type { ScanContext, ScannedItem } from '../knowledge/connector.ts';
import { luaConnector } from './lua-connector.ts';
import type { LuaJob } from './sandbox/lua-job.ts';

const parts = luaParts();
let folder: ScriptFolder;
beforeEach(async () => {
  folder = await scriptFolder({ 'zoo.toml': '[connectors.script.tickets]\npath = "tickets.lua"\nproject = "ZOO"\n' });
});
afterEach(() => folder[Symbol.asyncDispose]());
afterAll(() => parts.sandbox.close());

function scanContext(): ScanContext {
  return { signal: new AbortController().signal, fail() {}, failFolder() {}, skip() {} };
}

async function scan(body: string) {
  await folder.write('tickets.lua', `connector = {}\nfunction connector.scan(config)\n${body}\nend\n`);
  const [section] = connectorSections((await folder.open()).loaded).sections;
  if (section?.type !== 'script') throw new Error('The section is there.');
  const connector = luaConnector(section.script, parts);
  const items: ScannedItem[] = [];
  const failures: [string, string][] = [];
  const fail = (id: string, message: string) => void failures.push([id, message]);
  const context = { ...scanContext(), fail };
  for await (const item of connector.scan(context)) items.push(item);
  const { signal } = context;
  return { connector, items, failures, bodies: await Promise.all(items.map((item) => item.read(signal))) };
}

test('every field of an item arrives, and times in both forms', async () => {
  const { connector, items, bodies } = await scan(`return {
  { source_id = config.project .. "-1", title = "One", body = "First", source_url = "https://tickets.example/1",
    updated_at = "2026-01-31T08:00:00Z", content_type = "text/markdown", tags = { "a" }, author = "Ann", metadata = { x = 1 } },
  { source_id = "ZOO-2", body = "Second", updated_at = 1769846400, tags = {} },
  { source_id = "ZOO-3", body = "Third" },
}`);
  expect(connector).toMatchObject({ type: 'script', name: 'tickets', location: 'tickets.lua' });
  expect(items).toMatchObject([
    {
      sourceId: 'ZOO-1',
      title: 'One',
      url: 'https://tickets.example/1',
      updatedAt: Date.UTC(2026, 0, 31, 8),
      contentType: 'text/markdown',
      tags: ['a'],
      metadata: { x: 1, author: 'Ann' },
    },
    { sourceId: 'ZOO-2', url: null, updatedAt: Date.UTC(2026, 0, 31, 8), tags: [] },
    { sourceId: 'ZOO-3', updatedAt: parts.host.clock.now() },
  ]);
  expect(bodies).toEqual(['First', 'Second', 'Third']);
});

test('the version of an item is another one exactly when the item is', async () => {
  const item = (body: string) => `return { { source_id = "a", body = "${body}", metadata = { x = 1, y = 2 } } }`;
  const versions = [];
  for (const body of ['one', 'one', 'two']) versions.push((await scan(item(body))).items[0]?.version);
  expect(versions[1]).toBe(versions[0]);
  expect(versions[2]).not.toBe(versions[0]);
});

test('a bad item fails alone', async () => {
  const { items, failures } = await scan(`local odd = {} odd.odd = odd
return {
  { source_id = "good", body = "x" },
  { source_id = "no-body" },
  { body = "no id" },
  "text",
  { source_id = "good", body = "again" },
  { source_id = "empty", body = "" },
  { source_id = "itself", body = "x", metadata = odd },
}`);
  expect(items.map(({ sourceId }) => sourceId)).toEqual(['good']);
  expect(failures).toEqual([
    ['no-body', 'body: is missing. Every item needs a text in body'],
    ['item 3', 'source_id: is missing. Every item needs a text in source_id'],
    ['item 4', expect.stringMatching(/must be an object/)],
    ['good', expect.stringMatching(/^source_id: another document/)],
    ['empty', 'body: is empty'],
    ['itself', 'the item.metadata.odd contains itself'],
  ]);
});

test('a connector of Context Harness may use numbers where texts are expected', async () => {
  const { items, failures, bodies } = await scan(`return {
  { source_id = 42, title = 2026, body = 7, author = 1.5, source_url = 1, content_type = true },
  { source_id = 9007199254740993, body = "x", metadata = { id = 9007199254740993 } },
}`);
  expect(failures).toEqual([]);
  expect(items).toMatchObject([
    { sourceId: '42', title: '2026', url: '1', metadata: { author: '1.5' } },
    { sourceId: '9007199254740993', metadata: { id: '9007199254740993' } },
  ]);
  expect(items[0]).not.toHaveProperty('contentType');
  expect(bodies).toEqual(['7', 'x']);
});

test('its fields metadata_json, created_at and source arrive', async () => {
  const { items } = await scan(`return {
  { source_id = "a", body = "x", metadata_json = json.encode({ status = "open", id = 9007199254740993 }), source = "jira",
    created_at = 1769846400, updated_at = "2026-02-01T08:00:00", author = "Ann" },
  { source_id = "b", body = "x", metadata_json = "no json" },
}`);
  expect(items).toMatchObject([
    {
      updatedAt: Date.UTC(2026, 1, 1, 8),
      tags: ['source:jira'],
      metadata: {
        status: 'open',
        id: '9007199254740993',
        author: 'Ann',
        created_at: '2026-01-31T08:00:00.000Z',
        source: 'jira',
      },
    },
    { metadata: { metadata_json: 'no json' } },
  ]);
});

test.each([
  ['a word', '"yesterday"', undefined],
  ['a word with a number', '"Issue 5"', undefined],
  ['a table', '{}', undefined],
  ['seconds as text', '"1769846400"', Date.UTC(2026, 0, 31, 8)],
  ['seconds with a fraction', '1769846400.5', Date.UTC(2026, 0, 31, 8) + 500],
  ['milliseconds', '1769846400000', Date.UTC(2026, 0, 31, 8)],
  ['a time without a zone', '"2026-01-31 08:00:00"', Date.UTC(2026, 0, 31, 8)],
  ['a time of Jira', '"2026-01-31T09:00:00.000+0100"', Date.UTC(2026, 0, 31, 8)],
  ['a time of a feed', '"Sat, 31 Jan 2026 08:00:00 GMT"', Date.UTC(2026, 0, 31, 8)],
])('updated_at: %s is read, or the current time instead', async (_name, value, expected) => {
  const { items, failures } = await scan(`return { { source_id = "a", body = "x", updated_at = ${value} } }`);
  expect(failures).toEqual([]);
  expect(items[0]?.updatedAt).toBe(expected ?? parts.host.clock.now());
});

test('a scan may take as long as a connector of Context Harness', async () => {
  const [section] = connectorSections((await folder.open()).loaded).sections;
  expect(section).toMatchObject({ script: { timeoutMs: 300_000 } });
});

test('a scan that returns 50 MB is read in batches', async () => {
  let most = 0;
  await folder.write(
    'tickets.lua',
    `function connector.scan()
  local items = {}
  for i = 1, 500 do items[i] = { source_id = i, body = i .. string.rep("x", 100 * 1024) } end
  return items
end`,
  );
  const [section] = connectorSections((await folder.open()).loaded).sections;
  if (section?.type !== 'script') throw new Error('The section is there.');
  const ids = new Set<string>();
  const watched = {
    ...parts,
    sandbox: {
      ...parts.sandbox,
      run: (job: LuaJob) =>
        parts.sandbox.run({
          ...job,
          async takeItems(items) {
            most = Math.max(most, items.length);
            await job.takeItems?.(items);
          },
        }),
    },
  };
  const context = { ...scanContext(), fail: (id: string, message: string) => expect.fail(`${id}: ${message}`) };
  for await (const { sourceId } of luaConnector(section.script, watched).scan(context)) ids.add(sourceId);
  expect(ids.size).toBe(500);
  expect(most).toBeLessThan(20);
});

test('a scan that builds more than its memory ends with a sentence', async () => {
  await expect(scan('return { { source_id = "a", body = string.rep("x", 300 * 1024 * 1024) } }')).rejects.toMatchObject(
    {
      code: 'TOOL_ERROR',
      message: expect.stringMatching(/^tickets\.lua used more than 256 MB of memory and was stopped/),
    },
  );
});

test('a scan that is left early ends its job', async () => {
  const started = performance.now();
  await folder.write(
    'tickets.lua',
    'function connector.scan() local all = {} for i = 1, 5000 do all[i] = { source_id = i, body = "x" } end return all end',
  );
  const [section] = connectorSections((await folder.open()).loaded).sections;
  if (section?.type !== 'script') throw new Error('The section is there.');
  for await (const _ of luaConnector(section.script, parts).scan(scanContext())) break;
  expect(await scan('return { { source_id = "next", body = "x" } }')).toMatchObject({ items: [{ sourceId: 'next' }] });
  expect(performance.now() - started).toBeLessThan(20_000);
});

test('no items are no failure', async () => {
  expect(await scan('return {}')).toMatchObject({ items: [], failures: [] });
});

test.each<[string, string, RegExp]>([
  ['fails', 'error("no access")', /tickets\.lua:3: no access/],
  ['returns no list', 'return "x"', /^tickets\.lua: connector\.scan must return a list/],
])('a scan that %s ends with a sentence', async (_name, body, rule) => {
  await expect(scan(body)).rejects.toMatchObject({ code: 'TOOL_ERROR', message: expect.stringMatching(rule) });
});
