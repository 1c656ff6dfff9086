import { inspect } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ModelFailureReason } from '../engine/model.ts';

/** What failed, for the message, and secrets that must not appear in it. */
export interface FailedModel {
  /** The subject of the message. */
  subject: string;
  provider: string;
  /** The provider's address. */
  baseUrl?: string | undefined;
  secrets: readonly string[];
  /** Which key was not sent, and how to send it. */
  keyHint?: string | undefined;
}

interface ModelFailure extends ConnectionTrouble {
  reason: ModelFailureReason;
  status: number | undefined;
  isRetryable: boolean;
  /** How long the provider asks us to wait. */
  waitMs: number | undefined;
  /** The provider's message, shortened and without secrets. */
  message: string;
}

/** The fields of errors that the AI SDK, `fetch` and Node's HTTP client throw. */
interface ForeignError {
  message?: unknown;
  statusCode?: unknown;
  isRetryable?: unknown;
  responseHeaders?: unknown;
  responseBody?: unknown;
}

/** Reads any failure of a model. A broken connection and statuses 408, 409, 429 and 5xx are temporary; an exhausted quota is not. */
export function readFailure(error: unknown, model: FailedModel, clock: Clock): ModelFailure {
  const foreign: ForeignError = typeof error === 'object' && error !== null ? error : { message: String(error) };
  const code = typeof foreign.statusCode === 'number' ? foreign.statusCode : undefined;
  // Status 200 means that the answer started and broke off.
  const status = code !== undefined && code >= 400 ? code : undefined;
  const trouble = status === undefined ? troubleOf(error) : {};
  const body = typeof foreign.responseBody === 'string' ? foreign.responseBody : '';
  const text = typeof foreign.message === 'string' ? foreign.message : '';
  const isTemporary = status === undefined ? trouble.lost !== undefined : isTemporaryStatus(status);
  const isPermanent = trouble.permanent !== undefined || permanentMessages.test(`${text} ${body}`);
  return {
    reason: reasonOf(status, `${text} ${body}`, trouble),
    status,
    isRetryable: (isTemporary || foreign.isRetryable === true) && !isPermanent,
    waitMs: waitOf(foreign.responseHeaders, clock),
    message: shorten(text, model.secrets),
    ...trouble,
  };
}

const quotaMessages = /insufficient_quota|billing|credit balance|exceeded your current quota/i;
/** An exhausted quota, or a redirect, which is not followed because it would send the key elsewhere. */
const permanentMessages = new RegExp(`${quotaMessages.source}|unexpected redirect`, 'i');
const lengthMessages =
  /context.?(length|window|size)|maximum context|too many tokens|prompt is too long|input (is )?too long|exceeds? the (available )?context/i;
const keyMessages = /api[ _-]?key|x-api-key|unauthorized|authentication/i;
const wrongAddressCodes = /^(ENOTFOUND|EAI_AGAIN)$/;

function reasonOf(
  status: number | undefined,
  text: string,
  { lost, permanent }: ConnectionTrouble,
): ModelFailureReason {
  if (lost !== undefined)
    return wrongAddressCodes.test(lost) ? 'address' : /TIMEDOUT|TIMEOUT/.test(lost) ? 'timeout' : 'unreachable';
  if (permanent !== undefined) return permanent.startsWith('the header') ? 'key' : 'address';
  if (/unexpected redirect|a web page instead/i.test(text)) return 'address';
  if (status === 402 || quotaMessages.test(text)) return 'quota';
  if (status === 401 || status === 403) return 'key';
  // Without a word about the model, the path itself does not exist.
  if (status === 404) return /model/i.test(text) ? 'model' : 'address';
  if (status === 405) return 'address';
  if (status === 429) return 'rate';
  if (status === 413 || lengthMessages.test(text)) return 'length';
  if (status === 400 && keyMessages.test(text)) return 'key';
  if (
    status === 400 &&
    /model.{0,80}(not (exist|found|supported|valid)|unknown|does not exist)|(unknown|invalid|no such) model/i.test(text)
  )
    return 'model';
  if (status === 408) return 'timeout';
  return status !== undefined && status < 500 ? 'request' : 'provider';
}

