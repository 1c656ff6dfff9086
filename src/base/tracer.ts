export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A piece of work in a trace. */
export interface Span {
  /** W3C trace context, for whoever does a part of the work elsewhere. Empty when nothing is traced. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. Takes a code only: an error's message may quote what was said. */
  fail(code: string): void;
  end(): void;
}

export interface StartSpan {
  kind?: 'internal' | 'client' | 'server';
  attributes?: SpanAttributes;
  /** The traceparent of what this is a part of. */
  parent?: string | undefined;
}

/** Traces by the OpenTelemetry conventions for generative AI, where an endpoint is set. */
export interface Tracer {
  readonly isOn: boolean;
  start(name: string, options?: StartSpan): Span;
  /** Sends what waits; ends sending. */
  close(): Promise<void>;
}

const silentSpan: Span = { traceparent: '', set: () => {}, fail: () => {}, end: () => {} };

export const silentTracer: Tracer = { isOn: false, start: () => silentSpan, close: async () => {} };
