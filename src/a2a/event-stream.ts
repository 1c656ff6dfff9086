import type { Clock } from '../base/clock.ts';

export interface EventStreamParts {
  first: unknown;
  rest: AsyncIterator<unknown, void, undefined>;
  /** What a failure in the middle is to the reader. */
  toError(error: unknown): unknown;
  /** Once, when all was sent or the reader is gone. */
  onEnd(): void;
  clock: Clock;
}

/** Clients give up a connection on which nothing comes for minutes, and a tool may take that long. */
const heartbeatMs = 15_000;

/** Server-sent events, each when its reader has room for it. */
export function toEventStream({ first, rest, toError, onEnd, clock }: EventStreamParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const ended = new AbortController();
  let coming: Promise<IteratorResult<unknown, void>> | undefined;
  function end(): void {
    if (ended.signal.aborted) return;
    ended.abort();
    onEnd();
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(eventText(first)));
    },
    async pull(controller) {
      try {
        coming ??= rest.next();
        const next = await orHeartbeat(coming, clock, ended.signal);
        if (next === undefined) return controller.enqueue(encoder.encode(': still here\n\n'));
        coming = undefined;
        if (!next.done) return controller.enqueue(encoder.encode(eventText(next.value)));
      } catch (error) {
        // The SDK's clients tell an error from an event by this name.
        if (!ended.signal.aborted) controller.enqueue(encoder.encode(`event: error\n${eventText(toError(error))}`));
      }
      if (!ended.signal.aborted) controller.close();
      end();
    },
    cancel: end,
  });
}

function eventText(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Undefined when nothing came for a while. */
async function orHeartbeat<T>(coming: Promise<T>, clock: Clock, signal: AbortSignal): Promise<T | undefined> {
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
