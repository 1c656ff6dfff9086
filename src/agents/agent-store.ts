import type { Agent } from './agent.ts';
import type { AgentSource } from './agent-source.ts';

/** An agent as saved, with the number of its save. */
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

/** The agents a person edits. Every change is one transaction that also keeps the version it made. */
export interface AgentStore {
  /** The same agents as a source for the registry; a write is visible in its next snapshot, in every process. */
  readonly source: AgentSource;
  get(id: string): Promise<StoredAgent | undefined>;
  /** CONFLICT when a stored agent has the id. A deleted agent's id is free: its history goes on, its brain does not. */
  create(agent: Agent): Promise<StoredAgent>;
  /** Null means "whatever is there now". CONFLICT with details {expected, current: StoredAgent} when `expectedRevision` is not the newest; AGENT_NOT_FOUND. */
  update(agent: Agent, expectedRevision: number | null, action?: 'update' | 'restore'): Promise<StoredAgent>;
  /** AGENT_NOT_FOUND, CONFLICT. The brain stays for `undelete`. */
  delete(id: string, expectedRevision: number | null): Promise<void>;
  /** Brings back the last version. NOT_FOUND when the agent was never there, CONFLICT when it is not deleted. */
  undelete(id: string): Promise<StoredAgent>;
  /** Newest first; also of deleted agents. */
  versions(id: string, options?: { limit?: number; before?: number }): Promise<AgentVersion[]>;
  version(id: string, revision: number): Promise<AgentVersion | undefined>;
}