export function toModelError(failure: ModelFailure, error: unknown, model: FailedModel, tries: number): HubError {
  const { reason, status, isRetryable, waitMs } = failure;
  const details = {
    reason,
    ...(status === undefined ? {} : { status }),
    isRetryable,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
  const again = tries > 1 ? ` Gave up after ${tries} attempts.` : '';
  const message = `${sentenceOf(failure, model)}${again}`;
  const isKnown = status !== undefined || failure.lost !== undefined || failure.permanent !== undefined;
  const cause = !isKnown && error instanceof Error && mayBeShown(error, model) ? { cause: error } : {};
  return new HubError('MODEL_ERROR', message, { details, ...cause });
}

/** The SDK's errors contain the whole request, and a server's message may repeat the key, so such causes must not be logged. */
function mayBeShown(error: Error & ForeignError, { secrets }: FailedModel): boolean {
  if (error.statusCode !== undefined) return false;
  const shown = inspect(error, { depth: 6 });
  return !secrets.some((secret) => secret !== '' && shown.includes(secret));
}

function sentenceOf(
  { reason, status, message, lost, permanent, waitMs }: ModelFailure,
  { subject: name, provider, baseUrl, keyHint }: FailedModel,
): string {
  if (lost !== undefined) return `${name} ${lostWords(lost, baseUrl)}`;
  if (permanent !== undefined) return `${name} failed: ${permanent}`;
  if (status === undefined) return `${name} failed: ${message === '' ? 'it gave no reason.' : message}`;
  // The server's message is not repeated: servers like to quote the rejected key.
  if (status === 401 && keyHint !== undefined) return `${name} requires a key (HTTP 401). ${keyHint}`;
  if (status === 401) return `${name} rejected the key (HTTP 401). Set a valid key for ${provider}.`;
  const said = message === '' ? '' : `: ${message}`;
  if (reason === 'quota')
    return `${name} replied that the account has no credit left (HTTP ${status})${said || '.'} Add credit with the provider, or choose another model.`;
  if (reason === 'length')
    return `${name} cannot read a conversation this long (HTTP ${status})${said || '.'} Start a new chat, or choose a model with a larger context.`;
  const wait = waitMs === undefined ? '' : ` It asks you to wait ${Math.ceil(waitMs / 1000)} s.`;
  const hint = statusHints[reason] ?? '';
  return `${name} replied with HTTP ${status}${said || '.'}${wait}${hint}`;
}

const statusHints: Partial<Record<ModelFailureReason, string>> = {
  key: ' Check the key, and whether it may use this model.',
  model: ' Check the name of the model.',
  address: ' Check the name of the model and the base URL.',
};

function lostWords(lost: string, baseUrl: string | undefined): string {
  const { host, hostname } = baseUrl === undefined ? {} : new URL(baseUrl);
  if (lost === 'ECONNREFUSED' && host !== undefined)
    return `cannot be reached: nothing is listening at ${host} (${lost}). Start the server, or check the address.`;
  if (lost === 'ENOTFOUND' && hostname !== undefined)
    return `cannot be reached: there is no host ${hostname} (${lost}). Check the address.`;
  return `cannot be reached, or the connection was lost (${lost}). Check the address and the network, then try again.`;
}

function isTemporaryStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Returns the milliseconds of `retry-after-ms` or `retry-after` (seconds or a date). */
function waitOf(headers: unknown, clock: Clock): number | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  const read = (name: string) => (headers as Record<string, unknown>)[name];
  const exact = Number.parseFloat(String(read('retry-after-ms')));
  if (exact >= 0) return exact;
  const value = read('retry-after');
  if (typeof value !== 'string') return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - clock.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

const keyLike = /\b(sk|pk|key|gsk|xai|AIza|Bearer )[-_.*A-Za-z0-9]{8,}/g;

/** Returns one short line without keys. */
export function shorten(text: string, secrets: readonly string[]): string {
  let masked = /^\s*</.test(text) ? '' : text;
  for (const secret of secrets) if (secret !== '') masked = masked.replaceAll(secret, '••••••••');
  const line = masked.replace(keyLike, '••••••••').replace(/\s+/g, ' ').trim();
  const short = line.length > 300 ? `${line.slice(0, 300)}…` : line;
  return short === '' || /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** A problem with the connection. */
interface ConnectionTrouble {
  /** A temporary failure: the network error code, or how the stream ended. */
  lost?: string | undefined;
  /** A permanent failure, as text after "failed: ". */
  permanent?: string | undefined;
}

interface NetworkError {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown;
}

const lostCodes = /^(ECONN\w+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND|UND_ERR_\w+)$/;
const unknownAuthority =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

/** Looks for network error codes in the error and its causes, from `fetch` or Node's HTTP client. */
export function troubleOf(error: unknown): ConnectionTrouble {
  let each = error;
  let lost: string | undefined;
  for (let depth = 0; depth < 8 && typeof each === 'object' && each !== null; depth += 1) {
    const { code, message, cause, errors }: NetworkError = each;
    const text = typeof message === 'string' ? message : '';
    if (typeof code === 'string') {
      if (lostCodes.test(code)) return { lost: code };
      const permanent = permanentReason(code, text);
      if (permanent !== undefined) return { permanent };
    }
    if (text === 'bad port')
      return {
        permanent: 'requests to this port are not allowed, because it belongs to another protocol. Use another port.',
      };
    if (/^terminated$|stream ended without/.test(text)) lost = 'it ended too early';
    each = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return { lost };
}

function permanentReason(code: string, message: string): string | undefined {
  if (unknownAuthority.test(code)) {
    return `its certificate is signed by an unknown authority (${code}). To trust it, set NODE_EXTRA_CA_CERTS to the authority's certificate file.`;
  }
  if (/^(EPROTO|ERR_SSL_\w+)$/.test(code) && /wrong version number|packet length too long/.test(message)) {
    return 'its address does not use HTTPS. Start the base URL with http:// if that is intended.';
  }
  if (code === 'HPE_INVALID_CONSTANT') return `its address does not use HTTP (${code}). Check the base URL.`;
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    const name = /\["([^"]{1,100})"\]$/.exec(message)?.[1] ?? '';
    return `the header "${name}" contains a character that is not allowed. Check the key and the configured headers.`;
  }
  return undefined;
}
