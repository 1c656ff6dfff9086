import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Indexer, IndexerOptions } from '../knowledge/index/indexer.ts';
import { IndexThreadFailure } from '../knowledge/index/indexer-thread.ts';

/** The time limit for reading a file that somebody attached. */
const readMs = 30_000;
/** The documents of one caller that wait to be read. */
const maxWaiting = 10;

interface AttachedDocument {
  name: string;
  content: Uint8Array;
  /** Callers take turns. */
  caller: string;
}

export interface DocumentReader {
  /**
   * Reads a document as text. Throws INVALID_FORMAT, INVALID_ARGUMENTS for one that takes too much time or memory, and RATE_LIMITED
   * if too many documents of its caller are waiting.
   */
  read(document: AttachedDocument): Promise<{ text: string; mimeType: string }>;
  close(): Promise<void>;
}

/**
 * Reads documents in a thread of its own, one at a time, so that a hostile one stops neither the hub nor a sync. A caller with slow
 * documents delays each other caller by one of them at most.
 */
export function createDocumentReader(logger: Logger, options: Omit<IndexerOptions, 'logger'> = {}): DocumentReader {
  let indexer: Indexer | undefined;
  /** Also has the caller whose document is being read. */
  const waiting = new Map<string, (() => Promise<unknown>)[]>();
  let reading: Promise<void> | undefined;
  const closing = new AbortController();

  async function readAll(): Promise<void> {
    // A caller whose turn is over comes last, after those who came in the meantime.
    for (const [caller, jobs] of waiting) {
      await jobs.shift()?.();
      waiting.delete(caller);
      if (jobs.length > 0) waiting.set(caller, jobs);
    }
    reading = undefined;
  }

  async function readNext({ name, content }: AttachedDocument): Promise<{ text: string; mimeType: string }> {
    // Loaded on demand, because few messages have attachments.
    const { createIndexer } = await import('../knowledge/index/indexer.ts');
    indexer ??= createIndexer({ logger, limitMs: readMs, ...options });
    const session = await indexer.open(closing.signal);
    try {
      const result = await session.read({ name, content }, closing.signal);
      if (result.kind === 'ready') return { text: result.text, mimeType: result.contentType };
      if (result.unexpected === undefined) throw new HubError('INVALID_FORMAT', result.message);
      logger.warn({ file: name, err: result.unexpected }, 'an attachment could not be read');
      throw new HubError('INVALID_FORMAT', `"${name}" cannot be read. The file may be damaged.`);
    } catch (error) {
      if (error instanceof IndexThreadFailure)
        throw new HubError(
          'INVALID_ARGUMENTS',
          `"${name}" cannot be attached. ${error.message} Attach a part of it, or save it in another format.`,
          { cause: error },
        );
      throw error;
    } finally {
      await session.close();
    }
  }

  return {
    async read(document) {
      const jobs = waiting.get(document.caller) ?? [];
      if (jobs.length >= maxWaiting)
        throw new HubError(
          'RATE_LIMITED',
          `${maxWaiting} of your files are still waiting to be read. Send this message again in a moment.`,
        );
      const result = new Promise<{ text: string; mimeType: string }>((resolve, reject) => {
        jobs.push(() => readNext(document).then(resolve, reject));
      });
      waiting.set(document.caller, jobs);
      reading ??= readAll();
      return result;
    },
    async close() {
      closing.abort(new HubError('UNAVAILABLE', 'The hub is closing.'));
      await reading;
      await indexer?.close();
    },
  };
}
