import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { EmbeddingServer } from './embedding-servers.ts';

export type VectorReply =
  | { kind: 'vectors'; vectors: Float32Array[] }
  /** A temporary failure; `waitMs` is the server's requested delay, if any. */
  | { kind: 'busy'; waitMs: number | undefined; error: HubError }
  | { kind: 'too-large'; error: HubError };

export interface RequestOptions {
  signal: AbortSignal;
  timeoutMs: number;
  clock: Clock;
}

/** Sends one request. Throws INVALID_CONFIG, UNAVAILABLE and, if the signal aborts, CANCELLED. */
export async function requestVectors(
  server: EmbeddingServer,
  texts: readonly string[],
  options: RequestOptions,
): Promise<VectorReply> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...server.headers },
      body: JSON.stringify(server.body(texts)),
      // A redirect would send the key to an address that nobody configured.
      redirect: 'error',
      signal: AbortSignal.any([options.signal, timeout]),
    });
    text = await response.text();
  } catch (error) {
    if (options.signal.aborted) throw cancelled(options.signal);
    if (timeout.aborted) {
      const seconds = options.timeoutMs / 1000;
      const message = `${capital(server.location)} did not reply within ${seconds} s ([embedding] timeout_secs).`;
      return { kind: 'busy', waitMs: undefined, error: new HubError('TRANSIENT_ERROR', message) };
    }
    const message = `${capital(server.location)} cannot be reached (${reasonOf(error)}). Check that it is running and that [embedding] url is right.`;
    return { kind: 'busy', waitMs: undefined, error: new HubError('UNAVAILABLE', message, { cause: error }) };
  }
  return response.ok
    ? { kind: 'vectors', vectors: readVectors(server, texts.length, text) }
    : refusal(server, response, text, options.clock);
}

export function cancelled(signal: AbortSignal): HubError {
  const { reason } = signal;
  return reason instanceof HubError ? reason : new HubError('CANCELLED', 'The embedding was cancelled.');
}

function readVectors(server: EmbeddingServer, expected: number, text: string): Float32Array[] {
  const wrong = (what: string) =>
    new HubError('UNAVAILABLE', `${capital(server.location)} ${what} ${server.modelHint}`, {
      details: { retryable: false },
    });
  let raw: (readonly unknown[] | string)[];
  try {
    raw = server.parse(JSON.parse(text));
  } catch {
    throw wrong('sent a reply without embeddings.');
  }
  if (raw.length !== expected) throw wrong(`returned ${raw.length} vectors for ${expected} texts.`);
  return raw.map((each) => {
    const vector = unitVector(typeof each === 'string' ? floatsOf(each) : each);
    if (!vector || vector.length === 0) throw wrong('returned an empty or invalid vector.');
    return vector;
  });
}

/** Decodes base64 of little-endian 32-bit floats. */
function floatsOf(base64: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}

const sizeWords =
  /too (large|long|many|big)|context.?(length|window|size)|max(imum)?.{0,20}(length|tokens|batch|size|input)|exceed|larger than/i;

function refusal(server: EmbeddingServer, response: Response, text: string, clock: Clock): VectorReply {
  const { status } = response;
  const subject = capital(server.location);
  if (status === 401 || status === 403) {
    // The server's message is not repeated: servers like to quote the rejected key.
    throw new HubError('INVALID_CONFIG', `${subject} rejected the key (HTTP ${status}). ${server.keyHint}`);
  }
  const reason = messageIn(server, text);
  const message = `${subject} replied with HTTP ${status}${reason === '' ? '.' : `: ${reason}`}`;
  if (status === 429 && /insufficient_quota|billing/i.test(text)) {
    throw new HubError('UNAVAILABLE', `${message} The account has no quota left. Raise it, then embed again.`, {
      details: { retryable: false },
    });
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    // Some local servers reply 500 to a text that is too long; retrying does not help.
    if (status === 500 && /context.?(length|size)|physical batch size/i.test(text)) return tooLarge();
    return { kind: 'busy', waitMs: waitOf(response.headers, clock), error: new HubError('TRANSIENT_ERROR', message) };
  }
  if (status === 413 || ((status === 400 || status === 422) && sizeWords.test(text))) return tooLarge();
  if (status === 404) throw new HubError('INVALID_CONFIG', `${message} ${server.modelHint}`);
  throw new HubError('UNAVAILABLE', `${message} ${server.modelHint}`, { details: { retryable: false } });

  function tooLarge(): VectorReply {
    return { kind: 'too-large', error: new HubError('UNAVAILABLE', message, { details: { retryable: false } }) };
  }
}

/** Returns the server's message, shortened and without secrets. */
function messageIn(server: EmbeddingServer, text: string): string {
  let reason = text;
  try {
    const parsed = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown } | null;
    const error = parsed?.error;
    const message = typeof error === 'string' ? error : (error?.message ?? parsed?.message);
    if (typeof message === 'string') reason = message;
  } catch {
    if (/^\s*</.test(text)) return '';
  }
  for (const secret of server.secrets) reason = reason.replaceAll(secret, '…');
  const line = reason.replace(/\s+/g, ' ').trim().slice(0, 200);
  return line === '' || /[.!?…]$/.test(line) ? line : `${line}.`;
}

function waitOf(headers: Headers, clock: Clock): number | undefined {
  const exact = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (exact >= 0) return exact;
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - clock.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return cause instanceof Error && cause.message !== '' ? cause.message : 'the connection failed';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a copy scaled to length one; undefined if a value is not a finite number. A zero vector stays zero. */
export function unitVector(values: ArrayLike<unknown>): Float32Array | undefined {
  const vector = new Float32Array(values.length);
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value !== 'number') return undefined;
    vector[index] = value;
    sum += value * value;
  }
  if (!Number.isFinite(sum)) return undefined;
  const length = Math.sqrt(sum);
  if (length === 0) return vector;
  for (let index = 0; index < vector.length; index += 1) vector[index] = (vector[index] ?? 0) / length;
  return vector;
}
