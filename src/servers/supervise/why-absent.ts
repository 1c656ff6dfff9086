import type { HubErrorCode } from '../../base/error-codes.ts';
import { HubError } from '../../base/hub-error.ts';
import { noInput } from '../remote-tool.ts';
import type { ToolDraft } from '../server-tools.ts';
import type { ServerInfo, ServerState } from '../servers.ts';

/** As much of a server as explains why a tool of it cannot be called. */
export interface AbsentFrom {
  server: string;
  origin: ServerInfo['origin'];
  place: string;
  state: ServerState;
  /** A person ended the connection. */
  isPaused: boolean;
}

/** Why a tool that is known cannot be called, and what would change that; undefined where nothing speaks against it. */
export function whyAbsent(from: AbsentFrom, draft: Pick<ToolDraft, 'remoteName' | 'status'>): HubError | undefined {
  const { server } = from;
  const tool = `The tool "${draft.remoteName.slice(0, 80)}" of server "${server}"`;
  const off = whyServerOff(from);
  if (off) return off;
  switch (draft.status) {
    case 'new':
      return refusal('PERMISSION_DENIED', `${tool} waits for approval: it is new. ${howToAccept(server)}`);
    case 'changed':
      return refusal(
        'PERMISSION_DENIED',
        `${tool} waits for approval: the server changed it after it was accepted. ${howToAccept(server)}`,
      );
    case 'off':
      return refusal('PERMISSION_DENIED', `${tool} is turned off. Turn it on: on the Servers screen.`);
    case 'gone':
      return refusal('UNKNOWN_TOOL', `${tool} is gone: the server does not list it any more.`);
    case 'filtered':
      return refusal(
        'UNKNOWN_TOOL',
        `${tool} is left out by include or exclude of the server's definition, in ${from.place}.`,
      );
    case 'unusable':
      return refusal('UNKNOWN_TOOL', `${tool} is left out. ${noInput}`);
    case 'active':
    case 'conflict':
      return undefined;
  }
}

/** Why nothing is known of the tools of a server that never listed any. */
export function whyUnlisted(from: AbsentFrom): HubError {
  const { server, state } = from;
  const off = whyServerOff(from);
  if (off) return off;
  switch (state.kind) {
    case 'failed':
      return refusal(
        'UNAVAILABLE',
        `The tools of server "${server}" are not known yet: ${withDot(state.reason)} Try it again: zoo mcp-server test ${server}`,
      );
    case 'sign-in':
      return refusal('SIGN_IN_REQUIRED', state.reason);
    case 'connecting':
    case 'connected':
      return refusal(
        'UNAVAILABLE',
        `The server "${server}" is still connecting, and its tools are not known yet. Call again in a moment.`,
      );
    case 'idle':
    case 'disabled':
      return switchedOff(
        `The server "${server}" was never connected, so its tools are not known. Connect it: zoo mcp-server test ${server}`,
      );
  }
}

function whyServerOff({ server, origin, place, state, isPaused }: AbsentFrom): HubError | undefined {
  if (state.kind === 'disabled') {
    const where = origin === 'config' ? `set enabled = true in ${place}` : 'on the Servers screen';
    return switchedOff(`The server "${server}" is disabled. Enable it: ${where}.`);
  }
  if (!isPaused) return undefined;
  const how = `on the Servers screen, or with POST /api/servers/${server}/connect`;
  return switchedOff(`The server "${server}" was disconnected. Connect it: ${how}.`);
}

function howToAccept(server: string): string {
  return `Look at it and accept it: on the Servers screen, or with: zoo mcp-server accept ${server}`;
}

function refusal(code: HubErrorCode, message: string): HubError {
  return new HubError(code, message, { details: { mayHaveRun: false } });
}

/** Only a person can change it, so calling again does not help. */
function switchedOff(message: string): HubError {
  return new HubError('UNAVAILABLE', message, { details: { mayHaveRun: false, retryable: false } });
}

function withDot(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
