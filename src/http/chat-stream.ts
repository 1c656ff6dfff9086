import type { Clock } from '../base/clock.ts';
import type { Chats } from '../chats/chats.ts';
import { maxOpenPages } from './live-events.ts';
import { Refusal } from './refusal.ts';

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

const heartbeatMs = 15_000;

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
    left.signal.addEventListener(
      'abort',
      () => {
        open -= 1;
      },
      { once: true },
    );
    return chatStream(options, left);
  };
}

/**
 * What happened in a chat as server-sent events, then `ready`, then what happens. Read only as fast as the client takes it: for a
 * slow one the rest waits in the store. `left` is aborted when it ends, whoever ended it.
 */
function chatStream(options: ChatStreamOptions, left: AbortController): ReadableStream<Uint8Array> {
  const { chats, chatId, after, lastSeq, clock, closing } = options;
  const signal = AbortSignal.any([left.signal, closing]);
  const encoder = new TextEncoder();
  const events = chats.events(chatId, { after, signal })[Symbol.asyncIterator]();
  let isReady = false;
  let seq = after;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode('retry: 1000\n\n'));
      void beat(clock, signal, () => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': still here\n\n'));
      });
    },
    async pull(controller) {
      if (!isReady && seq >= lastSeq) {
        isReady = true;
        controller.enqueue(encoder.encode(`event: ready\ndata: ${JSON.stringify({ seq })}\n\n`));
        return;
      }
      const next = await events.next().catch((error: unknown) => {
        left.abort();
        throw error;
      });
      if (next.done) {
        left.abort();
        controller.close();
        return;
      }
      seq = next.value.seq;
      controller.enqueue(encoder.encode(`id: ${seq}\ndata: ${JSON.stringify(next.value)}\n\n`));
    },
    async cancel() {
      left.abort();
      await events.return?.();
    },
  });
}

/** Keeps the connection open through whatever closes silent ones. */
async function beat(clock: Clock, signal: AbortSignal, send: () => void): Promise<void> {
  try {
    while (!signal.aborted) {
      await clock.sleep(heartbeatMs, signal);
      send();
    }
  } catch {
    // The client left, or the hub closes.
  }
}
