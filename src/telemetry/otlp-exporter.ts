import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { SpanAttributes, StartSpan } from '../base/tracer.ts';
import type { TraceContext } from './trace-context.ts';

export interface SpanExporter {
  /** Never throws and never waits. If the queue is full, drops the span and counts it. */
  add(span: EndedSpan): void;
  /** Sends the waiting spans, for a few seconds at most. */
  close(): Promise<void>;
}

interface ExporterSettings {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** For one request. */
  timeoutMs: number;
  resource: SpanAttributes;
}

const batchSize = 512;
const longestQueue = 2048;
const batchDelayMs = 5000;
const maxTries = 5;
const longestWaitMs = 30_000;
const closeMs = 5000;

/** Sends spans in batches, one request at a time: when 512 are waiting, or 5 s after the first. */
export function openExporter(settings: ExporterSettings, parts: { logger: Logger; clock: Clock }): SpanExporter {
  const { logger, clock } = parts;
  const host = new URL(settings.endpoint).host;
  const stop = new AbortController();
  const queue: EndedSpan[] = [];
  let sending: Promise<void> | undefined;
  let pause: AbortController | undefined;
  let isClosing = false;
  let dropped = 0;
  let isFailing = false;
  return {
    add(span) {
      if (isClosing || queue.length >= longestQueue) {
        dropped += 1;
        return;
      }
      queue.push(span);
      if (queue.length >= batchSize) pause?.abort();
      sending ??= sendAll().finally(() => {
        sending = undefined;
      });
    },
    async close() {
      isClosing = true;
      pause?.abort();
      const deadline = new AbortController();
      const late = clock.sleep(closeMs, deadline.signal).then(
        () => stop.abort(),
        () => {},
      );
      await sending;
      deadline.abort();
      await late;
      reportDropped();
    },
  };

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      if (queue.length < batchSize && !isClosing) {
        pause = new AbortController();
        await clock.sleep(batchDelayMs, pause.signal).catch(() => {});
        pause = undefined;
      }
      const batch = queue.splice(0, batchSize);
      const failure = stop.signal.aborted ? 'the time to send them was over' : await sendBatch(batch);
      report(failure, batch.length);
    }
  }

  /** Returns why the batch could not be sent, or undefined on success. */
  async function sendBatch(batch: readonly EndedSpan[]): Promise<string | undefined> {
    const body = JSON.stringify(toExport(batch, settings.resource));
    for (let tries = 1; ; tries += 1) {
      const { failure, waitMs } = await post(body);
      if (failure === undefined || waitMs === undefined || tries >= maxTries) return failure;
      const delay = Math.max(waitMs, 1000 * 2 ** (tries - 1) * (0.5 + Math.random() / 2));
      await clock.sleep(Math.min(delay, longestWaitMs), stop.signal).catch(() => {});
      if (stop.signal.aborted) return failure;
    }
  }

  /** Returns `waitMs` if another attempt may succeed. */
  async function post(body: string): Promise<{ failure?: string; waitMs?: number }> {
    try {
      const response = await fetch(settings.endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...settings.headers },
        body,
        // A redirect would send the headers to an address that nobody configured.
        redirect: 'error',
        signal: AbortSignal.any([stop.signal, AbortSignal.timeout(settings.timeoutMs)]),
      });
      const reply = await response.text();
      if (response.ok) return rejectedSpans(reply);
      const failure = `HTTP ${response.status}`;
      return [429, 502, 503, 504].includes(response.status)
        ? { failure, waitMs: waitOf(response.headers.get('retry-after'), clock) }
        : { failure };
    } catch (error) {
      return { failure: reasonOf(error), waitMs: 0 };
    }
  }

  function report(failure: string | undefined, spans: number): void {
    // Logged once until sending works again, so that an unavailable collector does not fill the log.
    if (failure !== undefined && !isFailing) logger.warn({ host, spans }, `Traces could not be sent: ${failure}.`);
    isFailing = failure !== undefined;
    reportDropped();
  }

  function reportDropped(): void {
    if (dropped > 0) logger.warn({ host, spans: dropped }, 'Spans were dropped because too many were waiting.');
    dropped = 0;
  }
}

/** A collector may accept a batch and reject some of its spans, which must not be sent again. */
function rejectedSpans(reply: string): { failure?: string } {
  try {
    const { partialSuccess } = JSON.parse(reply) as { partialSuccess?: { rejectedSpans?: string | number } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return rejected > 0 ? { failure: `the collector refused ${rejected} of them` } : {};
  } catch {
    return {};
  }
}

function waitOf(retryAfter: string | null, clock: Clock): number {
  if (retryAfter === null) return 0;
  const seconds = Number(retryAfter);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - clock.now();
  return Number.isNaN(wait) ? 0 : Math.max(0, wait);
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return 'no reply in time';
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return 'the connection failed';
}

interface EndedSpan {
  context: TraceContext;
  parentSpanId: string | undefined;
  name: string;
  kind: StartSpan['kind'];
  /** Milliseconds since the epoch, with fractions. */
  startMs: number;
  endMs: number;
  attributes: SpanAttributes;
  failure: string | undefined;
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const longestText = 8192;

/** Returns the body of an export in the JSON encoding of OTLP: ids in hex, 64-bit numbers as strings. */
function toExport(spans: readonly EndedSpan[], resource: SpanAttributes): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'agent-zoo' }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan({ context, parentSpanId, name, kind, startMs, endMs, attributes, failure }: EndedSpan): object {
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    flags: 1,
    name,
    kind: kinds[kind ?? 'internal'],
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(endMs),
    attributes: toAttributes(attributes),
    status: failure === undefined ? { code: 0 } : { code: 2, message: failure.slice(0, longestText) },
  };
}

function toNanoseconds(milliseconds: number): string {
  const whole = Math.trunc(milliseconds);
  // Built from two parts, because one number cannot hold that many digits.
  const rest = Math.min(999_999, Math.round((milliseconds - whole) * 1_000_000));
  return `${whole}${String(rest).padStart(6, '0')}`;
}

function toAttributes(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: NonNullable<SpanAttributes[string]>): object {
  switch (typeof value) {
    case 'string':
      return { stringValue: value.slice(0, longestText) };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      if (Number.isSafeInteger(value)) return { intValue: String(value) };
      return { doubleValue: Number.isFinite(value) ? value : String(value) };
    default:
      return { arrayValue: { values: value.map((each) => ({ stringValue: String(each).slice(0, longestText) })) } };
  }
}
