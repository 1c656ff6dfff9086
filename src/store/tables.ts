import type { Generated } from 'kysely';

/** The same tables on both databases. Times are milliseconds since the epoch, JSON is text, booleans are 0 and 1. */
export interface Tables {
  agents: AgentRow;
  agent_versions: AgentVersionRow;
  brain_entries: BrainEntryRow;
  decisions: DecisionRow;
  revisions: RevisionRow;
}

export interface AgentRow {
  id: string;
  data: string;
  revision: number;
  /** The value of the `agents` revision that this change made: a reader asks for what is newer than it saw. */
  change_number: number;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

export interface AgentVersionRow {
  agent_id: string;
  revision: number;
  action: string;
  at: number;
  data: string;
}

export interface BrainEntryRow {
  id: string;
  agent_id: string;
  type: string;
  content: string;
  at: number;
  pinned: number;
  tags: string;
  metadata: string;
}

export interface DecisionRow {
  seq: Generated<number>;
  call_id: string;
  kind: string;
  at: number;
  surface: string;
  agent_id: string | null;
  tool: string;
  decision: string;
  reasoning: string;
  context: string;
}

/** Counters that a write bumps in its own transaction, so that others can tell cheaply what changed. */
interface RevisionRow {
  key: string;
  value: number;
}
