import type { Clock } from './clock.ts';

/** Short enough for clients and proxies that close a connection after minutes of silence. */
const heartbeatMs = 15_000;

/** A comment that keeps the connection open. */
export const stillHere = ': still here\n\n';

interface WrittenEvent {
  id?: string | number | undefined;
  type?: string | undefined;
  retry?: string | number | undefined;
  /** One line, such as JSON. */
  data?: string | undefined;
}

/** Returns a server-sent event as text. */
export function eventText(event: WrittenEvent): string {
  let text = '';
  if (event.id !== undefined) text += `id: ${event.id}\n`;
  if (event.retry !== undefined) text += `retry: ${event.retry}\n`;
  if (event.type !== undefined) text += `event: ${event.type}\n`;
  if (event.data !== undefined) text += `data: ${event.data}\n`;
  return `${text}\n`;
}

/** Calls `send` at regular intervals, every 15 s by default, until the signal aborts. */
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
    // Aborted: nobody is listening any more.
  }
}

interface WriteOptions {
  clock: Clock;
  /** Called once: when all events were sent, when they failed, or when the reader has left. */
  onEnd(): void;
}

/** Streams events as fast as the reader accepts them, and sends a heartbeat while there are none. */
export function writeEvents(events: AsyncGenerator<string, void>, options: WriteOptions): ReadableStream<Uint8Array> {
  const { clock } = options;
  const encoder = new TextEncoder();
  const ended = new AbortController();
  let pending: Promise<IteratorResult<string, void>> | undefined;
  function end(): void {
    if (ended.signal.aborted) return;
    ended.abort();
    options.onEnd();
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        pending ??= events.next();
        const next = await orHeartbeat(pending, clock, ended.signal);
        if (ended.signal.aborted) return;
        if (!next) return controller.enqueue(encoder.encode(stillHere));
        pending = undefined;
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
      // The generator stops at its current await, which `onEnd` has ended. Nobody is left to see its error.
      events.return().catch(() => {});
    },
  });
}

/** Resolves with undefined if nothing arrives for a while. */
async function orHeartbeat<T>(pending: Promise<T>, clock: Clock, signal: AbortSignal): Promise<T | undefined> {
  const waited = new AbortController();
  const nothing = clock.sleep(heartbeatMs, AbortSignal.any([signal, waited.signal])).then(
    () => undefined,
    () => pending,
  );
  try {
    return await Promise.race([pending, nothing]);
  } finally {
    waited.abort();
  }
}
