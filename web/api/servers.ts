import type {
  ServerBody,
  ServerInputBody,
  ServerListBody,
  ServerLogBody,
  ServerTrialBody,
  SignInBody,
} from '../../src/http/server-types.ts';
import { send } from './client.ts';

/** What a person can choose for one tool; null follows the server and its definition. */
export interface ToolChange {
  enabled?: boolean;
  alias?: string | null;
  description?: string | null;
  requiresApproval?: boolean | null;
}

/** `hash` guards what the person saw; a tool that is gone has none. */
export interface AcceptedTool {
  tool: string;
  hash?: string;
}

export type ServerAction = 'connect' | 'disconnect' | 'reconnect' | 'sign-out';

export const serversApi = {
  list: (signal?: AbortSignal) => send<ServerListBody>('GET', '/api/servers', { signal }),
  get: (name: string, signal?: AbortSignal) => send<ServerBody>('GET', serverPath(name), { signal }),
  log: (name: string, signal?: AbortSignal) => send<ServerLogBody>('GET', `${serverPath(name)}/log`, { signal }),
  add: (input: ServerInputBody) => send<ServerBody>('POST', '/api/servers', { body: input }),
  update: (name: string, save: { definition: unknown; revision: number | null }) =>
    send<ServerBody>('PUT', serverPath(name), { body: save }),
  remove: (name: string) => send<{ success: true; name: string }>('DELETE', serverPath(name)),
  test: (input: ServerInputBody, signal?: AbortSignal) =>
    send<ServerTrialBody>('POST', '/api/servers/test', { body: input, signal }),
  act: (name: string, action: ServerAction) => send<ServerBody>('POST', `${serverPath(name)}/${action}`),
  signIn: (name: string) => send<SignInBody>('POST', `${serverPath(name)}/sign-in`),
  accept: (name: string, tools: readonly AcceptedTool[]) =>
    send<ServerBody>('POST', `${serverPath(name)}/accept`, { body: { tools } }),
  setTool: (name: string, tool: string, change: ToolChange) =>
    send<ServerBody>('PATCH', `${serverPath(name)}/tools/${encodeURIComponent(tool)}`, { body: change }),
};

function serverPath(name: string): string {
  return `/api/servers/${encodeURIComponent(name)}`;
}
