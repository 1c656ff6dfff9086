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

/** A listed definition that differs from everything that was accepted for the tool, and waits for the user. */
export interface HeldTool {
  tool: string;
  hash: string;
  definition: RemoteTool;
  seenAt: number;
}

/** What a server says it is. The version may be empty, which is a version like any other. */
export interface AnnouncedVersion {
  name: string;
  version: string;
}

/** What some process saw when it listed the server's tools. Different versions, and different lists of one version, coexist. */
export interface ToolList {
  /** A hash of the version and the tools. */
  id: string;
  /** Null for what a release without versions stored. */
  version: AnnouncedVersion | null;
  /** The hash of each listed tool. */
  tools: ReadonlyMap<string, string>;
  /** When it appeared. */
  listedAt: number;
}

/** A process and the list that it saw last. */
export interface ServerReplica {
  holder: string;
  listId: string;
  seenAt: number;
  /** Its lease has run out. */
  isSilent: boolean;
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

/**
 * What the user last asked of a server's connections in all processes: `on`, connect; `off`, disconnect, and hide the tools until it is
 * connected again; `again`, reconnect, for example with new credentials.
 */
export interface ServerSwitch {
  wish: 'on' | 'off' | 'again';
  /** Grows with each switch. */
  number: number;
  /** The process that switched and has already done it. */
  process: string;
}

/** Everything that is stored about one server's tools, wherever the server is defined. */
export interface ServerMemory {
  /** A tool has several if versions of the server define it differently. The one that was accepted last comes last. */
  pins: readonly ToolPin[];
  held: readonly HeldTool[];
  /** The one that appeared last comes first. */
  lists: readonly ToolList[];
  replicas: readonly ServerReplica[];
  settings: readonly ToolSetting[];
  /** When the tools were last listed; null if the server was never connected. */
  listedAt: number | null;
  /** Null if nobody has connected or disconnected it by hand. */
  lastSwitch: ServerSwitch | null;
}

export const noMemory: ServerMemory = {
  pins: [],
  held: [],
  lists: [],
  replicas: [],
  settings: [],
  listedAt: null,
  lastSwitch: null,
};

/** Returns a text that differs if anything but a time differs. */
export function memoryKey({ pins, held, lists, replicas, settings, listedAt, lastSwitch }: ServerMemory): string {
  return JSON.stringify([
    pins.map(({ tool, hash }) => [tool, hash]),
    held.map(({ tool, hash }) => [tool, hash]),
    lists.map(({ id }) => id).sort(),
    replicas.map(({ holder, listId, isSilent }) => `${holder} ${listId} ${isSilent}`).sort(),
    settings,
    listedAt === null,
    lastSwitch?.number,
  ]);
}

/** Every method is one transaction. Every process that shares the database notices a change. */
export interface ServerStore {
  /** Tells whether any server is stored, without decrypting anything. Cheap. */
  hasServers(): Promise<boolean>;
  servers(): Promise<StoredServer[]>;
  /** With `revision` null, the server must not exist yet. Throws CONFLICT if it exists or has another revision. */
  save(name: string, definition: ServerDefinitionInput, revision: number | null): Promise<StoredServer>;
  /** Removes the server with everything about its tools. Throws NOT_FOUND. */
  remove(name: string): Promise<void>;
  /** Also works for servers of the config. */
  memory(name: string): Promise<ServerMemory>;
  /**
   * Stores what `decide` makes of the memory, except its settings. No other change comes between reading and writing, so `decide`
   * may run twice. If it returns undefined, nothing is written.
   */
  change(name: string, decide: (memory: ServerMemory) => ServerMemory | undefined): Promise<void>;
  setTool(name: string, setting: ToolSetting): Promise<void>;
  /** Makes all processes connect, disconnect or reconnect, except the one that names itself. */
  switch(name: string, wish: ServerSwitch['wish'], process: string): Promise<void>;
  /** Forgets everything about its tools: the next list counts as the first one. */
  forget(name: string): Promise<void>;
  /** Stores a sign-in for any process to finish within ten minutes, by the database's clock if it has one. */
  addSignIn(stateHash: string, sealed: string): Promise<void>;
  /** Removes and returns a sign-in, so that it can be finished once; undefined if it is unknown or has expired. */
  takeSignIn(stateHash: string): Promise<string | undefined>;
  /** Calls `onChange` when this or another process changed a server, a pin or a setting. */
  watch(onChange: () => void): () => void;
}
