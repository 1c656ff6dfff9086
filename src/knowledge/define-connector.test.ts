import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptFolder } from '../../test/support/lua/script-folder.ts';
import { createHub, type Hub, loadConfig } from '../index.ts';
import { type ConnectorItem, defineConnector } from './define-connector.ts';

let folder: Awaited<ReturnType<typeof scriptFolder>>;
let hub: Hub;
let items: ConnectorItem[];
let reads: string[];

beforeEach(async () => {
  folder = await scriptFolder({
    'zoo.toml': '[connectors.filesystem.docs]\nroot = "docs"\n',
    'docs/a.md': '# A\nfirst',
  });
  items = [{ sourceId: 'T-1', title: 'Refunds', body: 'How refunds work.', url: 'https://tickets.example/1' }];
  reads = [];
  hub = await open(defineConnector({ name: 'tickets', location: 'tickets.example', scan: async () => items }));
});
afterEach(async () => {
  await hub.close();
  await folder[Symbol.asyncDispose]();
});

async function open(...connectors: ReturnType<typeof defineConnector>[]): Promise<Hub> {
  const { dir } = folder;
  const config = await loadConfig({ cwd: dir, env: { AGENT_ZOO_HOME: dir }, home: dir });
  return createHub({ config, db: { path: ':memory:' }, watch: false, connectors });
}

const lazily = (sourceId: string, version: string): ConnectorItem => ({
  sourceId,
  version,
  body: async () => {
    reads.push(`${sourceId}@${version}`);
    return `# ${sourceId}\nversion ${version}`;
  },
});

describe('a connector written in code', () => {
  it('is a source like the others: synced, listed, searched and removed with its items', async () => {
    const reports = await hub.knowledge.sync({ target: 'all' });
    expect(reports).toMatchObject([
      { source: 'custom:tickets', added: 1 },
      { source: 'filesystem:docs', added: 1 },
    ]);
    expect(await hub.knowledge.sources()).toMatchObject([
      { source: 'custom:tickets', type: 'custom', place: 'tickets.example', documents: 1, state: 'ready' },
      { source: 'filesystem:docs' },
    ]);
    const found = await hub.knowledge.search({ query: 'refunds', source: 'custom:tickets' });
    expect(found).toMatchObject([{ title: 'Refunds', source_id: 'T-1', source_url: 'https://tickets.example/1' }]);
    items = [{ sourceId: 'T-2', body: 'Another ticket.' }];
    expect(await hub.knowledge.sync({ target: 'custom' })).toMatchObject([{ added: 1, removed: 1 }]);
    await expect(hub.knowledge.removeSource('custom:tickets')).rejects.toThrow('is defined in code. Remove it there.');
  });

  it('is read again only when an item has changed', async () => {
    const sync = async () => (await hub.knowledge.sync({ target: 'custom:tickets' }))[0];
    items = [{ sourceId: 'T-1', body: 'Same.', metadata: { b: 1 } }, lazily('T-2', '1')];
    expect(await sync()).toMatchObject({ added: 2 });
    expect(await sync()).toMatchObject({ unchanged: 2, fetched: 0 });
    expect(reads).toEqual(['T-2@1']);
    items = [{ sourceId: 'T-1', body: 'Changed.' }, lazily('T-2', '2')];
    expect(await sync()).toMatchObject({ changed: 2 });
    expect(reads).toEqual(['T-2@1', 'T-2@2']);
  });

  it('yields items one by one, with bytes, times, author and tags', async () => {
    await hub.close();
    async function* scan(): AsyncGenerator<ConnectorItem> {
      yield {
        sourceId: 'page.html',
        body: new TextEncoder().encode('<h1>Page</h1><p>of bytes</p>'),
        author: 'Ada',
        createdAt: '2026-01-01',
        updatedAt: new Date('2026-02-03T04:05:06Z'),
        tags: ['web'],
        metadata: { space: 'docs' },
      };
    }
    hub = await open(defineConnector({ name: 'wiki', scan }));
    await hub.knowledge.sync({ target: 'custom:wiki' });
    const [found] = await hub.knowledge.search({ query: 'bytes', filters: { tags: 'web' } });
    expect(found).toMatchObject({ title: 'Page', updated_at: '2026-02-03T04:05:06.000Z' });
    expect(await hub.knowledge.get(found?.id ?? '')).toMatchObject({
      contentType: 'text/html',
      metadata: { space: 'docs', author: 'Ada', created_at: '2026-01-01T00:00:00.000Z' },
    });
  });

  it.each<[string, object, string]>([
    ['T-9', { sourceId: 'T-9' }, 'body: must be a text, a Uint8Array, or a function that returns one of them'],
    ['item 2', { body: 'x' }, 'sourceId: is required'],
    ['T-9', { sourceId: 'T-9', body: async () => 'x' }, 'version: is required, because body is a function'],
    ['T-9', { sourceId: 'T-9', body: 'x', updatedAt: 'soon' }, 'updatedAt: must be a Date, an ISO 8601 text'],
    ['T-9', { sourceId: 'T-9', body: 'x', source_url: 'y' }, 'source_url'],
  ])('an item that breaks a rule is reported as %s, and the others are indexed', async (name, item, rule) => {
    items = [...items, item as ConnectorItem];
    const [report] = await hub.knowledge.sync({ target: 'custom' });
    expect(report).toMatchObject({ added: 1, failedCount: 1 });
    expect(report?.failed).toEqual([{ sourceId: name, message: expect.stringContaining(rule) }]);
  });

  it('that throws keeps its documents and shows the reason', async () => {
    await hub.knowledge.sync({ target: 'custom' });
    Object.defineProperty(items, Symbol.iterator, {
      value() {
        throw new Error('the token ran out');
      },
    });
    const [report] = await hub.knowledge.sync({ target: 'custom' });
    expect(report?.error).toBe('Connector "tickets" failed: the token ran out');
    expect((await hub.knowledge.stats()).documents).toBe(1);
  });

  it('with a bad name, without a scan, or twice is refused at once', async () => {
    expect(() => defineConnector({ name: 'a b', scan: () => [] })).toThrow('Connector "a b": name: must be 1–64');
    expect(() => defineConnector({ name: 'a' } as never)).toThrow('Connector "a": scan: must be a function');
    const one = defineConnector({ name: 'a', scan: () => [] });
    await expect(open(one, one)).rejects.toThrow(
      'Two connectors in code have the name "custom:a". Rename one of them.',
    );
  });
});
