import { OAuthClientFlowError, OAuthError, RegistrationRejectedError } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { HubError } from '../../base/hub-error.ts';
import { connectionError, foreignText } from '../connection/connection-errors.ts';

/** Tells whether the authorization server refused, so that asking again does not help. */
export function isRefusal(error: unknown): boolean {
  return (
    OAuthError.isInstance(error) &&
    !['server_error', 'temporarily_unavailable', 'too_many_requests'].includes(error.code)
  );
}

/**
 * Turns an error of a sign-in into a HubError. Leaves out causes: they contain whole replies of the server, which may contain tokens.
 */
export function oauthError(server: string, error: unknown): HubError {
  if (error instanceof HubError) return error;
  const details = { server, mayHaveRun: false, ...(isRefusal(error) && { retryable: false }) };
  const fail = (why: string) => new HubError('UNAVAILABLE', `Sign-in to "${server}" failed: ${why}`, { details });
  if (RegistrationRejectedError.isInstance(error))
    return noRegistration(server, `refused to register it (HTTP ${error.status})`);
  if (OAuthClientFlowError.isInstance(error)) return fail(sentence(error.message));
  if (OAuthError.isInstance(error)) {
    // The SDK includes the whole body if it is not an OAuth error.
    const hasRawBody = error.message.includes('Raw body:');
    const text = hasRawBody ? /^HTTP \d+/.exec(error.message)?.[0] : error.message;
    return fail(
      sentence(`its sign-in server replied "${foreignText(error.code)}"${text ? ` (${foreignText(text)})` : ''}`),
    );
  }
  if (error instanceof z.ZodError || (error instanceof Error && error.name === 'ZodError')) {
    return fail('its sign-in metadata does not follow the OAuth standards.');
  }
  if (error instanceof SyntaxError) return fail('its sign-in server replied with something that is not JSON.');
  if (error instanceof Error && /dynamic client registration/i.test(error.message)) {
    return noRegistration(server, 'does not support registration');
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new HubError('TIMEOUT', `Sign-in to "${server}" timed out: its sign-in server does not respond.`, {
      details,
    });
  }
  const { message } = connectionError(server, error);
  return new HubError('UNAVAILABLE', `Sign-in failed. ${message}`, { details });
}

function noRegistration(server: string, what: string): HubError {
  return new HubError(
    'NOT_CONFIGURED',
    `Agent Zoo is not registered with the sign-in server of "${server}", which ${what}. Register a client there, and set clientId (and clientSecret) in the server's "auth".`,
    { details: { server } },
  );
}

function sentence(text: string): string {
  const line = foreignText(text);
  return /[.!?…]$/.test(line) ? line : `${line}.`;
}
