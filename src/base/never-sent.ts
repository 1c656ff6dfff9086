/** Failures that happen before a request leaves this machine. */
const codesBeforeSending: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Returns whether a request failed before any of it was sent, so that it cannot have had an effect. */
export function isNeverSent(error: unknown): boolean {
  if (findCause(error, (one) => 'code' in one && codesBeforeSending.has(String(one.code)))) return true;
  // Some libraries keep only the text.
  const named = /\bE[A-Z_]{4,}\b/.exec(error instanceof Error ? error.message : '')?.[0];
  return named !== undefined && codesBeforeSending.has(named);
}

/** Returns the first match among this error and its causes. */
export function findCause(error: unknown, matches: (error: object) => boolean): object | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth += 1) {
    if (matches(current)) return current;
    current = 'cause' in current ? current.cause : undefined;
  }
  return undefined;
}
