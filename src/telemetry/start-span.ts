import type { Clock } from '../base/clock.ts';
import type { Span, SpanAttributes, StartSpan } from '../base/tracer.ts';
import type { SpanExporter } from './otlp-exporter.ts';
import { childOf, formatTraceparent, parseTraceparent } from './trace-context.ts';

/** Goes to the exporter when it ends. One of a parent that is not sampled goes nowhere, but passes its trace on. */
export function startSpan(
  { exporter, clock }: { exporter: SpanExporter; clock: Clock },
  name: string,
  options: StartSpan,
): Span {
  const parent = parseTraceparent(options.parent);
  const context = childOf(parent);
  const traceparent = formatTraceparent(context);
  if (!context.isSampled) return { traceparent, set: () => {}, fail: () => {}, end: () => {} };
  const startMs = clock.now();
  // Durations come from the clock that nobody sets back.
  const began = performance.now();
  let attributes: SpanAttributes = { ...options.attributes };
  let failure: string | undefined;
  let hasEnded = false;
  return {
    traceparent,
    set(more) {
      attributes = { ...attributes, ...more };
    },
    fail(code) {
      failure = code;
      attributes = { ...attributes, 'error.type': code };
    },
    end() {
      if (hasEnded) return;
      hasEnded = true;
      const endMs = startMs + (performance.now() - began);
      const parentSpanId = parent?.spanId;
      exporter.add({ context, parentSpanId, name, kind: options.kind, startMs, endMs, attributes, failure });
    },
  };
}
