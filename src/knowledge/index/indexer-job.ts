import { createHash } from 'node:crypto';
import type { MessagePort } from 'node:worker_threads';
import { HubError } from '../../base/hub-error.ts';
import { embeddedText, type PreparedDocument } from '../document.ts';
import type { NewDocument } from '../store/knowledge-store.ts';
import type { buildSegment } from './segment.ts';

/** A request to the indexing thread. One at a time. */
export type IndexOrder =
  | { type: 'prepare'; items: IndexItem[]; limits: ChunkLimits }
  | { type: 'build'; source: string; firstDocNo: number }
  | { type: 'read'; name: string; content: Uint8Array };

export type IndexReply =
  | { type: 'hello'; pipeline: string }
  /** The thread starts on the document with this index. Its time limit starts now. */
  | { type: 'began'; index: number }
  | { type: 'prepared'; results: PreparedItem[] }
  | { type: 'built'; header: Uint8Array; chunks: number }
  | { type: 'read'; result: ReadText }
  | { type: 'failed'; message: string };

/** A part of a built segment, small enough to be received without blocking the event loop. */
export type SegmentPart =
  | { type: 'documents'; documents: NewDocument[] }
  /** Terms, and their concatenated bytes, which end at `ends`. */
  | { type: 'postings'; terms: string[]; ends: number[]; bytes: Uint8Array }
  | { type: 'end' };

export interface ChunkLimits {
  maxTokens: number;
  overlapTokens: number;
}

export interface IndexItem {
  sourceId: string;
  updatedAt: number;
  content: Uint8Array | string;
  title?: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  contentType?: string;
  /** Content with this hash is not prepared again. */
  knownHash?: string;
}

export type PreparedItem =
  | { kind: 'same'; hash: string }
  | ({ kind: 'ready'; hash: string; chunks: number; size: number } & Omit<PreparedDocument, 'body' | 'chunks'>)
  /** `unexpected` goes to the log. */
  | { kind: 'failed'; message: string; unexpected?: string };

export type ReadText = { kind: 'ready'; text: string; contentType: string } | Extract<PreparedItem, { kind: 'failed' }>;

export interface IndexWork {
  prepare(
    item: { name: string; content: Uint8Array | string; contentType?: string },
    limits: ChunkLimits,
  ): Promise<PreparedDocument>;
  build: typeof buildSegment;
  /** Identifies the versions of text extraction and analysis. */
  pipeline: string;
}

interface ReadyDocument extends PreparedDocument {
  item: IndexItem;
}

/** The passages of a text that is only read are not used. */
const readLimits: ChunkLimits = { maxTokens: 8_192, overlapTokens: 0 };
const partRows = 150;
const partCharacters = 150_000;
const partTerms = 500;

/** Handles requests in the thread. Keeps the documents between `prepare` and `build`. */
export function serveIndexing(port: MessagePort, parts: MessagePort, work: IndexWork): void {
  let ready: ReadyDocument[] = [];
  const reply = (message: IndexReply) => port.postMessage(message);
  port.on('message', (order: IndexOrder) => {
    answer(order).catch((error: unknown) => reply({ type: 'failed', message: String(error) }));
  });
  reply({ type: 'hello', pipeline: work.pipeline });

  async function answer(order: IndexOrder): Promise<void> {
    if (order.type === 'build') build(order);
    else if (order.type === 'read') reply({ type: 'read', result: await read(order) });
    else await prepareAll(order.items, order.limits);
  }

  async function read(item: { name: string; content: Uint8Array }): Promise<ReadText> {
    try {
      const { body, contentType } = await work.prepare(item, readLimits);
      return { kind: 'ready', text: body, contentType };
    } catch (error) {
      return toFailure(error);
    }
  }

  async function prepareAll(items: readonly IndexItem[], limits: ChunkLimits): Promise<void> {
    ready = [];
    const results: PreparedItem[] = [];
    for (const [index, item] of items.entries()) {
      reply({ type: 'began', index });
      results.push(await prepareOne(item, limits));
    }
    reply({ type: 'prepared', results });
  }

  async function prepareOne(item: IndexItem, limits: ChunkLimits): Promise<PreparedItem> {
    try {
      const hash = createHash('sha256').update(item.content).digest('hex');
      if (hash === item.knownHash) return { kind: 'same', hash };
      const { content, contentType } = item;
      const named = { name: item.sourceId, content, ...(contentType !== undefined && { contentType }) };
      const document = withSourceFacts(await work.prepare(named, limits), item);
      ready.push({ ...document, item: { ...item, content: '' } });
      const { body, chunks, ...facts } = document;
      return { kind: 'ready', hash, chunks: chunks.length, size: body.length, ...facts };
    } catch (error) {
      return toFailure(error);
    }
  }

  function build({ source, firstDocNo }: { source: string; firstDocNo: number }): void {
    const documents = ready.map((document, index) => ({ ...document, docNo: firstDocNo + index }));
    const segment = work.build(
      documents.map(({ docNo, item, tags, title, chunks }) => ({
        docNo,
        source,
        sourceId: item.sourceId,
        updatedAt: item.updatedAt,
        tags,
        title,
        chunks,
      })),
    );
    sendDocuments(documents);
    sendPostings(segment.postings);
    parts.postMessage({ type: 'end' } satisfies SegmentPart);
    ready = [];
    reply({ type: 'built', header: segment.header, chunks: segment.chunks });
  }

  function sendDocuments(documents: readonly (ReadyDocument & { docNo: number })[]): void {
    let part: NewDocument[] = [];
    let rows = 0;
    let characters = 0;
    const send = () => {
      if (part.length > 0) parts.postMessage({ type: 'documents', documents: part } satisfies SegmentPart);
      part = [];
      rows = 0;
      characters = 0;
    };
    for (const { docNo, body, title, chunks } of documents) {
      if (rows + chunks.length > partRows || characters + body.length > partCharacters) send();
      rows += chunks.length + 1;
      characters += body.length;
      part.push({ docNo, body, chunks: chunks.map((chunk) => ({ ...chunk, hash: hashOf(title, chunk) })) });
    }
    send();
  }

  function sendPostings(postings: ReturnType<typeof buildSegment>['postings']): void {
    for (let start = 0; start < postings.length; start += partTerms) {
      const rows = postings.slice(start, start + partTerms);
      const bytes = new Uint8Array(rows.reduce((sum, row) => sum + row.data.length, 0));
      const ends: number[] = [];
      let end = 0;
      for (const { data } of rows) {
        bytes.set(data, end);
        end += data.length;
        ends.push(end);
      }
      const part: SegmentPart = { type: 'postings', terms: rows.map((row) => row.term), ends, bytes };
      parts.postMessage(part, [bytes.buffer]);
    }
  }
}

function toFailure(error: unknown): Extract<PreparedItem, { kind: 'failed' }> {
  if (error instanceof HubError) return { kind: 'failed', message: error.message };
  const unexpected = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'failed', message: 'Its text cannot be read. The file may be damaged.', unexpected };
}

/** Overrides facts found in the text with those that the source gives. Joins tags. */
function withSourceFacts(document: PreparedDocument, item: IndexItem): PreparedDocument {
  return {
    ...document,
    title: item.title ?? document.title,
    tags: [...new Set([...(item.tags ?? []), ...document.tags])],
    metadata: { ...document.metadata, ...item.metadata },
  };
}

function hashOf(title: string, chunk: Parameters<typeof embeddedText>[1]): string {
  return createHash('sha256').update(embeddedText(title, chunk)).digest('hex');
}
