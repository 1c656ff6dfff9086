import type { Clock } from '../base/clock.ts';
import { placeToGive } from '../base/who-gives-way.ts';
import { eventText, writeEvents } from '../base/write-events.ts';
import { callerKey, type Identity } from '../callers/callers.ts';
import { maxOpenPages } from '../http/live-events.ts';
import { Refusal } from '../http/to-error-response.ts';
import type { Chats } from './chats.ts';

interface ChatStreamOptions {
  chats: Chats;
  chatId: string;
  caller: Identity;
  after: number;
  /** The newest event when the client connected. `ready` follows it. */
  lastSeq: number;
  clock: Clock;
  /** Aborted when the hub closes. */
  closing: AbortSignal;
}

/**
 * Counts the open chat streams. If there are too many, the caller with the most loses its oldest one to a caller with fewer; if
 * there is none with more, the returned function throws a Refusal.
 */
export function chatStreams(): (options: ChatStreamOptions) => ReadableStream<Uint8Array> {
  /** Each with its caller. */
  const open = new Map<AbortController, string>();
  return (options) => {
    const newcomer = callerKey(options.caller);
    // Each page has one stream, for the chat it shows.
    if (open.size >= maxOpenPages) {
      const oldest = placeToGive(newcomer, open);
      if (!oldest) {
        const message = `At most ${maxOpenPages} chats can be followed at once. Close a page or another client, and try again.`;
        throw new Refusal(503, 'unavailable', message);
      }
      open.delete(oldest);
      oldest.abort();
    }
    const left = new AbortController();
    open.set(left, newcomer);
    const signal = AbortSignal.any([left.signal, options.closing]);
    return writeEvents(chatEvents(options, signal), {
      clock: options.clock,
      onEnd() {
        open.delete(left);
        left.abort();
      },
    });
  };
}

/**
 * Streams a chat's past events, then `ready`, then new events. Reads only as fast as the client does; the rest waits in the store.
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
