import { z } from 'zod';
import type { ServerDefinitionInput } from './server-definition.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

/** A server that was added in the web app, over HTTP or with `zoo mcp-server add`. */
export interface StoredServer {
  name: string;
  /** As entered, with `${VAR}` not filled in. Stored encrypted, because it may contain tokens. */
  definition: ServerDefinitionInput;
  /** Increases with each save of this server. */
  revision: number;
  updatedAt: number;
}

/** The full definition of a tool that the user accepted. */
export interface ToolPin {
  tool: string;
  hash: string;
  definition: RemoteTool;
  acceptedAt: number;
}

/** A listed tool that differs from what was accepted, and waits for the user. */
export interface HeldTool {
  tool: string;
  hash: string;
  definition: RemoteTool;
  seenAt: number;
}

/** The user's settings for one tool of a server. A null field follows the server's definition. */
export const ToolSetting = z.object({
  tool: z.string(),
  enabled: z.boolean(),
  /** The name in the hub. */
  alias: z.string().nullable(),
  description: z.string().nullable(),
  requiresApproval: z.boolean().nullable(),
});
export type ToolSetting = z.infer<typeof ToolSetting>;

/** Everything that is stored about one server's tools, wherever the server is defined. */
export interface ServerMemory {
  pins: ToolPin[];
  held: HeldTool[];
  settings: ToolSetting[];
  /** When the tools were last listed; null if the server was never connected. */
  listedAt: number | null;
}

/** Every method is one transaction. Every process that shares the database notices a change. */
export interface ServerStore {
  /** Tells whether any server is stored, without decrypting anything. Cheap. */
  hasServers(): Promise<boolean>;
  servers(): Promise<StoredServer[]>;
  /** With `revision` null, the server must not exist yet. Throws CONFLICT if it exists or has another revision. */
  save(name: string, definition: ServerDefinitionInput, revision: number | null): Promise<StoredServer>;
  /** Removes the server with its pins, held tools and settings. Throws NOT_FOUND. */
  remove(name: string): Promise<void>;
  /** Also works for servers of the config. */
  memory(name: string): Promise<ServerMemory>;
  /** Replaces the held tools, adds and replaces pins, drops pins of tools that are gone, and sets `listedAt`. */
  remember(name: string, change: ServerMemoryChange): Promise<void>;
  setTool(name: string, setting: ToolSetting): Promise<void>;
  /** Forgets pins, held tools and settings: the next list counts as the first one. */
  forget(name: string): Promise<void>;
  /** Stores a sign-in for any process to finish within ten minutes, by the database's clock if it has one. */
  addSignIn(stateHash: string, sealed: string): Promise<void>;
  /** Removes and returns a sign-in, so that it can be finished once; undefined if it is unknown or has expired. */
  takeSignIn(stateHash: string): Promise<string | undefined>;
  /** Calls `onChange` when this or another process changed a server, a pin or a setting. */
  watch(onChange: () => void): () => void;
}

export interface ServerMemoryChange {
  accept: readonly Omit<ToolPin, 'acceptedAt'>[];
  /** Pins to drop, by tool. */
  drop: readonly string[];
  held: readonly Omit<HeldTool, 'seenAt'>[];
  /** False when the user accepts tools and no new list was read. */
  isListed: boolean;
}
