export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A piece of work in a trace. */
export interface Span {
  /** The W3C trace context to pass on to other systems. Empty if tracing is off. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. Takes only a code, because an error message may quote private text. */
  fail(code: string): void;
  end(): void;
}

export interface StartSpan {
  kind?: 'internal' | 'client' | 'server';
  attributes?: SpanAttributes;
  /** The traceparent of the parent span. */
  parent?: string | undefined;
}

/** Records traces by the OpenTelemetry conventions for generative AI, if an endpoint is configured. */
export interface Tracer {
  readonly isOn: boolean;
  start(name: string, options?: StartSpan): Span;
  /** Sends the waiting spans, then stops. */
  close(): Promise<void>;
}

const silentSpan: Span = { traceparent: '', set: () => {}, fail: () => {}, end: () => {} };

export const silentTracer: Tracer = { isOn: false, start: () => silentSpan, close: async () => {} };
