import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { documentId, indexDocuments } from '../../../test/support/knowledge/test-index.ts';
import { HubError } from '../../base/hub-error.ts';
import { parseWith } from '../../base/validate.ts';
import type { SemanticSearch, SimilarChunk } from '../embedder.ts';
import { SearchIndex } from './search-index.ts';
import { createSearch, fuse, type SearchParts, scale } from './search-knowledge.ts';
import { SearchRequest, SearchResult } from './search-request.ts';

describe.each(usualDatabaseKinds)('search of the knowledge base in %s', (kind) => {
  let stores: TestStores;
  let parts: SearchParts;
  let docNos: number[];
  beforeAll(async () => {
    stores = await openTestStores(kind);
    const store = stores.store.knowledge;
    docNos = await indexDocuments(store, [
      {
        sourceId: 'guides/retry.md',
        source: 'git:runbooks',
        title: 'Retries',
        tags: ['ops'],
        updatedAt: stores.clock.time - 90_500,
        chunks: [
          { text: 'Introduction.' },
          { heading: ['Guide', 'How'], text: 'The hub retries a **failed** call,\nthen gives up.' },
        ],
      },
      { sourceId: 'calls.md', title: 'Calls', chunks: [{ text: 'A call is a request.' }] },
      { sourceId: 'cats.md', title: 'Cats', updatedAt: stores.clock.time + 60_000, chunks: [{ text: 'Purring.' }] },
    ]);
    const retrieval = { hybridAlpha: 0.6, candidateKKeyword: 80, candidateKVector: 80, finalLimit: 12 };
    parts = { store, index: new SearchIndex(store), retrieval, clock: stores.clock };
  });
  afterAll(() => stores.remove());

  it('returns the passage with all its facts', async () => {
    const { results, mode } = await createSearch(parts)({ query: 'failed retry', explain: true });
    expect(mode).toBe('keyword');
    expect(results).toHaveLength(1);
    const [result] = results;
    expect(SearchResult.parse(result)).toEqual(result);
    expect(result).toMatchObject({
      id: documentId({ source: 'git:runbooks', sourceId: 'guides/retry.md' }),
      score: 1,
      title: 'Retries',
      source: 'git:runbooks',
      source_id: 'guides/retry.md',
      source_url: null,
      updated_at: new Date(stores.clock.time - 90_500).toISOString(),
      snippet: 'The hub **retries** a **failed** call, then gives up.',
      passage: { heading: ['Guide', 'How'], start_line: 2, end_line: 2, ordinal: 1 },
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
      age_seconds: 90,
      tags: ['ops'],
      explain: { mode: 'keyword', semantic: null, bonuses: { title: expect.any(Number) } },
    });
  });

  it('scales scores to the best, and cuts at the limit', async () => {
    const { results } = await createSearch(parts)({ query: 'call' });
    expect(results.map((each) => each.source_id)).toEqual(['calls.md', 'guides/retry.md']);
    expect(results[0]?.score).toBe(1);
    expect(results[1]?.score).toBeGreaterThan(0);
    expect(results[1]?.score).toBeLessThan(1);
    expect(results[0]).not.toHaveProperty('explain');
    expect((await createSearch(parts)({ query: 'call', limit: 1 })).results).toHaveLength(1);
    const few = { ...parts, retrieval: { ...parts.retrieval, finalLimit: 1 } };
    expect((await createSearch(few)({ query: 'call' })).results).toHaveLength(1);
  });

  it('a document from the future has no age', async () => {
    const { results } = await createSearch(parts)({ query: 'purring' });
    expect(results[0]?.age_seconds).toBe(0);
  });

  it('a query without words finds nothing', async () => {
    for (const query of ['', '  ', '…!? "" **', '🙂']) {
      expect(await createSearch(parts)({ query })).toEqual({ results: [], mode: 'keyword' });
      expect((await createSearch({ ...parts, semantic: nearest([]) })({ query, mode: 'semantic' })).results).toEqual(
        [],
      );
    }
  });

  const wrong: [request: object, message: string][] = [
    [{}, 'query'],
    [{ query: 'x', limit: 1.5 }, 'limit'],
    [{ query: 'x', source: 'git', filters: { source: 'git' } }, 'source'],
    [{ query: 'x', mode: 'fuzzy' }, 'mode'],
    [{ query: 'x', filters: { since: 'yesterday' } }, 'filters.since'],
    [{ query: 'x', filters: { author: 'me' } }, 'author'],
    [{ query: 'x', offset: 3 }, 'offset'],
  ];
  it.each(wrong)('refuses %j and names %s', (request, name) => {
    expect(() => parseWith(SearchRequest, request)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS', message: expect.stringContaining(name) }),
    );
  });

  it.each<[request: object, parsed: object]>([
    [{ filters: null, mode: null, limit: null, explain: null }, {}],
    [{ filters: { source: null, tags: null, since: null, until: null } }, { filters: {} }],
    [{ source: 'git', filters: { source: null, tags: 'a' } }, { filters: { source: ['git'], tags: ['a'] } }],
    [{ source: ['git', 'script:jira'] }, { filters: { source: ['git', 'script:jira'] } }],
    [{ limit: 0 }, { limit: 1 }],
    [{ limit: -5 }, { limit: 1 }],
    [{ limit: 100_000 }, { limit: 100 }],
  ])('takes %j as %j', (request, parsed) => {
    expect(parseWith(SearchRequest, { query: 'x', ...request })).toEqual({ query: 'x', ...parsed });
  });

  it('without embeddings, semantic fails with advice, and hybrid falls back to keywords', async () => {
    const search = createSearch(parts);
    await expect(search({ query: 'call', mode: 'semantic' })).rejects.toMatchObject({
      code: 'EMBEDDINGS_DISABLED',
      message: expect.stringContaining('provider = "local"'),
    });
    const hybrid = await search({ query: 'call', mode: 'hybrid' });
    expect(hybrid).toEqual({ ...(await search({ query: 'call', mode: 'keyword' })), mode: 'keyword' });
  });

  it('a search by meaning returns the nearest passage of each document', async () => {
    const semantic = nearest([
      [2, 0, 0.8],
      [0, 1, 0.6],
      [0, 0, 0.5],
      [1, 0, -0.1],
    ]);
    const { results, mode } = await createSearch({ ...parts, semantic })({
      query: 'pets',
      mode: 'semantic',
      explain: true,
    });
    expect(mode).toBe('semantic');
    expect(results.map(({ source_id, passage, score }) => [source_id, passage.ordinal, score])).toEqual([
      ['cats.md', 0, 1],
      ['guides/retry.md', 1, 0.6 / 0.8],
      ['calls.md', 0, 0],
    ]);
    expect(results[0]?.explain).toEqual({ mode: 'semantic', keyword: null, semantic: 0.8, terms: [], bonuses: {} });
    expect(results[0]?.snippet).toBe('Purring.');
  });

  it('hybrid is the default, weighted by alpha', async () => {
    const semantic = nearest([
      [2, 0, 0.9],
      [0, 0, 0.7],
      [1, 0, 0.5],
    ]);
    const ask = async (hybridAlpha: number) => {
      const search = createSearch({ ...parts, semantic, retrieval: { ...parts.retrieval, hybridAlpha } });
      const { results, mode } = await search({ query: 'call', explain: true });
      expect(mode).toBe('hybrid');
      return results;
    };
    expect((await ask(1)).map((each) => each.source_id)).toEqual(['cats.md', 'guides/retry.md', 'calls.md']);
    expect((await ask(0))[0]?.source_id).toBe('calls.md');
    const [first, second, third] = await ask(0.6);
    expect([first?.source_id, first?.score, first?.explain?.keyword]).toEqual(['cats.md', 1, null]);
    // Words: 1 and 0; meaning: 0 and 0.5.
    expect([second?.source_id, third?.source_id]).toEqual(['calls.md', 'guides/retry.md']);
    expect(second?.score).toBeCloseTo(0.4 / 0.6, 12);
    expect(third?.score).toBeCloseTo(0.3 / 0.6, 12);
    expect(third?.passage.ordinal).toBe(0);
    expect(third?.explain).toMatchObject({ keyword: expect.any(Number), semantic: 0.7 });
  });

  it('filters and phrases also apply to a search by meaning, before the limit', async () => {
    const asked: number[] = [];
    const semantic: SemanticSearch = {
      find: async (_, { allows }) => {
        asked.push(...docNos.filter(allows));
        return docNos.filter(allows).map((docNo) => ({ docNo, ordinal: 0, similarity: 0.5 }));
      },
    };
    const search = createSearch({ ...parts, semantic });
    const tagged = await search({ query: 'call', filters: { tags: ['ops'] } });
    expect(tagged.results.map((each) => each.source_id)).toEqual(['guides/retry.md']);
    expect(asked).toEqual([docNos[0]]);
    const quoted = await search({ query: '"is a request"', mode: 'semantic' });
    expect(quoted.results.map((each) => each.source_id)).toEqual(['calls.md']);
  });

  it.each(['TRANSIENT_ERROR', 'UNAVAILABLE', 'NOT_CONFIGURED'] as const)(
    'while the provider only answers %s, words do, unless meaning was asked for by name',
    async (code) => {
      const semantic: SemanticSearch = {
        find: async () => {
          throw new HubError(code, 'The provider does not answer.');
        },
      };
      const search = createSearch({ ...parts, semantic });
      expect(await search({ query: 'call' })).toMatchObject({ mode: 'keyword', results: [{}, {}] });
      await expect(search({ query: 'call', mode: 'hybrid' })).rejects.toThrow('does not answer');
      await expect(search({ query: 'call', mode: 'semantic' })).rejects.toThrow('does not answer');
    },
  );

  it('can be aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(createSearch(parts)({ query: 'call' }, { signal })).rejects.toThrow('enough');
  });

  /** Documents by their place in the list above, the nearest first. */
  function nearest(chunks: [document: number, ordinal: number, similarity: number][]): SemanticSearch {
    return {
      find: async (): Promise<SimilarChunk[]> =>
        chunks.map(([document, ordinal, similarity]) => ({ docNo: docNos[document] ?? 0, ordinal, similarity })),
    };
  }
});

it('scales each ranking and weights it by alpha', () => {
  const words = new Map([
    ['a', 30],
    ['b', 20],
    ['c', 10],
  ]);
  const meaning = new Map([
    ['b', 0.9],
    ['d', 0.5],
    ['a', 0.7],
  ]);
  const fused = fuse(words, meaning, 0.4);
  expect(fused.get('a')).toBeCloseTo(0.6 * 1 + 0.4 * 0.5);
  expect(fused.get('b')).toBeCloseTo(0.6 * 0.5 + 0.4 * 1);
  expect(fused.get('c')).toBe(0);
  expect(fused.get('d')).toBe(0);
  expect([...fuse(words, meaning, 0)].map(([, score]) => score)).toEqual([1, 0.5, 0, 0]);
});

it('scales equal scores to 1', () => {
  expect([...scale(new Map([['a', 5]])).values()]).toEqual([1]);
  expect(fuse(new Map(), new Map([['a', -1]]), 0.5)).toEqual(new Map([['a', 0.5]]));
  expect(fuse(new Map(), new Map(), 0.5)).toEqual(new Map());
});
