import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../../test/support/databases/test-store.ts';
import { bruteForce } from '../../../test/support/knowledge/brute-force-search.ts';
import { documentId, type IndexedDocument, indexDocuments } from '../../../test/support/knowledge/test-index.ts';
import { mergeSegments } from '../index/merge-segments.ts';
import type { KnowledgeStore } from '../store/knowledge-store.ts';
import { SearchIndex } from './search-index.ts';

const vocabulary = 'alpha beta gamma delta readFile read_file the of retry retries error-code v1.2 東京 naïve'.split(
  ' ',
);
const text = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const day = (number: number) => Date.UTC(2026, 0, 1 + number, 12);

/** At most three chunks, so that each may be the best of its document. */
const anyDocument = fc.record({
  source: fc.constantFrom('git:one', 'git:two', 'filesystem:one'),
  sourceId: fc.constantFrom(...'abcdefgh'),
  title: text,
  tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 2 }),
  updatedAt: fc.integer({ min: 0, max: 9 }).map(day),
  chunks: fc.array(fc.record({ heading: fc.array(text, { maxLength: 1 }), text }), { minLength: 1, maxLength: 3 }),
});
const anyFilters = fc.record(
  {
    source: fc.array(fc.constantFrom('git:one', 'git', 'one', 'filesystem', 'none'), { minLength: 1, maxLength: 2 }),
    since: fc.constantFrom('2026-01-03', '2026-01-05T12:00:00Z', '2026-01-09'),
    until: fc.constantFrom('2026-01-02', '2026-01-05T12:00:00Z', '2026-01-08'),
    tags: fc.array(fc.constantFrom('x', 'y', 'none'), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const anyQuery = fc.oneof(
  text,
  fc
    .tuple(text, text, fc.constantFrom('', '+'))
    .map(([first, second, plus]) => `${first} ${plus}"${second.split(' ').slice(0, 2).join(' ')}"`),
);

describe.each(usualDatabaseKinds)('keyword search in %s', (kind) => {
  let stores: TestStores;
  let store: KnowledgeStore;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    store = stores.store.knowledge;
  });
  afterAll(() => stores.remove());
  beforeEach(() => empty(store));

  it('finds any of the words in every form, and ranks by number and rarity', async () => {
    await indexDocuments(store, [
      page('one', 'The hub retries a call.'),
      page('two', 'A call of the hub.'),
      page('three', 'Something else.'),
    ]);
    expect(await find('retry calling')).toEqual(['one', 'two']);
    expect(await find('absent')).toEqual([]);
    expect(await find('NOT something AND else')).toEqual(['three']);
    expect(await find(' ?! ')).toEqual([]);
  });

  it('ranks titles above headings, and headings above text', async () => {
    const rest = 'and some other words that stand here as well';
    await indexDocuments(store, [
      page('text', `retry ${rest}`),
      { sourceId: 'heading', chunks: [{ heading: ['Retry'], text: rest }] },
      { sourceId: 'title', title: 'Retry', chunks: [{ text: rest }] },
    ]);
    expect(await find('retry')).toEqual(['title', 'heading', 'text']);
  });

  it('returns the best passage of each document', async () => {
    const chunks = ['nothing', 'alpha beta', 'alpha', 'beta'].map((each) => ({ text: each }));
    await indexDocuments(store, [{ sourceId: 'long', chunks }, page('short', 'alpha or whatever')]);
    const found = await new SearchIndex(store).search('alpha beta', { limit: 10 });
    expect(found.map(({ passage }) => [passage.document.sourceId, passage.ordinal])).toEqual([
      ['long', 1],
      ['short', 0],
    ]);
  });

  it('a document of hundreds of passages leaves room for the others', async () => {
    const many = Array.from({ length: 400 }, () => ({ text: 'alpha alpha alpha' }));
    await indexDocuments(store, [
      { sourceId: 'huge', chunks: many },
      page('other', `alpha ${'and more words '.repeat(20)}`),
    ]);
    expect(await find('alpha')).toEqual(['huge', 'other']);
  });

  it('a query of only phrases finds only passages with all of them', async () => {
    await indexDocuments(store, [
      page('together', 'the exit code is one'),
      page('apart', 'the code of the exit, exit and code'),
      { sourceId: 'heading', chunks: [{ heading: ['Exit codes'], text: 'other words' }] },
      page('identifier', 'call exitCode now'),
    ]);
    expect((await find('"exit code"')).sort()).toEqual(['heading', 'identifier', 'together']);
    expect(await find('"the exit code"')).toEqual(['together']);
    expect(await find('"of the exit" "and code"')).toEqual(['apart']);
    expect(await find('"code exit"')).toEqual([]);
  });

  it('a phrase among other words ranks higher, and a plus requires it', async () => {
    await indexDocuments(store, [
      page('apart', 'the code of the exit, exit and code: module not found'),
      page('together', 'the exit code is one, and some more words so that this text is longer than the other one'),
      page('neither', 'module not found'),
    ]);
    const pasted = await find('Error: module not found, "exit code" 1');
    expect([...pasted].sort()).toEqual(['apart', 'neither', 'together']);
    expect(await find('of "exit code"')).toEqual(['together', 'apart']);
    expect(await find('of exit code')).toEqual(['apart', 'together']);
    expect(await find('module not found +"exit code"')).toEqual(['together']);
    expect(await find('module not found +“exit code”')).toEqual(['together']);
    expect(await find('Cannot find module "./nowhere.js" imported from "main.js"')).toEqual(['neither', 'apart']);
  });

  it('a phrase is found below hundreds of better passages without it', async () => {
    const near = Array.from({ length: 250 }, (_, index) => page(`n${index}`, 'beta alpha'));
    await indexDocuments(store, [...near, page('far', `alpha beta ${'and many other words '.repeat(30)}`)]);
    expect(await find('"alpha beta"')).toEqual(['far']);
  });

  it('finds text in scripts without spaces', async () => {
    await indexDocuments(store, [page('tokyo', '私は東京都に住む'), page('kyoto', '京都は古い')]);
    expect(await find('東京')).toEqual(['tokyo']);
    expect((await find('京')).sort()).toEqual(['kyoto', 'tokyo']);
    expect((await find('京都')).sort()).toEqual(['kyoto', 'tokyo']);
  });

  it('explains each score: terms and bonuses add up to it', async () => {
    await indexDocuments(store, [
      { sourceId: 'a', title: 'Retry', chunks: [{ text: 'retry the call of the hub, call by call' }] },
      page('b', 'call'),
    ]);
    const found = await new SearchIndex(store).search('call retry call', { limit: 10, explain: true });
    expect(found).toHaveLength(2);
    for (const { score, explain } of found) {
      const terms = explain?.terms.reduce((sum, term) => sum + term.score, 0) ?? 0;
      const bonuses = Object.values(explain?.bonuses ?? {}).reduce((sum, bonus) => sum + bonus, 0);
      expect(terms + bonuses).toBeCloseTo(score, 10);
    }
    expect(found[0]?.explain?.terms.map(({ term, tf }) => [term, tf])).toEqual([
      ['call', 3],
      ['retri', 5],
    ]);
    expect(found[0]?.explain?.bonuses.title).toBeGreaterThan(0);
    expect(found[1]?.explain?.bonuses).toEqual({ adjacent: 0, near: 0, title: 0, phrase: 0 });
  });

  it('sees documents that another process published, replaced, touched and removed', async () => {
    const index = new SearchIndex(store);
    const other = stores.other.knowledge;
    const names = async (filters = {}) =>
      (await index.search('alpha', { limit: 10, filters })).map(({ passage }) => passage.document.sourceId).sort();
    expect(await names()).toEqual([]);
    await indexDocuments(other, [page('a', 'alpha'), page('b', 'alpha')]);
    await expect.poll(() => names()).toEqual(['a', 'b']);
    await indexDocuments(other, [page('b', 'beta'), page('c', 'alpha')]);
    await expect.poll(() => names()).toEqual(['a', 'c']);
    await other.touchDocuments([{ id: idOf('a'), version: '2', updatedAt: Date.UTC(2030, 0, 1) }]);
    await expect.poll(() => names({ since: '2029-01-01' })).toEqual(['a']);
    expect(await names({ until: '2029-01-01' })).toEqual(['c']);
    await other.removeDocuments([idOf('a')]);
    await expect.poll(() => names()).toEqual(['c']);
  });

  it('a search is correct while segments are published and merged', async () => {
    const index = new SearchIndex(stores.other.knowledge);
    await indexDocuments(store, [page('stays', 'alpha')]);
    const writing = (async () => {
      for (let round = 0; round < 30; round++) {
        await indexDocuments(store, [page(`p${round % 3}`, 'alpha beta')]);
        if (round % 10 === 9) await mergeSegments(store, { signal: AbortSignal.timeout(60_000) });
      }
    })();
    let isWriting = true;
    void writing.finally(() => {
      isWriting = false;
    });
    while (isWriting) {
      const found = await index.search('alpha', { limit: 10 });
      await nextTurn();
      const names = found.map(({ passage }) => passage.document.sourceId);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toContain('stays');
    }
    await writing;
    await expect.poll(() => find('alpha')).toHaveLength(4);
  });

  it('a filtered search equals a brute-force search over the filtered documents', async () => {
    const run = fc.asyncProperty(
      fc.array(anyDocument, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(anyQuery, anyFilters), { minLength: 3, maxLength: 3 }),
      async (documents, searches) => {
        await empty(store);
        const distinct = latest(documents);
        await indexDocuments(store, distinct);
        const index = new SearchIndex(store);
        for (const [query, filters] of searches) {
          const found = await index.search(query, { limit: 5, filters });
          const expected = bruteForce(distinct, query, filters).slice(0, 5);
          expect(
            found.map(({ docNo: _, passage, score }) => [passage.document.id, passage.ordinal, digits(score)]),
          ).toEqual(expected.map(({ id, ordinal, score }) => [id, ordinal, digits(score)]));
          const allowed = await index.documents(filters);
          for (const { docNo } of found) expect(allowed.has(docNo)).toBe(true);
        }
      },
    );
    await fc.assert(run, { numRuns: 40 });
  });

  it('the ranking does not depend on how the index was built', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.array(anyDocument, { minLength: 1, maxLength: 3 }).map((add) => ({ add })) },
      { weight: 2, arbitrary: fc.record({ remove: fc.array(fc.constantFrom(...'abcdefgh'), { minLength: 1 }) }) },
      { weight: 1, arbitrary: fc.constant({ merge: true }) },
    );
    const run = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(anyQuery, { minLength: 3, maxLength: 3 }),
      async (steps, queries) => {
        await empty(store);
        let now: Required<IndexedDocument>[] = [];
        for (const each of steps) {
          if ('add' in each) {
            const added = latest(each.add);
            await indexDocuments(store, added);
            now = latest([...now, ...added]);
          } else if ('remove' in each) {
            const gone = now.filter(({ sourceId }) => each.remove.includes(sourceId));
            await store.removeDocuments(gone.map(documentId));
            now = now.filter((one) => !gone.includes(one));
          } else {
            await mergeSegments(store, { signal: AbortSignal.timeout(60_000) });
          }
        }
        const ranked = await rank(queries);
        await empty(store);
        if (now.length > 0) await indexDocuments(store, now.toReversed());
        expect(ranked).toEqual(await rank(queries));
      },
    );
    await fc.assert(run, { numRuns: 30 });
  });

  async function rank(queries: readonly string[]): Promise<unknown[]> {
    const index = new SearchIndex(store);
    const all = [];
    for (const query of queries) {
      const found = await index.search(query, { limit: 20, explain: true });
      all.push(found.map(({ passage, score, explain }) => [passage.document.id, passage.ordinal, score, explain]));
    }
    return all;
  }

  async function find(query: string): Promise<string[]> {
    const found = await new SearchIndex(store).search(query, { limit: 10 });
    return found.map(({ passage }) => passage.document.sourceId);
  }
});

function page(sourceId: string, content: string): IndexedDocument {
  return { sourceId, chunks: [{ text: content }] };
}

function idOf(sourceId: string): string {
  return documentId({ sourceId });
}

/** Of documents with one name the last, as a sync would have it. */
function latest<D extends IndexedDocument>(documents: readonly D[]): D[] {
  return [...new Map(documents.map((each) => [documentId(each), each])).values()];
}

function digits(score: number): string {
  return score.toPrecision(9);
}

async function empty(store: KnowledgeStore): Promise<void> {
  const { documents } = await store.documents({ limit: 1_000 });
  await store.removeDocuments(documents.map(({ id }) => id));
  await mergeSegments(store, { signal: AbortSignal.timeout(60_000) });
}
