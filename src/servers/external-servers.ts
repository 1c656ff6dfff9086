import type { Listener } from '../base/events.ts';
import type { RemoteTool } from './server-connection.ts';
import type { ServerDefinition, ServerDefinitionInput } from './server-definition.ts';
import type { ToolSetting } from './server-store.ts';

export type ServerState =
  /** Not connected; the next call connects. */
  | { kind: 'idle' }
  | { kind: 'connecting' }
  | { kind: 'connected'; since: number; serverName: string; serverVersion: string; protocolVersion: string }
  /** Lost or never reached; `retryAt` is when it is tried again by itself, null when only a call or a person does. */
  | { kind: 'failed'; reason: string; since: number; attempts: number; retryAt: number | null }
  | { kind: 'sign-in'; reason: string }
  | { kind: 'disabled' };

/** One tool of one server, with all that is known of it. */
export interface ServerTool {
  remoteName: string;
  /** What it is called in the hub. */
  localName: string;
  /**
   * `active` is in the registry; `off` was turned off by a person; `filtered` by include or exclude; `new` and `changed` wait for a
   * person (a changed tool is not callable meanwhile); `gone` was accepted once and is no longer listed; `conflict`: its local name is taken;
   * `unusable`: its input schema describes no object, so nobody could call it.
   */
  status: 'active' | 'off' | 'filtered' | 'new' | 'changed' | 'gone' | 'conflict' | 'unusable';
  /** For people, where the status needs one. */
  note: string | null;
  /** What was accepted; null for a new one. */
  accepted: RemoteTool | null;
  /** What the server lists and nobody accepted yet. */
  proposed: RemoteTool | null;
  /** The hash of `proposed`, which `accept` takes as proof of what the person saw; null where nothing is proposed. */
  proposedHash: string | null;
  setting: ToolSetting;
  requiresApproval: boolean;
  /** Tools of other servers whose names can be taken for this one's. */
  closeTo: { server: string; tool: string }[];
}

export interface ServerInfo {
  name: string;
  origin: 'config' | 'store';
  /** For people: `zoo.toml`, "the store". */
  place: string;
  /** Secrets are masked; `${VAR}` is unfilled. */
  definition: ServerDefinition;
  revision: number | null;
  state: ServerState;
  tools: ServerTool[];
  listedAt: number | null;
  instructions: string | null;
  /** Calls under way. */
  running: number;
  stats: { calls: number; errors: number; reconnects: number };
}

export interface ServerLogLine {
  at: number;
  level: string;
  text: string;
}

export interface ServerTrial {
  serverName: string;
  serverVersion: string;
  protocolVersion: string;
  instructions: string | null;
  tools: RemoteTool[];
  durationMs: number;
}

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
  add(name: string, definition: ServerDefinitionInput): Promise<ServerInfo>;
  /** Masked secrets keep their value. Throws PERMISSION_DENIED for a server of the config, CONFLICT. */
  update(name: string, definition: ServerDefinitionInput, revision: number | null): Promise<ServerInfo>;
  /** Ends its processes and removes its tools. Throws PERMISSION_DENIED for a server of the config. */
  remove(name: string): Promise<void>;
  /** Connects now and reads its list. Throws what connecting throws. */
  connect(name: string): Promise<ServerInfo>;
  disconnect(name: string): Promise<ServerInfo>;
  /** Ends the connection if there is one and connects anew. */
  reconnect(name: string): Promise<ServerInfo>;
  /** Tries a definition without keeping anything. */
  test(name: string, definition: ServerDefinitionInput, options?: { signal?: AbortSignal }): Promise<ServerTrial>;
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
  /** What a person should repair. */
  problems(): { place: string; message: string }[];
  readonly changes: { on(listener: Listener<ServersChange>): () => void };
  close(): Promise<void>;
}

export interface ServersChange {
  /** Null: the set of servers. */
  server: string | null;
  /** A log line came; states and tools are as before. */
  isLogOnly: boolean;
}
