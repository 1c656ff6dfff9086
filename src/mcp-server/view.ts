import type { Agent } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { agentUri } from '../agents/agent-resources.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import type { Calls } from '../hub/calls.ts';
import { documentsUri } from '../knowledge/knowledge-resources.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { Caller } from '../tools/caller.ts';
import type { ToolCall, ToolOutcome } from '../tools/execute-tool.ts';
import { decide } from '../tools/permissions.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { PagedList } from './methods/paged-list.ts';
import type { Peer } from './protocol/exchange.ts';
import { metaKeys } from './protocol/protocol.ts';

const hubCaller: Caller = { surface: 'mcp' };

/** What a client connects to: the whole hub, one agent's view of it, the place of a member of the team, or an agent that is a server. */
export interface ViewAddress {
  /** A Tools-mode agent as a server of its own; excludes the others. */
  servedId?: string | undefined;
  agentId?: string | undefined;
  memberId?: string | undefined;
}

/** What a view shows, and how it runs tools. */
export interface ViewParts extends Calls {
  readonly version: string;
  readonly agents: AgentRegistry;
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly clock: Clock;
}

/** `serverInfo` as JSON, alone, as an entry of `_meta`, and as `_meta` itself. */
interface ServerDescription {
  json: string;
  entry: string;
  stamp: string;
}

/**
 * What one address shows: the whole hub, one agent with the tools in its scope, or what a member may call beside the prompt
 * of the agent it is an instance of. Lives as long as the server.
 */
export class McpView {
  readonly parts: ViewParts;
  readonly memberId: string | undefined;
  #agentId: string | null | undefined;
  /** The member as it was at its last request. */
  #member: Caller | undefined;
  /** Revisions differ in what they allow a tool to say of itself. */
  readonly tools = { session: new PagedList('tools'), stateless: new PagedList('tools') };
  readonly prompts = new PagedList('prompts');
  #describedAgent: Agent | undefined;
  #serverInfo: ServerDescription | undefined;
  /** The methods of MCP beside the tools that this address has: all of them. */
  readonly hasOnlyTools: boolean = false;

  constructor(parts: ViewParts, { agentId, memberId }: ViewAddress) {
    this.parts = parts;
    this.memberId = memberId;
    this.#agentId = memberId === undefined ? agentId : null;
  }

  /** The agent whose prompt and resources are shown. Undefined: all of the hub; null: none. */
  get agentId(): string | null | undefined {
    return this.#agentId;
  }

  /** A member may become an instance of another agent. */
  showAgent(agentId: string | null): void {
    this.#agentId = agentId;
  }

  /** Fresh for each request, so that an edit of the scope counts at once. Throws AGENT_NOT_FOUND. */
  caller(): Caller | Promise<Caller> {
    if (this.memberId !== undefined) return this.#memberCaller(this.memberId);
    return typeof this.agentId === 'string'
      ? this.parts.resolveCaller({ surface: 'mcp', agent: this.agentId })
      : hubCaller;
  }

  async #memberCaller(memberId: string): Promise<Caller> {
    const caller = await this.parts.resolveCaller({ surface: 'mcp', member: memberId });
    this.#member = caller;
    this.showAgent(caller.member?.agent ?? null);
    return caller;
  }

  /** The tools that can be called here, before anybody's rights are looked at. */
  get registry(): ToolRegistry {
    return this.parts.tools;
  }

  execute(call: ToolCall): Promise<ToolOutcome> {
    return this.parts.execute(call);
  }

  /** Asks the sources for news. Throws AGENT_NOT_FOUND when the view's own agent is gone. */
  async refresh(): Promise<void> {
    if (this.memberId !== undefined) await this.#memberCaller(this.memberId);
    if (typeof this.agentId !== 'string' || this.memberId !== undefined) await this.parts.agents.refresh();
    else await this.parts.agents.get(this.agentId);
  }

  /** The agents to be seen here, as they were at the last `refresh`. */
  agents(): Agent[] {
    if (this.agentId === undefined) return this.parts.agents.list();
    const agent = this.#agent;
    return agent ? [agent] : [];
  }

  /** Whether the resource at this address is to be seen here. */
  hasResource(uri: string): boolean {
    if (this.agentId === undefined) return true;
    const own = this.agentId === null ? undefined : agentUri(this.agentId);
    if (own !== undefined && (uri === own || uri.startsWith(`${own}/`))) return true;
    return uri.startsWith(`${documentsUri}/`) && this.hasDocuments;
  }

  /** An agent that may read documents by the tool `get` may read them by address. */
  get hasDocuments(): boolean {
    if (this.agentId === undefined) return true;
    const agent = this.#agent;
    const caller = this.#member ?? (agent && { surface: 'mcp', scope: { agentId: agent.id, tools: agent.tools } });
    return caller !== undefined && decide(caller, { name: 'get', isForMembers: false }).allowed;
  }

  /** JSON of `serverInfo`. */
  get serverInfo(): string {
    return this.#describe().json;
  }

  /** Adds what revision 2026-07-28 asks of every result. `result` is the JSON text of an object. */
  complete(peer: Peer, result: string, isCacheable = false): string {
    if (peer.era === 'session') return result;
    // Agents change at any moment, so a list is fresh only while a client listens for changes.
    const cache = isCacheable ? '"ttlMs":0,"cacheScope":"private",' : '';
    const rest = result === '{}' ? '}' : `,${result.slice(1)}`;
    return `{"resultType":"complete",${cache}${this.#describe().stamp}${rest}`;
  }

  /** The same for the result of a call, with what the tool says in `_meta`. */
  completeCall(peer: Peer, result: string, meta: JsonObject | undefined): string {
    if (!meta || Object.keys(meta).length === 0) return this.complete(peer, result);
    const own = JSON.stringify(meta).slice(1, -1);
    if (peer.era === 'session') return `{"_meta":{${own}},${result.slice(1)}`;
    return `{"resultType":"complete","_meta":{${own},${this.#describe().entry}},${result.slice(1)}`;
  }

  /** `_meta` alone, for results that are not complete. */
  get metaStamp(): string {
    return this.#describe().stamp;
  }

  /** What `initialize` and every result of 2026-07-28 say of the server. */
  protected implementation(agent: Agent | undefined): { name: string; title?: string; version: string } {
    const name = this.memberId ?? agent?.name;
    const title = name === undefined ? 'Agent Zoo' : `Agent Zoo: ${name}`;
    return { name: 'agent-zoo', title, version: this.parts.version };
  }

  get #agent(): Agent | undefined {
    return typeof this.#agentId === 'string' ? this.parts.agents.find(this.#agentId) : undefined;
  }

  #describe(): ServerDescription {
    const agent = this.#agent;
    if (!this.#serverInfo || agent !== this.#describedAgent) {
      const json = JSON.stringify(this.implementation(agent));
      this.#describedAgent = agent;
      const entry = `"${metaKeys.serverInfo}":${json}`;
      this.#serverInfo = { json, entry, stamp: `"_meta":{${entry}}` };
    }
    return this.#serverInfo;
  }
}
