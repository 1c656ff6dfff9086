export interface ErrorHelp {
  /** Tells the user what to do. */
  advice: string;
  /** The screen where the user can do it. */
  leadsTo: 'models' | 'servers' | null;
  /** Retrying unchanged may help. */
  canRetry: boolean;
}

/** Returns advice for a failed answer (hub error code) or a rejected message (HTTP error code). */
export function errorHelp(code: string): ErrorHelp {
  switch (code.toUpperCase()) {
    case 'NOT_CONFIGURED':
      return {
        advice: 'Set up a provider in Models, or choose another model above.',
        leadsTo: 'models',
        canRetry: true,
      };
    case 'MODEL_ERROR':
      return {
        advice: 'Check the provider and its key in Models, choose another model, or try again.',
        leadsTo: 'models',
        canRetry: true,
      };
    case 'NOT_FOUND':
      return {
        advice: 'It was deleted. Choose another agent above, or start a new chat.',
        leadsTo: null,
        canRetry: false,
      };
    case 'AGENT_NOT_FOUND':
      return { advice: 'This agent was deleted. Choose another one above.', leadsTo: null, canRetry: false };
    case 'SIGN_IN_REQUIRED':
      return { advice: 'Sign in again to the server this agent uses.', leadsTo: 'servers', canRetry: true };
    case 'INVALID_ARGUMENTS':
    case 'BAD_REQUEST':
      return { advice: 'Change the message and resend it.', leadsTo: null, canRetry: false };
    case 'TOO_LARGE':
    case 'PAYLOAD_TOO_LARGE':
      return { advice: 'Shorten the message, or start a new chat.', leadsTo: null, canRetry: false };
    case 'CONFLICT':
      return { advice: 'Wait for the answer to finish, or stop it.', leadsTo: null, canRetry: false };
    default:
      return { advice: "Try again. If it keeps failing, check the hub's log.", leadsTo: null, canRetry: true };
  }
}
