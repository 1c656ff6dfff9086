import type { Clock } from '../base/clock.ts';
import { eventText, writeEvents } from '../base/write-events.ts';
import { maxOpenPages } from '../http/live-events.ts';
import { Refusal } from '../http/to-error-response.ts';
import type { Chats } from './chats.ts';

interface ChatStreamOptions {
  chats: Chats;
  chatId: string;
  after: number;
  /** Number of the newest event when the client asked: `ready` follows it. */
  lastSeq: number;
  clock: Clock;
  /** The hub closes. */
  closing: AbortSignal;
}

/** The streams of chats that are open. What it returns throws a Refusal when they are too many. */
export function chatStreams(): (options: ChatStreamOptions) => ReadableStream<Uint8Array> {
  let open = 0;
  return (options) => {
    // A page has one, for the chat in sight.
    if (open >= maxOpenPages) {
      const message = `No more than ${maxOpenPages} chats can be followed at once. Close a page or another reader, and try again.`;
      throw new Refusal(503, 'unavailable', message);
    }
    open += 1;
    const left = new AbortController();
    const signal = AbortSignal.any([left.signal, options.closing]);
    return writeEvents(chatEvents(options, signal), {
      clock: options.clock,
      onEnd() {
        open -= 1;
        left.abort();
      },
    });
  };
}

/**
 * What happened in a chat, then `ready`, then what happens. Read only as fast as the client takes it: for a slow one the rest
 * waits in the store.
 */
async function* chatEvents(options: ChatStreamOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const { chats, chatId, after, lastSeq } = options;
  const ready = (seq: number) => eventText({ type: 'ready', data: JSON.stringify({ seq }) });
  yield eventText({ retry: 1000 });
  let isReady = after >= lastSeq;
  if (isReady) yield ready(after);
  for await (const event of chats.events(chatId, { after, signal })) {
    yield eventText({ id: event.seq, data: JSON.stringify(event) });
    if (isReady || event.seq < lastSeq) continue;
    isReady = true;
    yield ready(event.seq);
  }
}
