import type { ModelFailureReason } from '../../../src/engine/model.ts';

export interface ErrorHelp {
  /** Tells the user what to do. */
  advice: string;
  /** The screen where the user can do it. */
  leadsTo: 'models' | 'servers' | null;
  /** Retrying unchanged may help. */
  canRetry: boolean;
}

/** Returns advice for a failed answer (hub error code) or a rejected message (HTTP error code), and for why the model failed. */
export function errorHelp(code: string, reason?: ModelFailureReason): ErrorHelp {
  if (reason !== undefined) return modelHelp[reason];
  switch (code.toUpperCase()) {
    case 'NOT_CONFIGURED':
      return {
        advice: 'Set up a provider in Models, or choose another model above.',
        leadsTo: 'models',
        canRetry: true,
      };
    case 'MODEL_ERROR':
      return {
        advice: 'Test the provider in Models, choose another model, or try again.',
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
    case 'UNAUTHENTICATED':
      return {
        advice: 'Run "zoo open" in a terminal on the hub\'s machine to sign in, then retry.',
        leadsTo: null,
        canRetry: true,
      };
    case 'PERMISSION_DENIED':
      return {
        advice: 'Ask the owner of the hub for this right, or sign in as someone who has it.',
        leadsTo: null,
        canRetry: false,
      };
    case 'RATE_LIMITED':
      return { advice: 'Wait a moment, then retry: there were too many requests.', leadsTo: null, canRetry: true };
    case 'STORAGE_FULL':
      return {
        advice: "Free some space on the disk of the hub's database, then retry.",
        leadsTo: null,
        canRetry: true,
      };
    case 'STORAGE_FAILED':
      return {
        advice: "Check the hub's database and its disk, then retry. The hub's log names the cause.",
        leadsTo: null,
        canRetry: true,
      };
    case 'UNREACHABLE':
      return {
        advice: 'Start the hub, or check your connection to it. Then retry.',
        leadsTo: null,
        canRetry: true,
      };
    case 'CANCELLED':
    case 'TRANSIENT_ERROR':
    case 'UNAVAILABLE':
      return { advice: 'Wait until the hub is ready again, then retry.', leadsTo: null, canRetry: true };
    case 'TIMEOUT':
      return { advice: 'Retry. If it keeps timing out, ask for less at a time.', leadsTo: null, canRetry: true };
    default:
      return { advice: "Try again. If it keeps failing, check the hub's log.", leadsTo: null, canRetry: true };
  }
}

const modelHelp: Record<ModelFailureReason, ErrorHelp> = {
  key: { advice: 'Enter a valid key in Models, then retry.', leadsTo: 'models', canRetry: true },
  address: {
    advice: "Check the provider's address and test it in Models, then retry.",
    leadsTo: 'models',
    canRetry: true,
  },
  unreachable: {
    advice: 'Start the server if it is yours, or check its address in Models. Then retry.',
    leadsTo: 'models',
    canRetry: true,
  },
  timeout: { advice: 'Retry. If it keeps happening, choose a faster model.', leadsTo: null, canRetry: true },
  model: { advice: 'Choose a model that the provider has: click the model above.', leadsTo: null, canRetry: true },
  quota: {
    advice: 'Add credit to your account with the provider, or choose another provider’s model above.',
    leadsTo: null,
    canRetry: true,
  },
  rate: { advice: 'Wait a moment, then retry.', leadsTo: null, canRetry: true },
  length: {
    advice: 'Start a new chat, or choose a model with a larger context above.',
    leadsTo: null,
    canRetry: false,
  },
  request: {
    advice: 'Change the message and resend it, or choose another model above.',
    leadsTo: null,
    canRetry: true,
  },
  provider: {
    advice: 'The provider has a problem. Retry, or choose another model above.',
    leadsTo: null,
    canRetry: true,
  },
};
