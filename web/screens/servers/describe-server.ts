import type { ServerDefinition } from '../../../src/servers/server-definition.ts';
import type { ServerSummary } from '../../../src/servers/servers.contract.ts';
import type { ServerState } from '../../../src/servers/servers.ts';
import { needsSignIn } from '../../../src/servers/sign-in-need.ts';
import { formatCommandLine } from './command-line.ts';

/** Returns the command line or the URL of a server. */
export function locationOfServer(definition: ServerDefinition): string {
  return definition.transport === 'stdio' ? formatCommandLine(definition.command, definition.args) : definition.url;
}

export const transportNames: Record<ServerDefinition['transport'], string> = {
  stdio: 'Command (stdio)',
  'streamable-http': 'Streamable HTTP',
  sse: 'SSE',
};

export interface ToolCounts {
  active: number;
  /** New and changed tools, of all versions, that the user has not accepted yet. */
  waiting: number;
  /** Tools whose names collide. */
  conflicts: number;
  total: number;
}

export function countTools({ tools, elsewhere }: Pick<ServerSummary, 'tools' | 'elsewhere'>): ToolCounts {
  const counts = { active: 0, waiting: elsewhere.length, conflicts: 0, total: tools.length };
  for (const { status } of tools) {
    if (status === 'active') counts.active += 1;
    else if (status === 'new' || status === 'changed') counts.waiting += 1;
    else if (status === 'conflict') counts.conflicts += 1;
  }
  return counts;
}

/** Returns the actions that a server allows now. */
export function actionsOfServer({ state, origin, definition }: Pick<ServerSummary, 'state' | 'origin' | 'definition'>) {
  const isOAuth = definition.transport !== 'stdio' && definition.auth?.type === 'oauth';
  const canSignIn = needsSignIn(definition);
  const isLive = state.kind === 'connected' || state.kind === 'connecting';
  return {
    canConnect: state.kind === 'idle' || state.kind === 'failed' || (state.kind === 'sign-in' && !canSignIn),
    canReconnect: state.kind === 'connected',
    canDisconnect: isLive || (state.kind === 'failed' && state.retryAt !== null),
    canSignIn: (state.kind === 'sign-in' && canSignIn) || (isOAuth && state.kind === 'connected'),
    canSignOut: isOAuth && state.kind === 'connected',
    canEdit: origin === 'store',
  };
}

/** Returns "in 12 s" or "in 3 min", or null when the retry is due. */
export function untilRetry(retryAt: number, now: number): string | null {
  const seconds = Math.ceil((retryAt - now) / 1_000);
  if (seconds <= 0) return null;
  return seconds < 60 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/** Matches every word against the name, command or URL, and tools. */
export function matchesServer(server: ServerSummary, query: string): boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [server.name, locationOfServer(server.definition), ...server.tools.map((tool) => tool.localName)]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Tells whether several processes use the server, so that it matters which one is shown. */
export function hasReplicas({ versions }: Pick<ServerSummary, 'versions'>): boolean {
  return versions.length > 1 || versions.some(({ replicas }) => replicas.length > 1);
}

/** Returns the name of the process that replied; null if it has not connected the server. */
export function replicaHere({ versions }: Pick<ServerSummary, 'versions'>): string | null {
  return versions.flatMap(({ replicas }) => replicas).find(({ isHere }) => isHere)?.name ?? null;
}

/** The label of each state. */
export const stateNames: Record<ServerState['kind'], string> = {
  idle: 'Not connected',
  connecting: 'Connecting…',
  connected: 'Connected',
  failed: 'Failed',
  'sign-in': 'Sign-in required',
  disabled: 'Disabled',
};
