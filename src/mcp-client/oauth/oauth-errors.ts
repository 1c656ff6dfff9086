import { OAuthClientFlowError, OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import { connectionError, foreignText } from '../connection/connection-errors.ts';

/** The authorization server said no: asking it again changes nothing. */
export function isRefusal(error: unknown): boolean {
  return (
    OAuthError.isInstance(error) &&
    !['server_error', 'temporarily_unavailable', 'too_many_requests'].includes(error.code)
  );
}

/**
 * What went wrong with a sign-in, in the words of the hub. Causes are left out: they hold whole answers of the server, and
 * those can hold tokens.
 */
export function oauthError(server: string, error: unknown): HubError {
  if (error instanceof HubError) return error;
  const details = { server, mayHaveRun: false, ...(isRefusal(error) && { retryable: false }) };
  const fail = (why: string) =>
    new HubError('UNAVAILABLE', `Signing in to "${server}" did not work: ${why}`, { details });
  if (RegistrationRejectedError.isInstance(error)) return noRegistration(server, `refuses to (HTTP ${error.status})`);
  if (OAuthClientFlowError.isInstance(error)) return fail(sentence(error.message));
  if (OAuthError.isInstance(error)) {
    // The SDK puts the whole answer into it when that is none of OAuth's.
    const isOdd = error.message.includes('Raw body:');
    const said = isOdd ? /^HTTP \d+/.exec(error.message)?.[0] : error.message;
    return fail(
      sentence(`its sign-in server answered "${foreignText(error.code)}"${said ? ` (${foreignText(said)})` : ''}`),
    );
  }
  if (error instanceof z.ZodError || (error instanceof Error && error.name === 'ZodError')) {
    return fail('what it says about its sign-in is not as the standards have it.');
  }
  if (error instanceof SyntaxError) return fail('its sign-in server sent something that is not JSON.');
  if (error instanceof Error && /dynamic client registration/i.test(error.message)) {
    return noRegistration(server, 'does not do that');
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new HubError('TIMEOUT', `Signing in to "${server}" took too long: its sign-in server does not answer.`, {
      details,
    });
  }
  const { message } = connectionError(server, error);
  return new HubError('UNAVAILABLE', `Signing in did not work. ${message}`, { details });
}

function noRegistration(server: string, what: string): HubError {
  return new HubError(
    'NOT_CONFIGURED',
    `Agent Zoo is not known where "${server}" lets people sign in, and that place should register it but ${what}. Register a client there and give clientId (and clientSecret) in the auth of the server.`,
    { details: { server } },
  );
}

function sentence(text: string): string {
  const line = foreignText(text);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
