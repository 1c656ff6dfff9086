import type { Agent } from '../agents/agent.ts';
import { agentUri } from '../agents/agent-resources.ts';
import type { Hub } from '../hub.ts';
import { documentsUri } from '../knowledge/knowledge-resources.ts';
import type { Caller } from '../tools/caller.ts';
import { decide } from '../tools/permissions.ts';
import type { Peer } from './exchange.ts';
import { PagedList } from './paged-list.ts';
import { metaKeys } from './protocol.ts';

const hubCaller: Caller = { surface: 'mcp' };

/** What one address shows: the whole hub, or one agent with the tools in its scope. Lives as long as the server. */
export class McpView {
  readonly hub: Hub;
  readonly agentId: string | undefined;
  readonly tools = new PagedList('tools');
  readonly prompts = new PagedList('prompts');
  #describedAgent: Agent | undefined;
  #serverInfo: { json: string; stamp: string } | undefined;

  constructor(hub: Hub, agentId: string | undefined) {
    this.hub = hub;
    this.agentId = agentId;
  }

  /** Fresh for each request, so that an edit of the scope counts at once. Throws AGENT_NOT_FOUND. */
  caller(): Caller | Promise<Caller> {
    return this.agentId === undefined ? hubCaller : this.hub.callerFor('mcp', this.agentId);
  }

  /** Asks the sources for news. Throws AGENT_NOT_FOUND when the view's own agent is gone. */
  async refresh(): Promise<void> {
    if (this.agentId === undefined) await this.hub.agents.refresh();
    else await this.hub.agents.get(this.agentId);
  }

  /** The agents to be seen here, as they were at the last `refresh`. */
  agents(): Agent[] {
    if (this.agentId === undefined) return this.hub.agents.list();
    const agent = this.hub.agents.find(this.agentId);
    return agent ? [agent] : [];
  }

  /** Whether the resource at this address is to be seen here. */
  hasResource(uri: string): boolean {
    if (this.agentId === undefined) return true;
    const own = agentUri(this.agentId);
    if (uri === own || uri.startsWith(`${own}/`)) return true;
    return uri.startsWith(`${documentsUri}/`) && this.hasDocuments;
  }

  /** An agent that may read documents by the tool `get` may read them by address. */
  get hasDocuments(): boolean {
    if (this.agentId === undefined) return true;
    const agent = this.hub.agents.find(this.agentId);
    return (
      agent !== undefined &&
      decide({ surface: 'mcp', scope: { agentId: agent.id, tools: agent.tools } }, { name: 'get', isForMembers: false })
        .allowed
    );
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

  /** `_meta` alone, for results that are not complete. */
  get metaStamp(): string {
    return this.#describe().stamp;
  }

  #describe(): { json: string; stamp: string } {
    const agent = this.agentId === undefined ? undefined : this.hub.agents.find(this.agentId);
    if (!this.#serverInfo || agent !== this.#describedAgent) {
      const title = agent ? `Agent Zoo: ${agent.name}` : 'Agent Zoo';
      const json = JSON.stringify({ name: 'agent-zoo', title, version: this.hub.version });
      this.#describedAgent = agent;
      this.#serverInfo = { json, stamp: `"_meta":{"${metaKeys.serverInfo}":${json}}` };
    }
    return this.#serverInfo;
  }
}
