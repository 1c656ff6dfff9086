import type { Logger } from '../../base/logger.ts';
import { workerUrl } from '../../base/worker-url.ts';
import type { ChunkLimits, IndexItem, PreparedItem } from './indexer-job.ts';
import { IndexThread, type SegmentRows } from './indexer-thread.ts';

/** Turns contents into text, passages and index segments, in threads of their own. */
export interface Indexer {
  /** For one sync; a thread that rests is taken up again. */
  open(signal: AbortSignal): Promise<IndexSession>;
  close(): Promise<void>;
}

export interface IndexSession {
  /** Changes whenever the same content would give another index. */
  readonly pipeline: string;
  /** One result for each item, in order; with no limits only hashes are made. Bytes are handed over, not copied. Throws IndexThreadFailure. */
  prepare(items: readonly IndexItem[], limits: ChunkLimits | null, signal: AbortSignal): Promise<PreparedItem[]>;
  /** The segment of the items that are `ready`, numbered in their order. Throws IndexThreadFailure. */
  build(options: { source: string; firstDocNo: number }, signal: AbortSignal): Promise<BuiltSegment>;
  close(): Promise<void>;
}

export interface BuiltSegment {
  header: Uint8Array;
  chunks: number;
  /** Once, and before those of the next segment. */
  rows(): Iterable<SegmentRows>;
}

export interface IndexerOptions {
  logger: Logger;
  /** For one document. */
  limitMs?: number;
  /** Its thread. */
  file?: URL;
}

const restMs = 30_000;

export function createIndexer({ logger, limitMs = 60_000, file }: IndexerOptions): Indexer {
  const threads = new Set<IndexThread>();
  let resting: { thread: IndexThread; pipeline: string; timer: NodeJS.Timeout } | undefined;
  let isClosed = false;

  return {
    async open(signal) {
      let { thread, pipeline } = await takeThread(signal);
      return {
        pipeline,
        async prepare(items, limits, stop) {
          if (!threads.has(thread)) ({ thread, pipeline } = await takeThread(stop));
          const asked = { signal: stop, transfer: transferable(items) };
          return work(
            async () => (await thread.ask('prepared', { type: 'prepare', items: [...items], limits }, asked)).results,
          );
        },
        async build(options, stop) {
          const builder = thread;
          const built = await work(() => builder.ask('built', { type: 'build', ...options }, { signal: stop }));
          return { header: built.header, chunks: built.chunks, rows: () => builder.rows() };
        },
        close: () => putAway(thread, pipeline),
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
      clearTimeout(resting?.timer);
      await Promise.all([...threads].map((thread) => thread.end()));
    },
  };

  async function takeThread(signal: AbortSignal): Promise<{ thread: IndexThread; pipeline: string }> {
    if (resting) {
      const { thread, pipeline, timer } = resting;
      clearTimeout(timer);
      resting = undefined;
      thread.work();
      if (thread.isSound) return { thread, pipeline };
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

  async function putAway(thread: IndexThread, pipeline: string): Promise<void> {
    if (isClosed || resting || !thread.isSound) {
      threads.delete(thread);
      await thread.end();
      return;
    }
    thread.rest();
    const timer = setTimeout(() => {
      resting = undefined;
      threads.delete(thread);
      thread.end().catch((error: unknown) => logger.warn({ err: error }, 'a thread did not end'));
    }, restMs).unref();
    resting = { thread, pipeline, timer };
  }
}

/** Only memory that belongs to one item alone can be handed over; a small Buffer may share it with others. */
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
