import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Indexer, IndexerOptions } from '../knowledge/index/indexer.ts';
import { IndexThreadFailure } from '../knowledge/index/indexer-thread.ts';

/** The time limit for reading a file that somebody attached. */
const readMs = 30_000;

export interface DocumentReader {
  /** Reads a document as text. Throws INVALID_FORMAT, and INVALID_ARGUMENTS for one that takes too much time or memory. */
  read(name: string, content: Uint8Array): Promise<{ text: string; mimeType: string }>;
  close(): Promise<void>;
}

/** Reads documents in a thread of its own, one at a time, so that a hostile one stops neither the hub nor a sync. */
export function createDocumentReader(logger: Logger, options: Omit<IndexerOptions, 'logger'> = {}): DocumentReader {
  let indexer: Indexer | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const closing = new AbortController();

  async function readNext(name: string, content: Uint8Array): Promise<{ text: string; mimeType: string }> {
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
    read(name: string, content: Uint8Array) {
      const result = last.then(() => readNext(name, content));
      last = result.catch(() => {});
      return result;
    },
    async close() {
      closing.abort(new HubError('UNAVAILABLE', 'The hub is closing.'));
      await last;
      await indexer?.close();
    },
  };
}
