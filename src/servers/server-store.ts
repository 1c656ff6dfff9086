import { z } from 'zod';
import type { ServerDefinitionInput } from './server-definition.ts';
import type { RemoteTool } from './supervise/server-connection.ts';

/** A server that was added in the web app, by HTTP or by `zoo mcp-server add`. */
export interface StoredServer {
  name: string;
  /** As it was given, with `${VAR}` unfilled. Kept encrypted: it may hold tokens. */
  definition: ServerDefinitionInput;
  /** Grows with each save of this server. */
  revision: number;
  updatedAt: number;
}

/** The definition of a tool that a person accepted, whole. */
export interface ToolPin {
  tool: string;
  hash: string;
  definition: RemoteTool;
  acceptedAt: number;
}

/** What a server listed last, where it differs from what was accepted: it waits for a person. */
export interface HeldTool {
  tool: string;
  hash: string;
  definition: RemoteTool;
  seenAt: number;
}

/** What a person chose for one tool of a server. A field that is null follows server and definition. */
export const ToolSetting = z.object({
  tool: z.string(),
  enabled: z.boolean(),
  /** The local name. */
  alias: z.string().nullable(),
  description: z.string().nullable(),
  requiresApproval: z.boolean().nullable(),
});
export type ToolSetting = z.infer<typeof ToolSetting>;

/** Everything that is kept of one server, wherever it is defined. */
export interface ServerMemory {
  pins: ToolPin[];
  held: HeldTool[];
  settings: ToolSetting[];
  /** When a list was last read from the server; null when it was never connected. */
  listedAt: number | null;
}

/** Every method is one transaction. A change is noticed by every process that shares the database. */
export interface ServerStore {
  /** Cheap: whether there is any, without opening what is sealed. */
  hasServers(): Promise<boolean>;
  servers(): Promise<StoredServer[]>;
  /** `revision` null: it must not exist yet. Throws CONFLICT when it changed meanwhile or exists. */
  save(name: string, definition: ServerDefinitionInput, revision: number | null): Promise<StoredServer>;
  /** With pins, held tools and settings. Throws NOT_FOUND. */
  remove(name: string): Promise<void>;
  /** Of servers from the config too. */
  memory(name: string): Promise<ServerMemory>;
  /** Replaces what is held, adds and replaces pins, drops pins of tools that are gone; sets `listedAt`. */
  remember(name: string, change: ServerMemoryChange): Promise<void>;
  setTool(name: string, setting: ToolSetting): Promise<void>;
  /** Forgets pins, held tools and settings: the next list is the first one again. */
  forget(name: string): Promise<void>;
  /** Another or the same process changed a server, a pin or a setting. */
  watch(onChange: () => void): () => void;
}

export interface ServerMemoryChange {
  accept: readonly Omit<ToolPin, 'acceptedAt'>[];
  /** Pins to drop, by tool. */
  drop: readonly string[];
  held: readonly Omit<HeldTool, 'seenAt'>[];
  /** False when a person accepts without a new list. */
  isListed: boolean;
}
