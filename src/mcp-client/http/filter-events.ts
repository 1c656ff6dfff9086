import { EventReader, type ServerEvent } from '../../base/server-events.ts';
import { eventText } from '../../base/write-events.ts';
import { type JsonMessage, type MessageTap, type ReceivedCount, receiveText } from '../connection/message-tap.ts';

export interface EventFilter {
  chunks: AsyncIterable<Buffer>;
  /** The maximum size of one event, in characters; a character takes at least one byte. */
  maxBytes: number;
  tap: MessageTap;
  /** The request that these events reply to. */
  call: number | undefined;
  /** Passes on the ids of taken events, so that a broken stream resumes after them. */
  keepsIds: boolean;
  /** Called when an event exceeds the limit; reading stops. `head` is the beginning of its data. */
  onTooLarge(head: string): void;
  /** Called with the kind of each event. */
  onReceived(count: ReceivedCount, text: string): void;
}

/**
 * Filters a stream of server-sent events: yields only what the tap did not take. The size limit applies while bytes arrive. An answer that
 * was taken is replaced by an empty one, because the SDK reconnects to a stream that ended without an answer.
 */
export async function* filterEvents(filter: EventFilter): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { chunks, maxBytes, onTooLarge } = filter;
  const reader = new EventReader(maxBytes);
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    let out = '';
    let isTooLarge = false;
    try {
      for (const event of reader.read(decoder.decode(chunk, { stream: true }))) out += pass(event, filter);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      isTooLarge = true;
      onTooLarge(reader.unfinishedData);
    }
    if (out !== '') yield Buffer.from(out);
    if (isTooLarge) return;
  }
}

/** Empty events count too: an endless stream of them costs time. */
const noMessage: ReceivedCount = { received: 'message', unasked: 1 };

function pass({ id, retry, type, data }: ServerEvent, { tap, call, keepsIds, onReceived }: EventFilter): string {
  const head = { id, retry };
  const isMessage = type === '' || type === 'message';
  if (!isMessage || data === '') onReceived(noMessage, data);
  if (!isMessage) return eventText({ ...head, type, data: data.replaceAll('\n', '\ndata: ') });
  const idEvent = keepsIds && (id !== undefined || retry !== undefined) ? eventText({ ...head, data: '' }) : '';
  if (data === '') return idEvent;
  const left: JsonMessage[] = [];
  const bytes = Buffer.byteLength(data);
  const count = receiveText({ text: data, bytes, tap, call, deliver: (message) => left.push(message) });
  onReceived(count, data);
  if (left.length > 0) return left.map((message) => eventText({ ...head, data: JSON.stringify(message) })).join('');
  if (keepsIds && call !== undefined && count.received === 'answer')
    return eventText({ ...head, data: `{"jsonrpc":"2.0","id":${call},"result":{}}` });
  return idEvent;
}
