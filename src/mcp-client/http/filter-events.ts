import { EventReader, type ServerEvent } from '../../base/server-events.ts';
import { eventText } from '../../base/write-events.ts';
import { type JsonMessage, type MessageTap, type ReceivedCount, receiveText } from '../connection/message-tap.ts';

export interface EventFilter {
  chunks: AsyncIterable<Buffer>;
  /** The limit of one event, in characters, of which none takes less than a byte. */
  maxBytes: number;
  tap: MessageTap;
  /** The request that these events answer. */
  call: number | undefined;
  /** Ids of events that were taken are still told, so that a stream that breaks is resumed behind them. */
  keepsIds: boolean;
  /** An event was over the limit; nothing more is read. The head is of its data. */
  onTooLarge(head: string): void;
  /** Hears what each event was. */
  onReceived(count: ReceivedCount, text: string): void;
}

/**
 * A stream of server-sent events without what the tap took. Each event is limited while its bytes arrive.
 * For an answer that was taken an empty one stands in, because the SDK reconnects to a stream that ended without one.
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
      onTooLarge(reader.begun);
    }
    if (out !== '') yield Buffer.from(out);
    if (isTooLarge) return;
  }
}

/** Also what is empty takes its time when it comes without end. */
const noMessage: ReceivedCount = { received: 'message', unasked: 1 };

function pass({ id, retry, type, data }: ServerEvent, { tap, call, keepsIds, onReceived }: EventFilter): string {
  const head = { id, retry };
  const isMessage = type === '' || type === 'message';
  if (!isMessage || data === '') onReceived(noMessage, data);
  if (!isMessage) return eventText({ ...head, type, data: data.replaceAll('\n', '\ndata: ') });
  const place = keepsIds && (id !== undefined || retry !== undefined) ? eventText({ ...head, data: '' }) : '';
  if (data === '') return place;
  const left: JsonMessage[] = [];
  const bytes = Buffer.byteLength(data);
  const count = receiveText({ text: data, bytes, tap, call, deliver: (message) => left.push(message) });
  onReceived(count, data);
  if (left.length > 0) return left.map((message) => eventText({ ...head, data: JSON.stringify(message) })).join('');
  if (keepsIds && call !== undefined && count.received === 'answer')
    return eventText({ ...head, data: `{"jsonrpc":"2.0","id":${call},"result":{}}` });
  return place;
}
