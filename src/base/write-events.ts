import type { Clock } from './clock.ts';

/** Clients and proxies give up a connection on which nothing comes for minutes. */
const heartbeatMs = 15_000;

/** A comment that keeps the connection open. */
export const stillHere = ': still here\n\n';

interface WrittenEvent {
  id?: string | number | undefined;
  type?: string | undefined;
  retry?: string | number | undefined;
  /** Without line ends, as JSON has none. */
  data?: string | undefined;
}

/** A server-sent event as text. */
export function eventText(event: WrittenEvent): string {
  let text = '';
  if (event.id !== undefined) text += `id: ${event.id}\n`;
  if (event.retry !== undefined) text += `retry: ${event.retry}\n`;
  if (event.type !== undefined) text += `event: ${event.type}\n`;
  if (event.data !== undefined) text += `data: ${event.data}\n`;
  return `${text}\n`;
}

/** Calls `send` again and again, every 15 s unless told otherwise, until the signal aborts. */
export async function beat(
  clock: Clock,
  signal: AbortSignal,
  send: () => unknown,
  everyMs = heartbeatMs,
): Promise<void> {
  try {
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal);
      await send();
    }
  } catch {
    // Aborted: nobody listens any more.
  }
}

interface WriteOptions {
  clock: Clock;
  /** Called once, when all was sent, the events failed or the reader is gone. */
  onEnd(): void;
}

/** Streams texts of events, each when its reader has room for it, and a heartbeat while none comes. */
export function writeEvents(events: AsyncGenerator<string, void>, options: WriteOptions): ReadableStream<Uint8Array> {
  const { clock } = options;
  const encoder = new TextEncoder();
  const ended = new AbortController();
  let coming: Promise<IteratorResult<string, void>> | undefined;
  function end(): void {
    if (ended.signal.aborted) return;
    ended.abort();
    options.onEnd();
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        coming ??= events.next();
        const next = await orNothing(coming, clock, ended.signal);
        if (ended.signal.aborted) return;
        if (!next) return controller.enqueue(encoder.encode(stillHere));
        coming = undefined;
        if (!next.done) return controller.enqueue(encoder.encode(next.value));
      } catch (error) {
        end();
        throw error;
      }
      controller.close();
      end();
    },
    cancel() {
      end();
      // Returns once what is awaited ends, which `onEnd` saw to; whatever it says is for nobody.
      events.return().catch(() => {});
    },
  });
}

/** Resolves with undefined when nothing came for a while. */
async function orNothing<T>(coming: Promise<T>, clock: Clock, signal: AbortSignal): Promise<T | undefined> {
  const waited = new AbortController();
  const nothing = clock.sleep(heartbeatMs, AbortSignal.any([signal, waited.signal])).then(
    () => undefined,
    () => coming,
  );
  try {
    return await Promise.race([coming, nothing]);
  } finally {
    waited.abort();
  }
}
