import type { Generated } from 'kysely';

/** The same tables on both databases. Times are milliseconds since the epoch, JSON is text, booleans are 0 and 1. */
export interface Tables {
  agents: AgentRow;
  agent_versions: AgentVersionRow;
  brain_entries: BrainEntryRow;
  decisions: DecisionRow;
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
  holder: string | null;
  leased_at: number | null;
  leased_until: number | null;
  started_at: number | null;
  finished_at: number | null;
  outcome: string | null;
  message: string | null;
  report: string | null;
}
