import { HubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import type { ScannedItem } from '../connector.ts';
import type { KnownItem } from '../store/knowledge-store.ts';

/** An item whose content must be looked at. */
export interface PendingItem {
  item: ScannedItem;
  /** As it will be stored. */
  version: string;
  before: KnownItem | undefined;
  /** What is known came from the same pipeline, so that the same content means the same document. */
  isComparable: boolean;
}

export interface ReadItem extends PendingItem {
  content: Uint8Array | string;
}

export interface ReadOptions {
  signal: AbortSignal;
  logger: Logger;
  fail(sourceId: string, message: string): void;
}

const readsAtOnce = 8;
/** A batch is shown in one transaction, and the event loop waits for it: some 30 ms for as many small items. */
const maxItems = 1_024;
const maxBytes = 1_250_000;

/** Contents in batches that fit into memory; an item that cannot be read fails alone. */
export async function* readBatches(pending: readonly PendingItem[], options: ReadOptions): AsyncGenerator<ReadItem[]> {
  let batch: ReadItem[] = [];
  let bytes = 0;
  for await (const read of readAhead(pending, options)) {
    if (!read) continue;
    if (batch.length > 0 && (batch.length === maxItems || bytes + read.content.length > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(read);
    bytes += read.content.length;
  }
  if (batch.length > 0) yield batch;
}

/** In order, a few at a time. */
async function* readAhead(pending: readonly PendingItem[], options: ReadOptions): AsyncGenerator<ReadItem | undefined> {
  const reading: Promise<ReadItem | undefined>[] = [];
  let next = 0;
  while (next < pending.length || reading.length > 0) {
    for (; reading.length < readsAtOnce; next += 1) {
      const item = pending[next];
      if (!item) break;
      const read = readItem(item, options);
      // Awaited in its turn, or never when the sync ends before.
      read.catch(() => {});
      reading.push(read);
    }
    yield await reading.shift();
  }
}

/** Undefined when it was reported. Throws the signal's reason. */
export async function readItem(
  pending: PendingItem,
  { signal, logger, fail }: ReadOptions,
): Promise<ReadItem | undefined> {
  const { sourceId } = pending.item;
  try {
    signal.throwIfAborted();
    return { ...pending, content: await pending.item.read(signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof HubError)) logger.error({ err: error, sourceId }, 'an item could not be read');
    fail(sourceId, error instanceof HubError ? error.message : 'It cannot be read: an unexpected error, see the log.');
    return undefined;
  }
}
