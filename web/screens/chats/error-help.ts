export interface ErrorHelp {
  /** What the person can do. */
  advice: string;
  /** Where it is done. */
  leadsTo: 'models' | 'servers' | null;
  /** Trying the same again may help. */
  canRetry: boolean;
}

/** What to do about an answer that failed (a code of the hub), or a message that was not taken (a code of HTTP). */
export function errorHelp(code: string): ErrorHelp {
  switch (code.toUpperCase()) {
    case 'NOT_CONFIGURED':
      return {
        advice: 'Set up a provider under Models, or choose another model above.',
        leadsTo: 'models',
        canRetry: true,
      };
    case 'MODEL_ERROR':
      return {
        advice: 'Check its provider and key under Models, choose another model, or try again.',
        leadsTo: 'models',
        canRetry: true,
      };
    case 'NOT_FOUND':
      return {
        advice: 'It was deleted. Choose another agent above, or begin a new chat.',
        leadsTo: null,
        canRetry: false,
      };
    case 'AGENT_NOT_FOUND':
      return { advice: 'The agent is gone. Choose another one above.', leadsTo: null, canRetry: false };
    case 'SIGN_IN_REQUIRED':
      return { advice: 'A server that the agent uses wants you to sign in again.', leadsTo: 'servers', canRetry: true };
    case 'INVALID_ARGUMENTS':
    case 'BAD_REQUEST':
      return { advice: 'Change what was sent and send it again.', leadsTo: null, canRetry: false };
    case 'TOO_LARGE':
    case 'PAYLOAD_TOO_LARGE':
      return { advice: 'Send less at once, or begin a new chat.', leadsTo: null, canRetry: false };
    case 'CONFLICT':
      return { advice: 'Wait until it has answered, or stop it.', leadsTo: null, canRetry: false };
    default:
      return { advice: 'Try again. If it goes on, the log of the hub says more.', leadsTo: null, canRetry: true };
  }
}
