import type { Agent, AgentInput, AgentMode, AgentSourceKind } from '../agents/agent.ts';
import type { SourceProblem } from '../agents/agent-source.ts';
import type { AgentVersionAction } from '../agents/agent-store.ts';
import type { BrainEntry } from '../agents/brain.ts';
import type { PromptSection } from '../agents/compile-prompt.ts';
import type { Priming } from '../agents/prime-prompt.ts';
import type { JsonSchema } from '../base/json-schema.ts';
import type { Chunk } from '../knowledge/document.ts';
import type { DocumentBody as KnowledgeDocumentBody } from '../knowledge/document-body.ts';
import type { EmbeddingState, KnowledgeEvent, SourceExplanation, SourceInfo } from '../knowledge/knowledge.ts';
import type { SearchMode, SearchResult } from '../knowledge/search-request.ts';
import type { TeamConcern } from '../team/team-store.ts';
import type { ToolAnnotations } from '../tools/tool.ts';

/** The bodies of the HTTP API as the web app sees them. Times are ISO 8601. */

export interface AgentSummary {
  id: string;
  name: string;
  description: string;
  mode: AgentMode;
  source: AgentSourceKind;
  /** For people: a file, "the store", "code". */
  place: string;
  /** False for agents from files and code. */
  editable: boolean;
  version: string;
  skills: { total: number; enabled: number };
  categories: { name: string; color: string }[];
  tools: string[];
  argumentCount: number;
  revision: number | null;
  updatedAt: string | null;
}

export interface AgentListBody {
  agents: AgentSummary[];
  problems: SourceProblem[];
}

/** An agent with what the hub knows of it. The ETag of the response is the revision in quotes. */
export type AgentDetail = Agent & {
  place: string;
  editable: boolean;
  revision: number | null;
  createdAt: string | null;
  updatedAt: string | null;
};

export interface AgentVersionSummary {
  revision: number;
  action: AgentVersionAction;
  at: string;
  name: string;
}

export interface AgentVersionBody extends AgentVersionSummary {
  agent: Agent;
}

export interface CompiledBody {
  agentId: string;
  text: string;
  sections: PromptSection[];
  warnings: string[];
}

export interface BrainBody {
  agentId: string;
  entries: BrainEntry[];
}

export interface AgentTemplateBody {
  id: string;
  name: string;
  description: string;
  category: string;
  agent: AgentInput;
}

export interface ToolBody {
  name: string;
  title: string;
  description: string;
  origin: string;
  annotations: ToolAnnotations;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema | null;
}

export interface ReadyBody {
  ready: boolean;
  checks: { name: 'database' | 'migrations' | 'disk'; ok: boolean; message: string }[];
}

export interface StatusBody {
  version: string;
  configFile: string | null;
  database: { kind: 'sqlite' | 'postgres'; place: string };
  agents: number;
  tools: number;
  problems: SourceProblem[];
}

/** How one MCP client is connected to the hub, or to one agent of it. */
export interface ConnectClient {
  id: string;
  name: string;
  /** Opens the client with everything filled in. */
  link: string | null;
  snippets: ConnectSnippet[];
  note: string | null;
}

export interface ConnectSnippet {
  title: string;
  /** Where the text goes, or null for a command to run. */
  file: string | null;
  language: 'json' | 'toml' | 'yaml' | 'shell';
  text: string;
}

export interface ConnectBody {
  agentId: string | null;
  url: string;
  command: string;
  args: string[];
  clients: ConnectClient[];
}

/** Sent on /api/events; the event's name is `type`. */
export type LiveEvent =
  | { type: 'agents'; changed: string[]; removed: string[] }
  | { type: 'brain'; agentIds: string[] }
  | { type: 'tools' }
  | { type: 'knowledge'; event: KnowledgeEvent }
  | { type: 'team'; concerns: TeamConcern[] }
  | { type: 'decisions' }
  /** Null: the set of servers. `isLogOnly`: a line of its log, nothing else. */
  | { type: 'servers'; server: string | null; isLogOnly: boolean }
  /** What lists of chats show. */
  | { type: 'chats' };

/** `GET /api/knowledge`: what the knowledge base holds and where it comes from. */
export interface KnowledgeBody {
  sources: SourceInfo[];
  documents: number;
  chunks: number;
  /** Characters of all texts. */
  size: number;
  embeddings: EmbeddingState;
}

export type DocumentSummary = KnowledgeDocumentBody;

/** `GET /api/knowledge/documents?source&text&limit&cursor`. */
export interface DocumentListBody {
  documents: DocumentSummary[];
  cursor: string | null;
}

/** `GET /api/knowledge/documents/{id}`. */
export interface DocumentBody {
  document: DocumentSummary;
  body: string;
  passages: Chunk[];
}

/** `GET /api/knowledge/explain?path=…&target=…`. */
export interface ExplainBody {
  explanations: SourceExplanation[];
}

/** `POST /api/knowledge/search` with a search request. */
export interface SearchBody {
  results: SearchResult[];
  mode: SearchMode;
  durationMs: number;
}

/** `POST /api/knowledge/prime` with `{arguments, knowledge, values}`: what an agent would be given. */
export interface PrimeBody {
  primings: Priming[];
  /** What follows the compiled prompt; empty when nothing was found. */
  text: string;
}

/** `POST /api/knowledge/sync` with `{target, full}` answers 202; news come as events. */
export interface SyncStartedBody {
  sources: string[];
  /** Those that wait for another sync of them to end. */
  queued: string[];
}

/** The second writer of a conflict gets the version that won beside its own. */
export interface ErrorBody {
  error: {
    code: string;
    message: string;
    /** Whether the same request may be sent again; missing where that would change nothing. */
    retryable?: boolean;
    details?: {
      issues?: { path: string; message: string }[];
      current?: AgentDetail;
      submitted?: unknown;
      [key: string]: unknown;
    };
  };
}
