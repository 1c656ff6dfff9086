import type { Logger } from '../../base/logger.ts';
import { workerUrl } from '../../base/worker-url.ts';
import type { ChunkLimits, IndexItem, PreparedItem, ReadText } from './indexer-job.ts';
import { IndexThread, type SegmentRows } from './indexer-thread.ts';

/** Turns contents into text, passages and index segments, in worker threads. */
export interface Indexer {
  /** Opens a session for one sync. Reuses an idle thread. */
  open(signal: AbortSignal): Promise<IndexSession>;
  close(): Promise<void>;
}

export interface IndexSession {
  /** Changes whenever the same content would be indexed differently. */
  readonly pipeline: string;
  /** Returns one result per item, in order. Transfers the contents instead of copying them. Throws IndexThreadFailure. */
  prepare(items: readonly IndexItem[], limits: ChunkLimits, signal: AbortSignal): Promise<PreparedItem[]>;
  /** Builds a segment from the `ready` items, numbered in order. Throws IndexThreadFailure. */
  build(options: { source: string; firstDocNo: number }, signal: AbortSignal): Promise<BuiltSegment>;
  /** Returns the text of a document. Throws IndexThreadFailure. */
  read(document: { name: string; content: Uint8Array }, signal: AbortSignal): Promise<ReadText>;
  close(): Promise<void>;
}

export interface BuiltSegment {
  header: Uint8Array;
  chunks: number;
  /** Call it once, before reading the rows of the next segment. */
  rows(): Iterable<SegmentRows>;
}

export interface IndexerOptions {
  logger: Logger;
  /** The time limit per document. */
  limitMs?: number;
  /** The worker's entry file. */
  file?: URL;
}

const idleMs = 30_000;

export function createIndexer({ logger, limitMs = 60_000, file }: IndexerOptions): Indexer {
  const threads = new Set<IndexThread>();
  let idle: { thread: IndexThread; pipeline: string; timer: NodeJS.Timeout } | undefined;
  let isClosed = false;

  return {
    async open(signal) {
      let { thread, pipeline } = await takeThread(signal);
      return {
        pipeline,
        async prepare(items, limits, stop) {
          if (!threads.has(thread)) ({ thread, pipeline } = await takeThread(stop));
          const options = { signal: stop, transfer: transferable(items) };
          return work(
            async () => (await thread.ask('prepared', { type: 'prepare', items: [...items], limits }, options)).results,
          );
        },
        async build(options, stop) {
          const builder = thread;
          const built = await work(() => builder.ask('built', { type: 'build', ...options }, { signal: stop }));
          return { header: built.header, chunks: built.chunks, rows: () => builder.rows() };
        },
        async read(document, stop) {
          return work(async () => (await thread.ask('read', { type: 'read', ...document }, { signal: stop })).result);
        },
        close: () => park(thread, pipeline),
      };

      async function work<T>(run: () => Promise<T>): Promise<T> {
        try {
          return await run();
        } catch (error) {
          threads.delete(thread);
          await thread.end();
          throw error;
        }
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(idle?.timer);
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };

  async function takeThread(signal: AbortSignal): Promise<{ thread: IndexThread; pipeline: string }> {
    if (idle) {
      const { thread, pipeline, timer } = idle;
      clearTimeout(timer);
      idle = undefined;
      thread.work();
      if (thread.isReusable) return { thread, pipeline };
      threads.delete(thread);
    }
    const thread = new IndexThread({ file: file ?? workerUrl('knowledge/index/index-worker'), limitMs });
    threads.add(thread);
    try {
      const { pipeline } = await thread.ask('hello', undefined, { signal });
      return { thread, pipeline };
    } catch (error) {
      threads.delete(thread);
      await thread.end();
      throw error;
    }
  }

  async function park(thread: IndexThread, pipeline: string): Promise<void> {
    if (isClosed || idle || !thread.isReusable) {
      threads.delete(thread);
      await thread.end();
      return;
    }
    thread.rest();
    const timer = setTimeout(() => {
      idle = undefined;
      threads.delete(thread);
      thread.end().catch((error: unknown) => logger.warn({ err: error }, 'an indexing thread did not terminate'));
    }, idleMs).unref();
    idle = { thread, pipeline, timer };
  }
}

/** Returns the buffers that can be transferred: those that belong to a single item. Small Buffers share memory. */
function transferable(items: readonly IndexItem[]): ArrayBuffer[] {
  const buffers = items.flatMap(({ content }) =>
    typeof content !== 'string' &&
    content.buffer instanceof ArrayBuffer &&
    content.byteLength === content.buffer.byteLength
      ? [content.buffer]
      : [],
  );
  return [...new Set(buffers)];
}
