import { emptyEvent, readField, type ServerEvent } from '../base/server-events.ts';
import { cutLines } from './capped-lines.ts';
import { type JsonMessage, type MessageTap, type ReceivedCount, receiveText } from './message-tap.ts';

export interface EventFilter {
  chunks: AsyncIterable<Buffer>;
  /** Of one event. */
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
  let event = nextEvent();
  let out = '';
  let isTooLarge = false;

  const tooLarge = (head: string) => {
    isTooLarge = true;
    onTooLarge(head);
  };
  const cut = cutLines({
    maxBytes,
    onTooLong: (head) => tooLarge(head.toString().replace(/^data: ?/, '')),
    onLine(line) {
      if (isTooLarge) return;
      const text = line.at(-1) === carriageReturn ? line.toString('utf8', 0, line.length - 1) : line.toString();
      if (text === '') {
        out += pass(event, filter);
        event = nextEvent();
        return;
      }
      event.bytes += line.length;
      if (event.bytes > maxBytes) return tooLarge(event.data.join('\n').slice(0, 200));
      readField(event, text);
    },
  });

  for await (const chunk of chunks) {
    cut(chunk);
    if (out !== '') {
      yield Buffer.from(out);
      out = '';
    }
    if (isTooLarge) return;
  }
}

const carriageReturn = 13;

interface CountedEvent extends ServerEvent {
  bytes: number;
}

function nextEvent(): CountedEvent {
  return { ...emptyEvent(), bytes: 0 };
}

/** Also what is empty takes its time when it comes without end. */
const noMessage: ReceivedCount = { received: 'message', unasked: 1 };

function pass(event: CountedEvent, { tap, call, keepsIds, onReceived }: EventFilter): string {
  const head = `${event.id === undefined ? '' : `id: ${event.id}\n`}${event.retry === undefined ? '' : `retry: ${event.retry}\n`}`;
  const data = event.data.join('\n');
  const isMessage = (event.type === '' || event.type === 'message') && data !== '';
  if (!isMessage) onReceived(noMessage, data);
  if (event.type !== '' && event.type !== 'message') return `${head}event: ${event.type}\ndata: ${data}\n\n`;
  if (data === '') return head === '' || !keepsIds ? '' : `${head}data:\n\n`;
  const left: JsonMessage[] = [];
  const count = receiveText({ text: data, bytes: event.bytes, tap, call, deliver: (message) => left.push(message) });
  onReceived(count, data);
  if (left.length > 0) return left.map((message) => `${head}data: ${JSON.stringify(message)}\n\n`).join('');
  if (!keepsIds) return '';
  if (call !== undefined && count.received === 'answer')
    return `${head}data: {"jsonrpc":"2.0","id":${call},"result":{}}\n\n`;
  return head === '' ? '' : `${head}data:\n\n`;
}
