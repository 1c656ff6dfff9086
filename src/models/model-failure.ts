import { inspect } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';

/** What failed, for the sentence; and what must not stand in it. */
export interface FailedModel {
  /** Begins the sentence. */
  subject: string;
  provider: string;
  secrets: readonly string[];
}

interface ModelFailure extends ConnectionTrouble {
  status: number | undefined;
  isRetryable: boolean;
  /** What the provider asks to be waited. */
  waitMs: number | undefined;
  /** Its own words, shortened, without secrets. */
  said: string;
}

/** What the parts of the AI SDK throw and stream: its classes, its plain objects, and errors of `fetch` and Node's own client. */
interface ForeignError {
  message?: unknown;
  statusCode?: unknown;
  isRetryable?: unknown;
  responseHeaders?: unknown;
  responseBody?: unknown;
}

/** Reads any failure of a model. A broken connection and 408, 409, 429 and 5xx may pass; a used-up account does not. */
export function readFailure(error: unknown, model: FailedModel, clock: Clock): ModelFailure {
  const foreign: ForeignError = typeof error === 'object' && error !== null ? error : { message: String(error) };
  const code = typeof foreign.statusCode === 'number' ? foreign.statusCode : undefined;
  // 200: the answer began, and broke off.
  const status = code !== undefined && code >= 400 ? code : undefined;
  const trouble = status === undefined ? troubleOf(error) : {};
  const body = typeof foreign.responseBody === 'string' ? foreign.responseBody : '';
  const text = typeof foreign.message === 'string' ? foreign.message : '';
  const isPassing = status === undefined ? trouble.lost !== undefined : isPassingStatus(status);
  const isInVain = trouble.hopeless !== undefined || inVain.test(`${text} ${body}`);
  return {
    status,
    isRetryable: (isPassing || foreign.isRetryable === true) && !isInVain,
    waitMs: waitOf(foreign.responseHeaders, clock),
    said: shorten(text, model.secrets),
    ...trouble,
  };
}

/** An account that is used up, and a redirect, which would carry the key elsewhere and is therefore not followed. */
const inVain = /insufficient_quota|billing|unexpected redirect/i;

export function toModelError(failure: ModelFailure, error: unknown, model: FailedModel, tries: number): HubError {
  const { status, isRetryable, waitMs } = failure;
  const details = {
    ...(status === undefined ? {} : { status }),
    isRetryable,
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  };
  const again = tries > 1 ? ` It was tried ${tries} times.` : '';
  const message = `${sentenceOf(failure, model)}${again}`;
  const isKnown = status !== undefined || failure.lost !== undefined || failure.hopeless !== undefined;
  const cause = !isKnown && error instanceof Error && mayBeShown(error, model) ? { cause: error } : {};
  return new HubError('MODEL_ERROR', message, { details, ...cause });
}

/** The SDK's errors hold the whole request, and a server's words may repeat the key: no causes that a log should show. */
function mayBeShown(error: Error & ForeignError, { secrets }: FailedModel): boolean {
  if (error.statusCode !== undefined) return false;
  const shown = inspect(error, { depth: 6 });
  return !secrets.some((secret) => secret !== '' && shown.includes(secret));
}

function sentenceOf(
  { status, said, lost, hopeless, waitMs }: ModelFailure,
  { subject: name, provider }: FailedModel,
): string {
  if (lost !== undefined) return `${name} cannot be reached, or the connection broke off (${lost}).`;
  if (hopeless !== undefined) return `${name} failed: ${hopeless}`;
  if (status === undefined) return `${name} failed: ${said === '' ? 'it gave no reason.' : said}`;
  // The words are not repeated: servers like to quote the key they refuse.
  if (status === 401) return `${name} refused the key (HTTP 401). Set a key of ${provider} that is valid.`;
  const wait = waitMs === undefined ? '' : ` It asks to wait ${Math.ceil(waitMs / 1000)} s.`;
  const hint = status === 404 ? ' Check the name of the model and the base URL.' : '';
  return `${name} answered HTTP ${status}${said === '' ? '.' : `: ${said}`}${wait}${hint}`;
}

function isPassingStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Milliseconds by `retry-after-ms` or `retry-after`, which is seconds or a date. */
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

/** One line, short, without keys. */
export function shorten(text: string, secrets: readonly string[]): string {
  let said = /^\s*</.test(text) ? '' : text;
  for (const secret of secrets) if (secret !== '') said = said.replaceAll(secret, '••••••••');
  const line = said.replace(keyLike, '••••••••').replace(/\s+/g, ' ').trim();
  const short = line.length > 300 ? `${line.slice(0, 300)}…` : line;
  return short === '' || /[.!?…]$/.test(short) ? short : `${short}.`;
}

/** What a connection met on its way. */
interface ConnectionTrouble {
  /** Why there is no answer: the code of the network, or how the stream ended. May pass. */
  lost?: string | undefined;
  /** Why there will never be one, after "failed: ". */
  hopeless?: string | undefined;
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

/** By the codes that are somewhere in the causes, of `fetch` as of Node's own client. */
export function troubleOf(error: unknown): ConnectionTrouble {
  let each = error;
  let lost: string | undefined;
  for (let depth = 0; depth < 8 && typeof each === 'object' && each !== null; depth += 1) {
    const { code, message, cause, errors }: NetworkError = each;
    const text = typeof message === 'string' ? message : '';
    if (typeof code === 'string') {
      if (lostCodes.test(code)) return { lost: code };
      const hopeless = hopelessBy(code, text);
      if (hopeless !== undefined) return { hopeless };
    }
    if (/^terminated$|stream ended without/.test(text)) lost = 'it ended too early';
    each = cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return { lost };
}

function hopelessBy(code: string, message: string): string | undefined {
  if (unknownAuthority.test(code)) {
    return `its certificate is signed by nobody who is known here (${code}). If that is right, name the file of its authority in NODE_EXTRA_CA_CERTS.`;
  }
  if (/^(EPROTO|ERR_SSL_\w+)$/.test(code) && /wrong version number|packet length too long/.test(message)) {
    return 'its address does not speak HTTPS. Begin the base URL with http:// if that is meant.';
  }
  if (code === 'HPE_INVALID_CONSTANT') return `its address does not speak HTTP (${code}). Check the base URL.`;
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    const name = /\["([^"]{1,100})"\]$/.exec(message)?.[1] ?? '';
    return `the header "${name}" cannot be sent: a character of it is not allowed there. Check the key and the headers that are set.`;
  }
  return undefined;
}
