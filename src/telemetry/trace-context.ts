/** Where a span stands, as W3C Trace Context writes it. */
export interface TraceContext {
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Undefined for what breaks the rules of the specification: such a parent is none. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** A span within its parent, or the first of a new trace. */
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
