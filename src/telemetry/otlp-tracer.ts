import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type Span, type SpanAttributes, type StartSpan, silentTracer, type Tracer } from '../base/tracer.ts';
import { openExporter, type SpanExporter } from './otlp-exporter.ts';
import { childOf, formatTraceparent, parseTraceparent } from './trace-context.ts';

interface TracerParts {
  logger: Logger;
  clock: Clock;
  /** The product's version, for `service.version`. */
  version?: string | undefined;
}

/**
 * Sends traces by OTLP (JSON over HTTP) if OpenTelemetry's variables name an endpoint. Invalid settings turn tracing off with a
 * warning in the log; they never stop the work.
 */
export function createTracer(lookUp: (name: string) => string | undefined, parts: TracerParts): Tracer {
  const read = (name: string) => lookUp(name)?.trim() || undefined;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return silentTracer;
  if (read('OTEL_TRACES_EXPORTER')?.toLowerCase() === 'none') return silentTracer;
  const specific = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const common = read('OTEL_EXPORTER_OTLP_ENDPOINT');
  // The common endpoint is the root of all signals; the one for traces is used as it is.
  const endpoint = specific ?? (common === undefined ? undefined : `${common.replace(/\/+$/, '')}/v1/traces`);
  if (endpoint === undefined) return silentTracer;
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) {
    const name = specific === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    parts.logger.warn({}, `${name} is not an address that begins with http:// or https://; nothing is traced.`);
    return silentTracer;
  }
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? read('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol === 'grpc') {
    parts.logger.warn(
      {},
      'Traces are sent as JSON over HTTP; OTEL_EXPORTER_OTLP_PROTOCOL names grpc, which is not supported.',
    );
  }
  const timeoutMs = Number(read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') ?? read('OTEL_EXPORTER_OTLP_TIMEOUT'));
  const exporter = openExporter(
    {
      endpoint,
      headers: {
        ...readPairs(read('OTEL_EXPORTER_OTLP_HEADERS')),
        ...readPairs(read('OTEL_EXPORTER_OTLP_TRACES_HEADERS')),
      },
      timeoutMs: timeoutMs > 0 ? timeoutMs : 10_000,
      resource: {
        'service.name': 'agent-zoo',
        'telemetry.sdk.language': 'nodejs',
        ...(parts.version === undefined ? {} : { 'service.version': parts.version }),
        ...readPairs(read('OTEL_RESOURCE_ATTRIBUTES')),
        ...optional('service.name', read('OTEL_SERVICE_NAME')),
      },
    },
    parts,
  );
  const spanParts = { exporter, clock: parts.clock };
  return {
    isOn: true,
    start: (name, options = {}) => startSpan(spanParts, name, options),
    close: () => exporter.close(),
  };
}

/** Parses `name=value,…` with percent-encoded values. */
function readPairs(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = at < 0 ? '' : pair.slice(0, at).trim();
    return name === '' ? [] : [[name, decode(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function optional(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}

/** Starts a span, which goes to the exporter when it ends. If its parent is not sampled, it is not exported but still passes the trace on. */
function startSpan(
  { exporter, clock }: { exporter: SpanExporter; clock: Clock },
  name: string,
  options: StartSpan,
): Span {
  const parent = parseTraceparent(options.parent);
  const context = childOf(parent);
  const traceparent = formatTraceparent(context);
  if (!context.isSampled) return { traceparent, set: () => {}, fail: () => {}, end: () => {} };
  const startMs = clock.now();
  // Durations come from the monotonic clock.
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
