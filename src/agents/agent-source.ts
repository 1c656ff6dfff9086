import type { Source } from '../base/source.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import type { SearchRequest, SearchResult } from '../knowledge/search/search-request.ts';
import type { ToolClient } from '../tools/tool-client.ts';
import type { Agent, AgentSourceKind } from './agent.ts';
import type { AgentPrompt, PromptArguments } from './agent-prompt.ts';

/** An agent as a source delivers it. */
export interface AgentEntry {
  agent: Agent;
  /** For messages: a file, "the store", "code". */
  place: string;
  /** Grows with each save of a stored agent; undefined elsewhere. */
  revision?: number;
  /** Milliseconds since the epoch, where the source knows it. */
  updatedAt?: number;
  /** Code and scripts build their prompt themselves. */
  resolve?(args: PromptArguments, context: ResolveContext): Promise<AgentPrompt> | AgentPrompt;
}

/** What a surface says of the conversation it wants a prompt for. */
export interface ResolveOptions {
  signal: AbortSignal;
  /** The client that asked for the prompt, where there is one that can be asked. */
  client?: ToolClient;
  /** Another view of the knowledge base than the registry's own, to count or to try. */
  knowledge?: KnowledgeReader;
}

/** What an agent's own code gets, to build its prompt. */
export interface ResolveContext extends Omit<ResolveOptions, 'knowledge'> {
  /** The whole request, or the words and the rest of it. `source` and `tags` may also stand outside `filters`. */
  search(query: string | SearchRequest, options?: SearchOptions): Promise<SearchResult[]>;
  get: KnowledgeReader['get'];
  sources: KnowledgeReader['sources'];
  /** The keys of the agent's own section in the config, where it has one. */
  config?: Readonly<Record<string, unknown>>;
}

export interface SearchOptions extends Omit<SearchRequest, 'query'> {
  source?: string;
}

export interface AgentSource extends Source<AgentEntry> {
  readonly kind: AgentSourceKind;
}
