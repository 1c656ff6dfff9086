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

export type AgentVersionAction = 'create' | 'update' | 'restore' | 'delete' | 'undelete';

export interface AgentVersion {
  agentId: string;
  revision: number;
  action: AgentVersionAction;
  at: number;
  agent: Agent;
}

/** The agents that the user edits. Every change also stores a version, in the same transaction. */
export interface AgentStore {
  /** The same agents as a source for the registry. A write is visible in the next snapshot of every process. */
  readonly source: AgentSource;
  get(id: string): Promise<StoredAgent | undefined>;
  /** Throws CONFLICT if a stored agent has the id. The id of a deleted agent is free: its history continues, its brain is deleted. */
  create(agent: Agent): Promise<StoredAgent>;
  /**
   * Throws AGENT_NOT_FOUND, and CONFLICT with details {expected, current: StoredAgent} if `expectedRevision` is not the newest. Null
   * overwrites any revision.
   */
  update(agent: Agent, expectedRevision: number | null, action?: 'update' | 'restore'): Promise<StoredAgent>;
  /** Keeps the brain for `undelete`. Throws AGENT_NOT_FOUND, CONFLICT. */
  delete(id: string, expectedRevision: number | null): Promise<void>;
  /** Restores the last version. Throws NOT_FOUND if the agent never existed, CONFLICT if it is not deleted. */
  undelete(id: string): Promise<StoredAgent>;
  /** Newest first. Includes versions of deleted agents. */
  versions(id: string, options?: { limit?: number; before?: number }): Promise<AgentVersion[]>;
  version(id: string, revision: number): Promise<AgentVersion | undefined>;
}
