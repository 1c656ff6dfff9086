import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { EmbeddingServer } from './embedding-servers.ts';

export type VectorAnswer =
  | { kind: 'vectors'; vectors: Float32Array[] }
  /** It may work later, after `waitMs` where the server says so. */
  | { kind: 'busy'; waitMs: number | undefined; error: HubError }
  | { kind: 'too-large'; error: HubError };

export interface RequestOptions {
  signal: AbortSignal;
  timeoutMs: number;
  clock: Clock;
}

/** One request. Throws INVALID_CONFIG, UNAVAILABLE and, with the signal, CANCELLED. */
export async function requestVectors(
  server: EmbeddingServer,
  texts: readonly string[],
  options: RequestOptions,
): Promise<VectorAnswer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...server.headers },
      body: JSON.stringify(server.body(texts)),
      // A redirect would carry the key to an address that nobody set.
      redirect: 'error',
      signal: AbortSignal.any([options.signal, timeout]),
    });
    text = await response.text();
  } catch (error) {
    if (options.signal.aborted) throw cancelled(options.signal);
    if (timeout.aborted) {
      const seconds = options.timeoutMs / 1000;
      const message = `${capital(server.place)} did not answer within ${seconds} s. [embedding] timeout_secs is the limit.`;
      return { kind: 'busy', waitMs: undefined, error: new HubError('TRANSIENT_ERROR', message) };
    }
    const message = `${capital(server.place)} cannot be reached (${reasonOf(error)}). Check that it runs and that [embedding] url is right.`;
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
    new HubError('UNAVAILABLE', `${capital(server.place)} ${what} ${server.modelHint}`, {
      details: { retryable: false },
    });
  let raw: (readonly unknown[] | string)[];
  try {
    raw = server.parse(JSON.parse(text));
  } catch {
    throw wrong('answered with something that holds no embeddings.');
  }
  if (raw.length !== expected) throw wrong(`answered with ${raw.length} vectors for ${expected} texts.`);
  return raw.map((each) => {
    const vector = unitVector(typeof each === 'string' ? floatsOf(each) : each);
    if (!vector || vector.length === 0) throw wrong('answered with a vector that is empty or holds no numbers.');
    return vector;
  });
}

/** Base64 of little-endian 32-bit floats. */
function floatsOf(base64: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(base64, 'base64'));
  return new Float32Array(bytes.buffer, 0, Math.floor(bytes.length / 4));
}

const sizeWords =
  /too (large|long|many|big)|context.?(length|window|size)|max(imum)?.{0,20}(length|tokens|batch|size|input)|exceed|larger than/i;

function refusal(server: EmbeddingServer, response: Response, text: string, clock: Clock): VectorAnswer {
  const { status } = response;
  const place = capital(server.place);
  if (status === 401 || status === 403) {
    // The text is not repeated: servers like to quote the key they refuse.
    throw new HubError('INVALID_CONFIG', `${place} refused the key (HTTP ${status}). ${server.keyHint}`);
  }
  const said = saidBy(server, text);
  const told = `${place} answered HTTP ${status}${said === '' ? '.' : `: ${said}`}`;
  if (status === 429 && /insufficient_quota|billing/i.test(text)) {
    throw new HubError('UNAVAILABLE', `${told} Its account has no quota left; see to that, then embed again.`, {
      details: { retryable: false },
    });
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    // Some local servers answer 500 to what is too long for them; waiting does not make it shorter.
    if (status === 500 && /context.?(length|size)|physical batch size/i.test(text)) return tooLarge();
    return { kind: 'busy', waitMs: waitOf(response.headers, clock), error: new HubError('TRANSIENT_ERROR', told) };
  }
  if (status === 413 || ((status === 400 || status === 422) && sizeWords.test(text))) return tooLarge();
  if (status === 404) throw new HubError('INVALID_CONFIG', `${told} ${server.modelHint}`);
  throw new HubError('UNAVAILABLE', `${told} ${server.modelHint}`, { details: { retryable: false } });

  function tooLarge(): VectorAnswer {
    return { kind: 'too-large', error: new HubError('UNAVAILABLE', told, { details: { retryable: false } }) };
  }
}

/** The server's own sentence, short and without secrets. */
function saidBy(server: EmbeddingServer, text: string): string {
  let said = text;
  try {
    const parsed = JSON.parse(text) as { error?: { message?: unknown } | string; message?: unknown } | null;
    const error = parsed?.error;
    const message = typeof error === 'string' ? error : (error?.message ?? parsed?.message);
    if (typeof message === 'string') said = message;
  } catch {
    if (/^\s*</.test(text)) return '';
  }
  for (const secret of server.secrets) said = said.replaceAll(secret, '…');
  const line = said.replace(/\s+/g, ' ').trim().slice(0, 200);
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

/** A copy of length one; undefined when one of the values is no finite number. All zeros stay what they are. */
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
