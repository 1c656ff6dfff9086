import { z } from 'zod';
import { outline } from '../base/contract.ts';
import type { Listener } from '../base/events.ts';
import type { RemoteTool } from './server-connection.ts';
import { ServerDefinition } from './server-definition.ts';
import { ToolSetting } from './server-store.ts';

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

/** The external MCP servers of the hub: whatever touches one goes through here. */
export interface ExternalServers {
  /** By name. What was read from config and store last; `refresh` looks again. */
  list(): ServerInfo[];
  /** Throws NOT_FOUND that names what there is. */
  get(name: string): ServerInfo;
  /** Reads config and store, and brings registry and connections in line. Cheap when nothing changed. */
  refresh(): Promise<void>;
  /** Connects those that never listed their tools, and waits until each of them did or failed, which is logged; no longer than the signal lets it. */
  discover(signal?: AbortSignal): Promise<void>;
  /** Throws CONFLICT (the name is taken, in config or store), INVALID_ARGUMENTS. It is connected at once, in the background. */
  add(name: string, definition: ServerDefinition): Promise<ServerInfo>;
  /** Masked secrets keep their value. Throws PERMISSION_DENIED for a server of the config, CONFLICT. */
  update(name: string, definition: ServerDefinition, revision: number | null): Promise<ServerInfo>;
  /** Ends its processes and removes its tools. Throws PERMISSION_DENIED for a server of the config. */
  remove(name: string): Promise<void>;
  /** Connects now and reads its list. Throws what connecting throws. */
  connect(name: string): Promise<ServerInfo>;
  disconnect(name: string): Promise<ServerInfo>;
  /** Ends the connection if there is one and connects anew. */
  reconnect(name: string): Promise<ServerInfo>;
  /** Tries a definition without keeping anything. */
  test(name: string, definition: ServerDefinition, options?: { signal?: AbortSignal }): Promise<ServerTrial>;
  /** Accepts new and changed tools as proposed, and forgets gone ones; without `tools` all of them. `hashes` guards what the person saw. */
  accept(name: string, tools?: readonly { tool: string; hash?: string | undefined }[]): Promise<ServerInfo>;
  /** Changes the fields that are given. Throws NOT_FOUND, CONFLICT (alias taken). */
  setTool(name: string, tool: string, change: Partial<Omit<ToolSetting, 'tool'>>): Promise<ServerInfo>;
  /** The newest lines, oldest first. */
  log(name: string): ServerLogLine[];
  /** Begins OAuth; the address for the person's browser, null when no sign-in is needed. */
  beginSignIn(name: string, redirectUrl: string): Promise<string | null>;
  /** Finishes it by the `state` of the callback, and connects. Throws INVALID_ARGUMENTS for an unknown or old state. */
  finishSignIn(callback: { state: string; code: string; issuer?: string | undefined }): Promise<ServerInfo>;
  signOut(name: string): Promise<ServerInfo>;
  readonly changes: { on(listener: Listener<ServersChange>): () => void };
  close(): Promise<void>;
}

export interface ServersChange {
  /** Null: the set of servers. */
  server: string | null;
  /** A log line came; states and tools are as before. */
  isLogOnly: boolean;
}
