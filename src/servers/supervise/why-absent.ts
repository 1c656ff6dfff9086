import type { HubErrorCode } from '../../base/error-codes.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ToolList } from '../server-store.ts';
import type { ToolDraft } from '../server-tools.ts';
import { versionLabel } from '../server-versions.ts';
import type { ServerInfo, ServerState } from '../servers.ts';

/** The parts of a server that explain why one of its tools cannot be called. */
export interface AbsenceContext {
  server: string;
  origin: ServerInfo['origin'];
  definedIn: string;
  state: ServerState;
  /** The user disconnected the server. */
  isPaused: boolean;
}

/** Explains why a known tool cannot be called and what would change that. Returns undefined if it can be called. */
export function whyAbsent(
  context: AbsenceContext,
  draft: Pick<ToolDraft, 'remoteName' | 'status' | 'note'>,
): HubError | undefined {
  const { server } = context;
  const tool = `The tool "${draft.remoteName.slice(0, 80)}" of server "${server}"`;
  const off = whyServerOff(context);
  if (off) return off;
  switch (draft.status) {
    case 'new':
      return refusal('PERMISSION_DENIED', `${tool} is new and has not been accepted yet. ${howToAccept(server)}`);
    case 'changed':
      return refusal('PERMISSION_DENIED', `${tool} has changed since it was accepted. ${howToAccept(server)}`);
    case 'off':
      return refusal('PERMISSION_DENIED', `${tool} is turned off. Turn it on in the Servers screen.`);
    case 'gone':
      return refusal('UNKNOWN_TOOL', `${tool} is gone: the server no longer lists it.`);
    case 'filtered':
      return refusal(
        'UNKNOWN_TOOL',
        `${tool} is excluded by "include" or "exclude" in the server's definition, in ${context.definedIn}.`,
      );
    case 'unusable':
      return refusal('UNKNOWN_TOOL', `${tool} is left out. ${draft.note}`);
    case 'active':
    case 'conflict':
      return undefined;
  }
}

/** Explains why the tools of a server that has never listed them are unknown. */
export function whyUnlisted(context: AbsenceContext): HubError {
  const { server, state } = context;
  const off = whyServerOff(context);
  if (off) return off;
  switch (state.kind) {
    case 'failed':
      return refusal(
        'UNAVAILABLE',
        `The tools of server "${server}" are not known yet: ${withDot(state.reason)} Try again: zoo mcp-server test ${server}`,
      );
    case 'sign-in':
      return refusal('SIGN_IN_REQUIRED', state.reason);
    case 'connecting':
    case 'connected':
      return refusal(
        'UNAVAILABLE',
        `The server "${server}" is still connecting, so its tools are not known yet. Call again in a moment.`,
      );
    case 'idle':
    case 'disabled':
      return notRetryable(
        `The server "${server}" has never been connected, so its tools are not known. Connect it: zoo mcp-server test ${server}`,
      );
  }
}

function whyServerOff({ server, origin, definedIn, state, isPaused }: AbsenceContext): HubError | undefined {
  if (state.kind === 'disabled') {
    const how = origin === 'config' ? `set enabled = true in ${definedIn}` : 'in the Servers screen';
    return notRetryable(`The server "${server}" is disabled. Enable it: ${how}.`);
  }
  if (!isPaused) return undefined;
  const how = `in the Servers screen, or with POST /api/servers/${server}/connect`;
  return notRetryable(`The server "${server}" was disconnected. Connect it: ${how}.`);
}

function howToAccept(server: string): string {
  return `Review and accept it in the Servers screen, or with: zoo mcp-server accept ${server}`;
}

function refusal(code: HubErrorCode, message: string): HubError {
  return new HubError(code, message, { details: { mayHaveRun: false } });
}

/** Only the user can change this, so calling again does not help. */
function notRetryable(message: string): HubError {
  return new HubError('UNAVAILABLE', message, { details: { mayHaveRun: false, retryable: false } });
}

function withDot(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What is listed now is accepted too, but the caller, and whoever approved the call, saw the other definition. */
export function otherVersion(server: string, list: ToolList | undefined, tool: string): HubError {
  const version = list ? versionLabel(list) : 'another version';
  const message = `The server "${server}" now announces ${version}, which defines "${tool}" differently; nothing was called. List the tools again and repeat the call.`;
  return new HubError('CONFLICT', message, { details: { mayHaveRun: false, isListedAgain: true } });
}

export function changedDefinition(server: string, tool: string): HubError {
  const message = `The server "${server}" changed or removed its tool "${tool}"; nothing was called. Review and accept the change: zoo mcp-server accept ${server}`;
  return new HubError('PERMISSION_DENIED', message, { details: { mayHaveRun: false } });
}

/** The whole server needs a sign-in, not just one tool that needs a wider scope. */
export function isSignInNeeded(error: unknown): error is HubError {
  return error instanceof HubError && error.code === 'SIGN_IN_REQUIRED' && error.details?.scope === undefined;
}
