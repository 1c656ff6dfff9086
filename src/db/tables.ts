import type { Generated } from 'kysely';
import type { ChatTables } from './tables-chats.ts';
import type { RunTables } from './tables-runs.ts';
import type { ServerTables } from './tables-servers.ts';

/** The same tables on both databases. Times are milliseconds since the epoch, JSON is text, booleans are 0 and 1. */
export interface Tables extends ServerTables, RunTables, ChatTables {
  agents: AgentRow;
  agent_versions: AgentVersionRow;
  brain_entries: BrainEntryRow;
  decision_groups: DecisionGroupRow;
  decision_keys: DecisionKeyRow;
  decision_marks: DecisionMarkRow;
  decision_chains: DecisionChainRow;
  decision_counts: DecisionCountRow;
  decision_minutes: DecisionMinuteRow;
  revisions: RevisionRow;
  knowledge_documents: KnowledgeDocumentRow;
  knowledge_texts: KnowledgeTextRow;
  knowledge_chunks: KnowledgeChunkRow;
  knowledge_segments: KnowledgeSegmentRow;
  knowledge_postings: KnowledgePostingsRow;
  knowledge_removed: KnowledgeRemovedRow;
  knowledge_vectors: KnowledgeVectorRow;
  knowledge_sources: KnowledgeSourceRow;
  knowledge_source_states: KnowledgeSourceStateRow;
  team_members: TeamMemberRow;
  mails: MailRow;
  mail_threads: MailThreadRow;
  escalations: EscalationRow;
  epics: EpicRow;
  tasks: TaskRow;
  task_comments: TaskCommentRow;
  events: EventRow;
  event_subscribers: EventSubscriberRow;
  deliveries: DeliveryRow;
  idempotency_keys: IdempotencyKeyRow;
  hub_presence: HubPresenceRow;
  leases: LeaseRow;
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

/** Entries of the decision log that were written together; `decisions-pack` knows their form. */
export interface DecisionGroupRow {
  seq: Generated<number>;
  /** '' for entries of before there were chains. */
  chain: string;
  /** The place of its first entry in the chain. */
  first_no: number;
  row_count: number;
  first_at: number;
  last_at: number;
  hash: string;
  entries: string;
}

/** The groups in which something is found. Made from them, some moments later, by `decisions-note`. */
interface DecisionKeyRow {
  key: string;
  group_seq: number;
}

/** How far keys and counters were made. */
interface DecisionMarkRow {
  name: string;
  seq: number;
}

/** One writer's part of the log. Entries from `first_no` to `last_no` must be there; newer ones may be. */
export interface DecisionChainRow {
  chain: string;
  /** The process that writes it; empty for those of before there were leases. */
  holder: string;
  started_at: number;
  first_no: number;
  hash_before_first: string;
  last_no: number;
  last_hash: string;
  /** Time of the oldest call that has no outcome yet; null: every call has one. */
  open_since: number | null;
  /** When its writer said goodbye. */
  closed_at: number | null;
  /** When nothing was left to say about the calls that it left open. */
  settled_at: number | null;
}

/** `agent_id` is '' for callers who are no members. */
interface DecisionCountRow {
  minute: number;
  tool: string;
  agent_id: string;
  calls: number;
  errors: number;
}

/** The entries of a minute are between these groups, which may hold others too. */
interface DecisionMinuteRow {
  minute: number;
  first_group: number;
  last_group: number;
}

/** A time in which one hub ran without a break. */
interface HubPresenceRow {
  hub: string;
  member_id: string | null;
  started_at: number;
  seen_at: number;
}

/** What only one process may have at a time; a process that holds anything has a lease of its own name. */
interface LeaseRow {
  name: string;
  holder: string;
  since: number;
  /** By the clock of the database; in SQLite only a number that grows with each renewal. */
  until: number;
}

/** Counters that a write bumps in its own transaction, so that others can tell cheaply what changed. */
interface RevisionRow {
  key: string;
  value: number;
}

export interface KnowledgeDocumentRow {
  id: string;
  /** Of the version that is seen. */
  doc_no: number;
  source: string;
  source_id: string;
  /** Title and `source_id` in small letters, because the databases fold them differently. */
  folded: string;
  title: string;
  url: string | null;
  content_type: string;
  hash: string;
  version: string;
  updated_at: number;
  indexed_at: number;
  chunks: number;
  size: number;
  /** 1 when `updated_at` is another one than its index segment knows. */
  touched: number;
  tags: string;
  metadata: string;
}

interface KnowledgeTextRow {
  doc_no: number;
  body: string;
}

export interface KnowledgeChunkRow {
  doc_no: number;
  ordinal: number;
  hash: string;
  start_line: number;
  end_line: number;
  tokens: number;
  heading: string;
  text: string;
}

interface KnowledgeSegmentRow {
  id: number;
  /** `dead`: its rows are being deleted. */
  state: 'open' | 'live' | 'dead';
  opened_at: number;
  first_doc_no: number;
  /** How many numbers were reserved with it; 0 once another segment stands for it. */
  documents: number;
  chunks: number;
  header: Uint8Array | null;
}

interface KnowledgePostingsRow {
  segment: number;
  term: string;
  data: Uint8Array;
}

interface KnowledgeRemovedRow {
  doc_no: number;
}

interface KnowledgeVectorRow {
  model: string;
  hash: string;
  /** Float32, little-endian. */
  data: Uint8Array;
}

export interface KnowledgeSourceRow {
  source: string;
  type: string;
  name: string;
  settings: string;
  created_at: number;
}

export interface KnowledgeSourceStateRow {
  source: string;
  started_at: number | null;
  finished_at: number | null;
  outcome: string | null;
  message: string | null;
  report: string | null;
  requested_at: number | null;
  request: string | null;
}

export interface TeamMemberRow {
  id: string;
  agent: string | null;
  type: string;
  state: string;
  supervisor_id: string | null;
  current_epic_id: string | null;
  current_task_id: string | null;
  tmux_session_name: string | null;
  token_hash: string | null;
  created_at: number;
  updated_at: number;
}

export interface MailRow {
  id: string;
  thread_id: string;
  in_reply_to: string | null;
  from_agent_id: string | null;
  from_agent_type: string;
  /** A member's id; '' is the person. */
  recipient: string;
  at: number;
  read_at: number | null;
  /** What stays the same about it, as JSON. */
  escalation: string | null;
  escalation_count: number;
  escalation_at: number | null;
  subject: string;
  body: string;
}

/** What a list shows of a thread, kept with each mail and each reading. */
export interface MailThreadRow {
  id: string;
  subject: string;
  participants: string;
  mails: number;
  unread_for_human: number;
  with_human: number;
  has_escalation: number;
  last_mail_id: string;
  last_at: number;
}

interface EscalationRow {
  fault: string;
  at: number;
  mail_id: string;
}

export interface EpicRow {
  id: string;
  linear_issue_id: string | null;
  linear_issue_url: string | null;
  title: string;
  state: string;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
  description: string;
}

export interface TaskRow {
  id: string;
  title: string;
  state: string;
  epic_id: string | null;
  assignee_id: string | null;
  created_by: string | null;
  worktree_path: string | null;
  branch_name: string | null;
  pr_url: string | null;
  comments: number;
  state_since: number;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
  description: string;
}

export interface TaskCommentRow {
  id: string;
  task_id: string;
  author_id: string | null;
  at: number;
  body: string;
}

export interface EventRow {
  id: string;
  type: string;
  at: number;
  data: string;
}

export interface DeliveryRow {
  id: string;
  event_id: string;
  target: string;
  state: 'pending' | 'done' | 'dead';
  attempts: number;
  at: number;
  next_attempt_at: number | null;
  delivered_at: number | null;
  last_error: string | null;
  /** The process that is delivering it. */
  holder: string | null;
}

interface EventSubscriberRow {
  target: string;
  type: string;
  /** The process whose handlers it is; empty when that one has ended in good order. */
  holder: string;
  seen_at: number;
}

interface IdempotencyKeyRow {
  owner: string;
  key: string;
  tool: string;
  input_hash: string;
  at: number;
  answer: string | null;
}
