import { createHash } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { embeddedText } from '../document.ts';
import { createIndexer, type Indexer, type IndexerOptions } from './indexer.ts';
import type { IndexItem } from './indexer-job.ts';
import { IndexThreadFailure, type SegmentRows } from './indexer-thread.ts';

const badWorker = new URL('../../../test/support/knowledge/bad-index-worker.ts', import.meta.url);
const limits = { maxTokens: 100, overlapTokens: 0 };
const signal = new AbortController().signal;
let indexer: Indexer | undefined;
afterEach(async () => {
  await indexer?.close();
});

it('contents become documents, chunks with hashes, and postings sorted by term', async () => {
  const session = await open();
  const text = '# Title\n\nsome zebra words\n\n## Part\n\nother words';
  const results = await session.prepare(
    [item('a.md', new TextEncoder().encode(text)), item('b.txt', 'plain')],
    limits,
    signal,
  );
  const hash = createHash('sha256').update(text).digest('hex');
  expect(results).toMatchObject([
    { kind: 'ready', title: 'Title', hash, size: text.length, contentType: 'text/markdown' },
    { kind: 'ready', chunks: 1 },
  ]);
  const built = await session.build({ source: 'filesystem:x', firstDocNo: 7 }, signal);
  const { documents, postings } = allRows(built.rows());
  expect(documents.map((document) => [document.docNo, document.body])).toEqual([
    [7, text],
    [8, 'plain'],
  ]);
  const chunks = documents.flatMap((document) => document.chunks);
  expect(chunks).toHaveLength(built.chunks);
  const [chunk] = chunks;
  expect(chunk?.hash).toBe(
    createHash('sha256')
      .update(embeddedText('Title', chunk ?? { heading: [], text: '' }))
      .digest('hex'),
  );
  const terms = postings.map((row) => row.term);
  expect(terms).toEqual([...terms].sort());
  expect(terms).toContain('zebra');
  expect(postings.every((row) => row.data.length > 0)).toBe(true);
});

it('facts from the source override those in the text', async () => {
  const session = await open();
  const content = '---\ntitle: Own\ntags: [inner]\nowner: text\nteam: a\n---\n\nwords';
  const own = { title: 'Given', tags: ['outer'], metadata: { owner: 'source' }, contentType: 'text/markdown' };
  const [result] = await session.prepare([{ ...item('noname', content), ...own }], limits, signal);
  expect(result).toMatchObject({
    title: 'Given',
    tags: ['outer', 'inner'],
    metadata: { owner: 'source', team: 'a' },
    contentType: 'text/markdown',
  });
});

it('content with a known hash is not prepared', async () => {
  const session = await open({ file: badWorker });
  const knownHash = createHash('sha256').update('THROW').digest('hex');
  expect(await session.prepare([{ ...item('a.md', 'THROW'), knownHash }], limits, signal)).toEqual([
    { kind: 'same', hash: knownHash },
  ]);
});

it('only the unreadable document fails, with a message that hides the details', async () => {
  const session = await open({ file: badWorker });
  const results = await session.prepare(
    [item('a.md', 'one'), item('b.md', 'THROW'), item('c.md', 'three')],
    limits,
    signal,
  );
  expect(results.map((result) => result.kind)).toEqual(['ready', 'failed', 'ready']);
  expect(results[1]).toMatchObject({
    message: 'Its text cannot be read. The file may be damaged.',
    unexpected: expect.stringContaining('secret details of a parser'),
  });
});

it('a document that takes too long is reported, and the next request gets a working thread', async () => {
  const session = await open({ file: badWorker, limitMs: 2_000 });
  const failure = await session
    .prepare([item('a.md', 'one'), item('b.md', 'HANG')], limits, signal)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(IndexThreadFailure);
  expect(failure).toMatchObject({ message: 'Reading it took longer than 2 seconds.', culprit: 1 });
  expect(await session.prepare([item('c.md', 'three')], limits, signal)).toMatchObject([{ kind: 'ready' }]);
});

it('the time limit applies to each document', async () => {
  const session = await open({ file: badWorker, limitMs: 3_000 });
  const slow = Array.from({ length: 25 }, (_, index) => item(`${index}.md`, 'SLOW'));
  expect(await session.prepare(slow, limits, signal)).toHaveLength(25);
});

it('a crashed thread is an error without a culprit, and the next request gets another thread', async () => {
  const session = await open({ file: badWorker });
  await expect(session.prepare([item('a.md', 'EXIT')], limits, signal)).rejects.toMatchObject({ culprit: undefined });
  await session.prepare([item('a.md', 'BUILD')], limits, signal);
  await expect(session.build({ source: 's', firstDocNo: 1 }, signal)).rejects.toThrow(IndexThreadFailure);
  expect(await session.prepare([item('a.md', 'LATE')], limits, signal)).toMatchObject([{ kind: 'ready' }]);
});

it('a built segment can be read after its thread has ended', async () => {
  const session = await open({ file: badWorker });
  await session.prepare([item('a.md', 'words')], limits, signal);
  const built = await session.build({ source: 's', firstDocNo: 1 }, signal);
  await expect(session.prepare([item('b.md', 'EXIT')], limits, signal)).rejects.toThrow(IndexThreadFailure);
  expect(allRows(built.rows()).documents.map((document) => document.body)).toEqual(['words']);
});

it('an abort ends even a hanging thread', async () => {
  const session = await open({ file: badWorker });
  const controller = new AbortController();
  const preparing = session.prepare([item('a.md', 'HANG')], limits, controller.signal);
  controller.abort(new Error('enough'));
  await expect(preparing).rejects.toThrow('enough');
});

it('an idle thread is reused, and two sessions never share one', async () => {
  const first = await open();
  const second = await indexer?.open(signal);
  await first.prepare([item('a.md', 'one')], limits, signal);
  await second?.prepare([item('b.md', 'two'), item('c.md', 'three')], limits, signal);
  const built = await first.build({ source: 's', firstDocNo: 1 }, signal);
  expect(allRows(built.rows()).documents.map((document) => document.body)).toEqual(['one']);
  await first.close();
  await second?.close();
  const third = await indexer?.open(signal);
  expect(await third?.prepare([item('d.md', 'four')], limits, signal)).toMatchObject([{ kind: 'ready' }]);
});

async function open(options: Partial<IndexerOptions> = {}) {
  indexer = createIndexer({ logger: silentLogger, ...options });
  return indexer.open(signal);
}

function item(sourceId: string, content: string | Uint8Array): IndexItem {
  return { sourceId, content, updatedAt: 0 };
}

function allRows(rows: Iterable<SegmentRows>) {
  const all = [...rows];
  return {
    documents: all.flatMap((each) => ('documents' in each ? each.documents : [])),
    postings: all.flatMap((each) => ('postings' in each ? each.postings : [])),
  };
}
