import { z } from 'zod';
import { outline } from '../base/contract.ts';
import { ServerDefinition } from './server-definition.ts';
import { ToolSetting } from './server-store.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

const moment = z.number().describe('Milliseconds since the epoch.');
const AnyTool = outline<RemoteTool>()(z.looseObject({ name: z.string() }));

const ServerState = z.discriminatedUnion('kind', [
  /** Not connected; the next call connects. */
  z.object({ kind: z.literal('idle') }),
  z.object({ kind: z.literal('connecting') }),
  z.object({
    kind: z.literal('connected'),
    since: moment,
    serverName: z.string(),
    serverVersion: z.string(),
    protocolVersion: z.string(),
  }),
  /** Lost or never reached; `retryAt` is when it is tried again by itself, null when only a call or a person does. */
  z.object({
    kind: z.literal('failed'),
    reason: z.string(),
    since: moment,
    attempts: z.int(),
    retryAt: moment.nullable(),
  }),
  z.object({ kind: z.literal('sign-in'), reason: z.string() }),
  z.object({ kind: z.literal('disabled') }),
]);
export type ServerState = z.infer<typeof ServerState>;

/** One tool of one server, with all that is known of it. */
export const ServerTool = z.object({
  remoteName: z.string(),
  /** What it is called in the hub. */
  localName: z.string(),
  /**
   * `active` is in the registry; `off` was turned off by a person; `filtered` by include or exclude; `new` and `changed` wait for a
   * person (a changed tool is not callable meanwhile); `gone` was accepted once and is no longer listed; `conflict`: its local name is taken;
   * `unusable`: its input schema describes no object, so nobody could call it.
   */
  status: z.enum(['active', 'off', 'filtered', 'new', 'changed', 'gone', 'conflict', 'unusable']),
  /** For people, where the status needs one. */
  note: z.string().nullable(),
  /** What was accepted; null for a new one. */
  accepted: AnyTool.nullable(),
  /** What the server lists and nobody accepted yet. */
  proposed: AnyTool.nullable(),
  /** The hash of `proposed`, which `accept` takes as proof of what the person saw; null where nothing is proposed. */
  proposedHash: z.string().nullable(),
  setting: ToolSetting,
  requiresApproval: z.boolean(),
  /** Tools of other servers whose names can be taken for this one's. */
  closeTo: z.array(z.object({ server: z.string(), tool: z.string() })),
});
export type ServerTool = z.infer<typeof ServerTool>;

export const ServerInfo = z.object({
  name: z.string(),
  origin: z.enum(['config', 'store']),
  /** For people: `zoo.toml`, "the store". */
  place: z.string(),
  /** Secrets are masked; `${VAR}` is unfilled. */
  definition: ServerDefinition,
  revision: z.int().nullable(),
  state: ServerState,
  tools: z.array(ServerTool),
  listedAt: moment.nullable(),
  instructions: z.string().nullable(),
  /** Calls under way. */
  running: z.int(),
  stats: z.object({ calls: z.int(), errors: z.int(), reconnects: z.int() }),
});
export type ServerInfo = z.infer<typeof ServerInfo>;

export const ServerLogLine = z.object({ at: moment, level: z.string(), text: z.string() });
export type ServerLogLine = z.infer<typeof ServerLogLine>;

export const ServerTrial = z.object({
  serverName: z.string(),
  serverVersion: z.string(),
  protocolVersion: z.string(),
  instructions: z.string().nullable(),
  tools: z.array(AnyTool),
  durationMs: z.number(),
});
export type ServerTrial = z.infer<typeof ServerTrial>;

export interface ServersChange {
  /** Null: the set of servers. */
  server: string | null;
  /** A log line came; states and tools are as before. */
  isLogOnly: boolean;
}
