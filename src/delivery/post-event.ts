import type { SendResult } from '../team/events/deliver-target.ts';

export interface EventRequest {
  /** The receiver's name for people, without an address: `Webhook "audit"`. */
  receiver: string;
  url: string;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Sends one request. Any 2xx status is a success; 410 means that the receiver no longer accepts events. Errors quote neither the address nor the reply. */
export async function postEvent(request: EventRequest): Promise<SendResult> {
  const { receiver: place, timeoutMs } = request;
  const { url, headers } = withoutCredentials(request.url);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'agent-zoo', ...headers, ...request.headers },
      body: request.body,
      // A redirect would send the event to an address that nobody configured.
      redirect: 'manual',
      signal: AbortSignal.any([request.signal, timeout]),
    });
    // The body is not needed and may never end.
    await response.body?.cancel();
    return response.ok ? { isDelivered: true } : refusal(place, response.status);
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason;
    const what = timeout.aborted
      ? `did not reply within ${timeoutMs / 1000} s`
      : `cannot be reached (${reason(error)})`;
    return { isDelivered: false, error: `${place} ${what}.`, isFinal: false };
  }
}

function refusal(receiver: string, status: number): SendResult {
  if (status === 410)
    return { isDelivered: false, error: `${receiver} no longer accepts events (HTTP 410).`, isFinal: true };
  const hint = status >= 300 && status < 400 ? ' Redirects are not followed: set the address it redirects to.' : '';
  return { isDelivered: false, error: `${receiver} replied with HTTP ${status}.${hint}`, isFinal: false };
}

/** Moves the user name and password from the address to a header, because fetch rejects them. */
function withoutCredentials(address: string): { url: URL; headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, headers: {} };
  url.username = '';
  url.password = '';
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { url, headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns only the error's code, because its message may contain the address. */
function reason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : 'the connection failed';
}
