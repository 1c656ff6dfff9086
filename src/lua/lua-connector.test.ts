import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { luaParts } from '../../test/support/lua/lua-parts.ts';
import { type ScriptFolder, scriptFolder } from '../../test/support/lua/script-folder.ts';
import { connectorSections } from '../config/connector-sections.ts';
import type { ScannedItem } from '../knowledge/connector.ts';
import { luaConnector } from './lua-connector.ts';

const parts = luaParts();
let folder: ScriptFolder;
beforeEach(async () => {
  folder = await scriptFolder({ 'zoo.toml': '[connectors.script.tickets]\npath = "tickets.lua"\nproject = "ZOO"\n' });
});
afterEach(() => folder[Symbol.asyncDispose]());
afterAll(() => parts.sandbox.close());

async function scan(body: string) {
  await folder.write('tickets.lua', `connector = {}\nfunction connector.scan(config)\n${body}\nend\n`);
  const [section] = connectorSections((await folder.open()).loaded).sections;
  if (section?.type !== 'script') throw new Error('The section is there.');
  const connector = luaConnector(section.script, parts);
  const items: ScannedItem[] = [];
  const failures: [string, string][] = [];
  const signal = new AbortController().signal;
  const fail = (id: string, message: string) => void failures.push([id, message]);
  for await (const item of connector.scan({ signal, fail, failFolder: fail, skip: () => {} })) items.push(item);
  return { connector, items, failures, bodies: await Promise.all(items.map((item) => item.read(signal))) };
}

test('every field of an item arrives, and times in both forms', async () => {
  const { connector, items, bodies } = await scan(`return {
  { source_id = config.project .. "-1", title = "One", body = "First", source_url = "https://tickets.example/1",
    updated_at = "2026-01-31T08:00:00Z", content_type = "text/markdown", tags = { "a" }, author = "Ann", metadata = { x = 1 } },
  { source_id = "ZOO-2", body = "", updated_at = 1769846400, tags = {} },
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
  expect(bodies).toEqual(['First', '', 'Third']);
});

test('the version of an item is another one exactly when the item is', async () => {
  const item = (body: string) => `return { { source_id = "a", body = "${body}", metadata = { x = 1, y = 2 } } }`;
  const versions = [];
  for (const body of ['one', 'one', 'two']) versions.push((await scan(item(body))).items[0]?.version);
  expect(versions[1]).toBe(versions[0]);
  expect(versions[2]).not.toBe(versions[0]);
});

test('a bad item fails alone', async () => {
  const { items, failures } = await scan(`return {
  { source_id = "good", body = "x" },
  { source_id = "no-body" },
  { body = "no id" },
  "text",
  { source_id = "when", body = "x", updated_at = "yesterday" },
  { source_id = "good", body = "again" },
}`);
  expect(items.map(({ sourceId }) => sourceId)).toEqual(['good']);
  expect(failures).toEqual([
    ['no-body', expect.stringMatching(/^body: /)],
    ['item 3', expect.stringMatching(/^source_id: /)],
    ['item 4', expect.stringMatching(/expected object/)],
    ['when', expect.stringMatching(/^updated_at: must be a date/)],
    ['good', expect.stringMatching(/^source_id: another document/)],
  ]);
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
