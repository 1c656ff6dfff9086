/** The identity of a span, as defined by W3C Trace Context. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Returns undefined for an invalid header, which the specification says to ignore. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Creates the context of a span below its parent, or of the first span of a new trace. */
export function childOf(parent: TraceContext | undefined): TraceContext {
  return {
    traceId: parent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
    isSampled: parent?.isSampled ?? true,
  };
}

function randomHex(bytes: number): string {
  const hex = Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
  return /^0+$/.test(hex) ? randomHex(bytes) : hex;
}
