import { HubError } from '../../base/hub-error.ts';
import { findCause, isNeverSent } from '../../base/never-sent.ts';
import { isSecretSetting } from '../../base/secret-names.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';

const maxForeignText = 2_000;

/** Shortens text from a server to one line that fits into a message. */
export function foreignText(text: unknown): string {
  const line = String(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > maxForeignText ? `${line.slice(0, maxForeignText)}…` : line;
}

/** Turns an error of the SDK, of Node or of our own code into a HubError. */
export function connectionError(server: string, error: unknown, definition?: ServerDefinition): HubError {
  const known = findCause(error, (cause) => cause instanceof HubError);
  if (known instanceof HubError) return known;
  const status = httpStatus(error);
  if (status === 401 || isNamed(error, 'UnauthorizedError')) return signInRequired(server, definition, error);
  if (status === 403) {
    return new HubError('UNAVAILABLE', `Server "${server}" denied access (HTTP 403): ${reasonOf(error)}`, {
      cause: error,
      details: { server, status, mayHaveRun: false, retryable: false },
    });
  }
  const code = networkCode(error);
  const why = code === undefined ? undefined : networkReasons[code];
  return new HubError('UNAVAILABLE', `Server "${server}" ${why ?? `cannot be used: ${reasonOf(error)}`}`, {
    cause: error,
    details: {
      server,
      ...(status !== undefined && { status }),
      // A proxy may reply 502 or 504 after the server has started the call.
      mayHaveRun: status === undefined ? !isNeverSent(error) : status >= 500,
      ...(code !== undefined && badCertificates.has(code) && { retryable: false }),
    },
  });
}

function signInRequired(server: string, definition: ServerDefinition | undefined, cause: unknown): HubError {
  const { auth, headers } = definition && 'auth' in definition ? definition : { auth: null, headers: {} };
  const isAnonymous = auth === null && !Object.keys(headers).some(isSecretSetting);
  const what = isAnonymous
    ? `requires a sign-in (HTTP 401). Add "auth" to its definition, or sign in: zoo mcp-server sign-in ${server}`
    : auth?.type === 'oauth'
      ? `requires a sign-in. Sign in on the Servers screen, or with: zoo mcp-server sign-in ${server}`
      : `rejected the ${auth?.type === 'bearer' ? 'token' : 'credentials'} in its definition (HTTP 401).`;
  return new HubError('SIGN_IN_REQUIRED', `Server "${server}" ${what}`, {
    cause,
    details: { server, mayHaveRun: false },
  });
}

const networkReasons: Record<string, string> = {
  ECONNREFUSED: 'cannot be reached: nothing is listening at its address.',
  ENOTFOUND: 'cannot be reached: its host name is unknown.',
  EAI_AGAIN: 'cannot be reached: its host name could not be resolved.',
  ECONNRESET: 'closed the connection unexpectedly.',
  ETIMEDOUT: 'cannot be reached: it did not respond in time.',
  EHOSTUNREACH: 'cannot be reached: there is no route to its host.',
  ENETUNREACH: 'cannot be reached: its network is unreachable.',
  CERT_HAS_EXPIRED: 'cannot be reached safely: its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'cannot be reached safely: its certificate is self-signed.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'cannot be reached safely: its certificate cannot be verified.',
};

const badCertificates: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function httpStatus(error: unknown): number | undefined {
  const cause = findCause(error, (one) => statusOf(one) !== undefined);
  return cause === undefined ? undefined : statusOf(cause);
}

function statusOf(error: object): number | undefined {
  const status = dataOf(error)?.status ?? (error.constructor.name === 'SseError' && 'code' in error ? error.code : 0);
  return typeof status === 'number' && status >= 300 ? status : undefined;
}

function dataOf(error: object): { status?: unknown } | undefined {
  return 'data' in error && typeof error.data === 'object' && error.data !== null ? error.data : undefined;
}

function networkCode(error: unknown): string | undefined {
  const cause = findCause(error, (one) => 'code' in one && String(one.code) in networkReasons);
  if (cause && 'code' in cause) return String(cause.code);
  // The SDK sometimes keeps only the text.
  const named = /\bE[A-Z_]{4,}\b/.exec(error instanceof Error ? error.message : '')?.[0];
  return named !== undefined && named in networkReasons ? named : undefined;
}

function isNamed(error: unknown, name: string): boolean {
  return findCause(error, (one) => 'name' in one && one.name === name) !== undefined;
}

function reasonOf(error: unknown): string {
  const text = foreignText(error instanceof Error ? error.message : error);
  // The SDK's list of validation errors does not help the user of the server.
  const invalid = /^Invalid result for (\S{1,60}):/.exec(text);
  if (invalid) return `its reply to ${invalid[1]} is not valid MCP.`;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
