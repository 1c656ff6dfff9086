import { z } from 'zod';
import { outline } from '../base/contract.ts';
import { ServerDefinition } from './server-definition.ts';
import { ToolSetting } from './server-store.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

const moment = z.number().describe('Milliseconds since the epoch.');
const AnyTool = outline<RemoteTool>()(z.looseObject({ name: z.string() }));

const ServerState = z.discriminatedUnion('kind', [
  /** Not connected. The next call connects. */
  z.object({ kind: z.literal('idle') }),
  z.object({ kind: z.literal('connecting') }),
  z.object({
    kind: z.literal('connected'),
    since: moment,
    serverName: z.string(),
    serverVersion: z.string(),
    protocolVersion: z.string(),
  }),
  /** Lost or never reached. `retryAt` is the time of the next automatic attempt; null if only a call or the user can trigger one. */
  z.object({
    kind: z.literal('failed'),
    reason: z.string(),
    since: moment,
    attempts: z.int(),
    retryAt: moment.nullable(),
  }),
  z.object({ kind: z.literal('sign-in'), reason: z.string(), since: moment }),
  z.object({ kind: z.literal('disabled') }),
]);
export type ServerState = z.infer<typeof ServerState>;

/** One tool of one server, with everything the hub knows about it. */
export const ServerTool = z.object({
  remoteName: z.string(),
  /** Its name in the hub. */
  localName: z.string(),
  /**
   * `active`: in the registry. `off`: turned off by the user. `filtered`: excluded by `include` or `exclude`. `new` and `changed`: waiting for
   * the user to accept it, not callable until then. `gone`: accepted once, not listed by the shown version. `conflict`: its local name is taken.
   * `unusable`: nobody could call it, or its description is too long.
   */
  status: z.enum(['active', 'off', 'filtered', 'new', 'changed', 'gone', 'conflict', 'unusable']),
  /** Explains the status to the user, if it needs an explanation. */
  note: z.string().nullable(),
  /** The accepted definition; null for a new tool. */
  accepted: AnyTool.nullable(),
  /** The listed definition that is not accepted yet. */
  proposed: AnyTool.nullable(),
  /** The hash of `proposed`; null if nothing is proposed. Passing it to `accept` proves what the user saw. */
  proposedHash: z.string().nullable(),
  /** The versions of the server that list this definition, among those that `versions` of the server names. */
  versions: z.array(z.string()),
  setting: ToolSetting,
  requiresApproval: z.boolean(),
  /** Tools of other servers whose names are confusingly similar. */
  closeTo: z.array(z.object({ server: z.string(), tool: z.string() })),
});
export type ServerTool = z.infer<typeof ServerTool>;

const ServerVersion = z.object({
  /** As the server announces it; "no version" if it announces none. */
  version: z.string(),
  /** `tools` are those of this version. */
  isShown: z.boolean(),
  /** The running processes that saw this version when they last connected. */
  replicas: z.array(
    z.object({
      /** The name of its machine, and the number of the process if the machine runs several. */
      name: z.string(),
      /** The process that sent this reply. */
      isHere: z.boolean(),
      since: moment,
    }),
  ),
  /** The number of its tools that wait for the user. */
  waiting: z.int(),
});
export type ServerVersion = z.infer<typeof ServerVersion>;

export const ServerInfo = z.object({
  name: z.string(),
  origin: z.enum(['config', 'store']),
  /** Where it is defined, to show to the user: `zoo.toml`, "the store". */
  place: z.string(),
  /** Secrets are masked; `${VAR}` is not filled in. */
  definition: ServerDefinition,
  revision: z.int().nullable(),
  state: ServerState,
  tools: z.array(ServerTool),
  /** The versions that running processes see, and the newest one. The shown one comes first. */
  versions: z.array(ServerVersion),
  /** New and changed tools of the other versions. */
  elsewhere: z.array(ServerTool),
  listedAt: moment.nullable(),
  instructions: z.string().nullable(),
  /** The number of running calls. */
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
  /** Null if the set of servers changed. */
  server: string | null;
  /** Only new log lines; states and tools are unchanged. */
  isLogOnly: boolean;
}
