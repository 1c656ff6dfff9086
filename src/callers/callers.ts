import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { Right } from '../base/rights.ts';
import type { Caller, WorkedFor } from '../tools/caller.ts';

/** Who sent a request, as its credential shows. */
export type Identity =
  | { kind: 'owner'; right: 'administer'; sessionId?: string | undefined }
  | { kind: 'client'; right: 'work'; id: string; name: string; agentId: string | null }
  | { kind: 'member'; right: 'use'; memberId: string }
  | { kind: 'anonymous'; right: Exclude<Right, 'administer'> };

/** The user at the terminal: access to the hub's files makes them its owner. */
export const owner = { kind: 'owner', right: 'administer' } as const satisfies Identity;
/** The user of this installation as the caller of a tool, for programs that run in their name. */
export function ownerCaller(surface: Caller['surface'] = 'cli'): Caller {
  return toCaller(surface, owner);
}

/** The client that started `zoo mcp`. It acts for the user who configured it. */
export const stdioClient = {
  kind: 'client',
  right: 'work',
  id: 'stdio',
  name: '',
  agentId: null,
} as const satisfies Identity;
/** A request whose credential is wrong, on a route that needs none. */
export const nobody = { kind: 'anonymous', right: 'none' } as const satisfies Identity;

/** Returns the sender as a caller with access to everything that its right includes. */
export function toCaller(surface: Caller['surface'], from: Exclude<Identity, { kind: 'member' }>): Caller {
  const { kind, right } = from;
  if (kind !== 'client') return { surface, kind, right };
  return { surface, kind, right, clientId: from.id, ...(from.name !== '' && { clientName: from.name }) };
}

/** Returns whom an agent works for when this sender asks it. */
export function workedForOf(from: Identity): WorkedFor {
  return { client: from.kind === 'client' ? from.name : '', memberId: from.kind === 'member' ? from.memberId : '' };
}

/** Identifies a sender as long as its key or membership lasts. All anonymous senders are one. */
export function callerKey(from: Identity): string {
  if (from.kind === 'client') return `client ${from.id}`;
  return from.kind === 'member' ? `member ${from.memberId}` : from.kind;
}

/** What a chat needs to know about the sender of a message. */
export function senderOf(from: Identity): { workedFor: WorkedFor; callerKey: string } {
  return { workedFor: workedForOf(from), callerKey: callerKey(from) };
}

/** Returns the agent that a sender is limited to. Throws PERMISSION_DENIED if its key is for a different agent. */
export function scopeOf(from: Identity, agent: string | undefined): string | undefined {
  const bound = from.kind === 'client' ? from.agentId : null;
  if (bound === null) return agent;
  if (agent === undefined || agent === bound) return bound;
  throw new HubError(
    'PERMISSION_DENIED',
    `This key is only for the agent "${bound}", not for "${agent.slice(0, 80)}". "zoo key create NAME --agent ID" creates a key for another agent.`,
  );
}

/** What callers without a credential may do. */
export const AnonymousRight = z.enum(['none', 'use', 'work']);

/** Returns the name of a client or the id of a member. */
export function nameOf(caller: Identity): string | null {
  if (caller.kind === 'client') return caller.name;
  return caller.kind === 'member' ? caller.memberId : null;
}

const keyName = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .describe('Who uses the key, such as "Claude Code". It appears in the log.');

export const NewClientKey = z.strictObject({
  name: keyName,
  agent: z.string().min(1).max(200).nullable().default(null).describe('Limits the key to one agent.'),
});
export type NewClientKey = z.input<typeof NewClientKey>;

/** A key for one MCP client or script. The key itself is shown only once. */
export const ClientKey = z.object({
  id: z.string(),
  name: z.string(),
  agentId: z.string().nullable(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
});
export type ClientKey = z.infer<typeof ClientKey>;

/** A browser that is signed in. */
export const BrowserSession = z.object({
  id: z.string(),
  /** Such as "Firefox on Linux". */
  browser: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  isCurrent: z.boolean(),
  /** Whether this browser was the first to open the new installation, and needed no link. */
  isFirst: z.boolean(),
});
export type BrowserSession = z.infer<typeof BrowserSession>;

/** Returns a readable name for a browser, from its User-Agent header. */
export function browserName(userAgent: string | undefined): string {
  const text = userAgent ?? '';
  const find = (names: Record<string, string>) => Object.entries(names).find(([part]) => text.includes(part))?.[1];
  const browser = find({
    'Edg/': 'Edge',
    'OPR/': 'Opera',
    'Firefox/': 'Firefox',
    'Chrome/': 'Chrome',
    'Safari/': 'Safari',
  });
  const system = find({
    Android: 'Android',
    iPhone: 'iPhone',
    iPad: 'iPad',
    Windows: 'Windows',
    'Mac OS': 'macOS',
    Linux: 'Linux',
  });
  if (!browser) return 'A browser';
  return system ? `${browser} on ${system}` : browser;
}
