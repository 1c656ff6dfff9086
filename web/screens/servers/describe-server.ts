import type { ServerDefinition } from '../../../src/servers/server-definition.ts';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import type { ServerState, ServerTool } from '../../../src/servers/servers.ts';
import { formatCommandLine } from './command-line.ts';

/** The command or the address, as a person would write it. */
export function placeOfServer(definition: ServerDefinition): string {
  return definition.transport === 'stdio' ? formatCommandLine(definition.command, definition.args) : definition.url;
}

export const transportNames: Record<ServerDefinition['transport'], string> = {
  stdio: 'Command (stdio)',
  'streamable-http': 'Streamable HTTP',
  sse: 'SSE',
};

export type ToolStatus = ServerTool['status'];

/** In the order in which a person should look at them. */
export const toolStatuses: readonly ToolStatus[] = [
  'changed',
  'new',
  'conflict',
  'unusable',
  'active',
  'off',
  'filtered',
  'gone',
];

export const toolStatusNames: Record<ToolStatus, string> = {
  changed: 'Changed',
  new: 'New',
  conflict: 'Name taken',
  unusable: 'Unusable',
  active: 'Active',
  off: 'Off',
  filtered: 'Left out',
  gone: 'Gone',
};

export interface ToolCounts {
  active: number;
  /** New and changed ones: a person must accept them. */
  held: number;
  /** In the way of each other by their names. */
  conflicts: number;
  total: number;
}

export function countTools(tools: readonly Pick<ServerTool, 'status'>[]): ToolCounts {
  const counts = { active: 0, held: 0, conflicts: 0, total: tools.length };
  for (const { status } of tools) {
    if (status === 'active') counts.active += 1;
    else if (status === 'new' || status === 'changed') counts.held += 1;
    else if (status === 'conflict') counts.conflicts += 1;
  }
  return counts;
}

/** What of a server can be done now. */
export function actionsOfServer({ state, origin, definition }: Pick<ServerSummary, 'state' | 'origin' | 'definition'>) {
  const isOAuth = definition.transport !== 'stdio' && definition.auth?.type === 'oauth';
  const isLive = state.kind === 'connected' || state.kind === 'connecting';
  return {
    canConnect: state.kind === 'idle' || state.kind === 'failed',
    canReconnect: state.kind === 'connected',
    canDisconnect: isLive || (state.kind === 'failed' && state.retryAt !== null),
    canSignIn: state.kind === 'sign-in' || (isOAuth && state.kind === 'connected'),
    canSignOut: isOAuth && state.kind === 'connected',
    canEdit: origin === 'store',
  };
}

/** "in 12 s", "in 3 min"; null when it is due. */
export function untilRetry(retryAt: number, now: number): string | null {
  const seconds = Math.ceil((retryAt - now) / 1_000);
  if (seconds <= 0) return null;
  return seconds < 60 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/** The search finds a server by its name, its command or address, and its tools. */
export function matchesServer(server: ServerSummary, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [server.name, placeOfServer(server.definition), ...server.tools.map((tool) => tool.localName)]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** One word for each state, also in the page's `data-state`. */
export const stateNames: Record<ServerState['kind'], string> = {
  idle: 'Not connected',
  connecting: 'Connecting…',
  connected: 'Connected',
  failed: 'Failed',
  'sign-in': 'Needs sign-in',
  disabled: 'Turned off',
};
