import { z } from 'zod';
import type { CarriedEntry } from '../brain/brain.ts';
import type { Agent } from './agent.ts';
import type { AgentSource } from './agent-source.ts';

/** A stored agent with its revision. */
export interface StoredAgent {
  agent: Agent;
  revision: number;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
}

export const AgentVersionAction = z.enum(['create', 'update', 'restore', 'delete', 'undelete', 'import']);
export type AgentVersionAction = z.infer<typeof AgentVersionAction>;

export interface AgentVersion {
  agentId: string;
  revision: number;
  action: AgentVersionAction;
  at: number;
  agent: Agent;
}

/** A version in a list: all but the agent, which can be long. */
export interface ListedVersion extends Pick<AgentVersion, 'revision' | 'action' | 'at'> {
  name: string;
}

/** A deleted agent. Restoring it brings back what belongs to it. */
export interface DeletedAgent {
  id: string;
  name: string;
  /** Milliseconds since the epoch. */
  deletedAt: number;
}

/** What an imported agent brings along. */
export interface Past {
  /** Entries whose id another agent uses get a new one. */
  brain: readonly CarriedEntry[];
  /** Oldest first. They come before the import itself in the history. */
  versions: readonly { action: AgentVersionAction; at: number; agent: Omit<Agent, 'id' | 'source'> }[];
}

/** The agents that the user edits. Every change also stores a version, in the same transaction. */
export interface AgentStore {
  /** The same agents as a source for the registry. A write is visible in the next snapshot of every process. */
  readonly source: AgentSource;
  get(id: string): Promise<StoredAgent | undefined>;
  /**
   * Throws CONFLICT if a stored agent has the id, and CONFLICT with details {deleted: {id, name, deletedAt: ISO time}} if a deleted
   * agent has it and `replacesDeleted` is not set.
   */
  create(agent: Agent, options?: CreateOptions): Promise<StoredAgent>;
  /**
   * Throws AGENT_NOT_FOUND, and CONFLICT with details {expected, current: StoredAgent} if `expectedRevision` is not the newest. Null
   * overwrites any revision. Entries in `brain` are added, and replace those with the same id.
   */
  update(agent: Agent, expectedRevision: number | null, options?: UpdateOptions): Promise<StoredAgent>;
  /** Keeps the brain and the lasting approvals for `undelete`. Throws AGENT_NOT_FOUND, CONFLICT. */
  delete(id: string, expectedRevision: number | null): Promise<void>;
  /** Restores the last version. Throws NOT_FOUND if the agent never existed, CONFLICT if it is not deleted. */
  undelete(id: string): Promise<StoredAgent>;
  /** The agents that can be restored, the last deleted first. */
  deleted(): Promise<DeletedAgent[]>;
  /** The ids that begin with the prefix, including those of deleted agents. */
  reservedIds(prefix: string): Promise<ReadonlySet<string>>;
  /** Newest first. Includes versions of deleted agents. */
  history(id: string, options?: { limit?: number; before?: number }): Promise<ListedVersion[]>;
  /** The newest versions, newest first, without those that cannot be read. */
  versions(id: string, limit?: number): Promise<AgentVersion[]>;
  version(id: string, revision: number): Promise<AgentVersion | undefined>;
}

export interface CreateOptions {
  /** Makes it an import. */
  past?: Past | undefined;
  /** Takes the place of a deleted agent with the same id: its history continues; its brain and lasting approvals are deleted. */
  replacesDeleted?: boolean | undefined;
}

export interface UpdateOptions {
  /** Default: `update`. */
  action?: 'update' | 'restore' | 'import';
  brain?: Past['brain'];
}
