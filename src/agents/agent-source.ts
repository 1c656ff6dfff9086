import type { Source } from '../base/source.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { SearchRequest, SearchResult } from '../knowledge/search/search-request.ts';
import type { ToolClient } from '../tools/tool-client.ts';
import type { Agent, AgentSourceKind } from './agent.ts';
import type { AgentPrompt } from './agent-prompt.ts';

/** An agent as a source delivers it. */
export interface AgentEntry {
  agent: Agent;
  /** Where the agent is defined, for messages: a file, "the store", "code". */
  definedIn: string;
  /** Increases with each save of a stored agent. Undefined for other agents. */
  revision?: number;
  /** Milliseconds since the epoch, if the source knows the time. */
  updatedAt?: number;
  /** Builds the prompt, for agents defined in code and scripts. */
  resolve?(args: ArgumentValues, context: ResolveContext): Promise<AgentPrompt> | AgentPrompt;
  /** Environment variables from the `.env` beside its file. They win over the hub's own. Never shown. */
  variables?: Readonly<Record<string, string>>;
}

/** Arguments as a caller sends them. Scripts get any JSON value; all other agents take text. */
export type ArgumentValues = Readonly<Record<string, unknown>>;

/** The options of a surface that needs a prompt. */
export interface ResolveOptions {
  signal: AbortSignal;
  /** The client that requested the prompt, if it can be asked questions. */
  client?: ToolClient;
  /** Set if a session adds rules and references with `include: agent` itself, message by message. */
  isConversation?: boolean;
  /** Set if a client becomes the agent: the prompt begins with the identity line, whatever tools the agent has. */
  isInjection?: boolean;
  /** Replaces the registry's knowledge base, for example to count searches. */
  knowledge?: KnowledgeReader;
}

/** The context in which an agent's own code builds its prompt. */
export interface ResolveContext extends Omit<ResolveOptions, 'knowledge' | 'isConversation' | 'isInjection'> {
  /** Searches the knowledge base, by a request or by a query and options. `source` and `tags` may also be outside `filters`. */
  search(query: string | SearchRequest, options?: SearchOptions): Promise<SearchResult[]>;
  get: KnowledgeReader['get'];
  chunks?: KnowledgeReader['chunks'];
  sources: KnowledgeReader['sources'];
  /** The keys of the agent's section in the config, if it has one. */
  config?: Readonly<Record<string, unknown>>;
}

export interface SearchOptions extends Omit<SearchRequest, 'query'> {
  source?: string;
}

export interface AgentSource extends Source<AgentEntry> {
  readonly kind: AgentSourceKind;
}
