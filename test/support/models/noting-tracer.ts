import type { SpanAttributes, Tracer } from '../../../src/base/tracer.ts';

interface NotedSpan {
  name: string;
  kind: string;
  parent: string | undefined;
  attributes: Record<string, unknown>;
  failure: string | undefined;
  ends: number;
}

/** A tracer that keeps its spans, for tests that read them. */
export function notingTracer(): { tracer: Tracer; spans: NotedSpan[] } {
  const spans: NotedSpan[] = [];
  const tracer: Tracer = {
    isOn: true,
    start(name, { kind = 'internal', attributes = {}, parent } = {}) {
      const span: NotedSpan = { name, kind, parent, attributes: { ...attributes }, failure: undefined, ends: 0 };
      const number = spans.push(span);
      return {
        traceparent: `00-trace-${number}-01`,
        set: (more: SpanAttributes) => void Object.assign(span.attributes, more),
        fail: (code) => {
          span.failure = code;
        },
        end: () => {
          span.ends += 1;
        },
      };
    },
    close: async () => {},
  };
  return { tracer, spans };
}
