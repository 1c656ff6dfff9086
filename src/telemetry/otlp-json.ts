import type { SpanAttributes, StartSpan } from '../base/tracer.ts';
import type { TraceContext } from './trace-context.ts';

export interface EndedSpan {
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

/** The body of an export, by the JSON form of OTLP: ids in hex, 64-bit numbers as strings. */
export function toExport(spans: readonly EndedSpan[], resource: SpanAttributes): object {
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
  // In two parts: as one number it would have more digits than a number can hold.
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
