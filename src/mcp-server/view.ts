import type { Agent } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { agentUri } from '../agents/agent-resources.ts';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { callerKey, type Identity, toCaller } from '../callers/callers.ts';
import type { Calls } from '../hub/calls.ts';
import { documentsUri } from '../knowledge/knowledge-resources.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { Team } from '../team/team.ts';
import type { Caller } from '../tools/caller.ts';
import type { ToolOutcome } from '../tools/execute-tool.ts';
import { decide } from '../tools/permissions.ts';
import type { ToolCall } from '../tools/run-tool.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { ClientStore } from './clients/client-store.ts';
import { PagedList } from './methods/paged-list.ts';
import type { Peer } from './protocol/exchange.ts';
import { metaKeys } from './protocol/protocol.ts';
import type { KeyParts } from './sessions/session-key.ts';

/** What a client connects to: the whole hub, the view of one agent or team member, or an agent server. */
export interface ViewAddress {
  /** A Tools-mode agent as a server. Excludes the other fields. */
  servedId?: string | undefined;
  agentId?: string | undefined;
  memberId?: string | undefined;
  /** Who connects. */
  from: Identity;
}

/** The parts of a hub that a view needs. */
export interface ViewParts extends Calls, KeyParts {
  readonly version: string;
  readonly store: KeyParts['store'] & { readonly clients: Pick<ClientStore, 'note' | 'noteCall'> };
  readonly agents: AgentRegistry;
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly clock: Clock;
  readonly team: Pick<Team, 'members'>;
}

/** `serverInfo` as JSON: alone, as an entry of `_meta`, and as a whole `_meta`. */
interface ServerDescription {
  json: string;
  entry: string;
  stamp: string;
}

/**
 * What one address shows: the whole hub, one agent with the tools in its scope, or a member with its tools and the prompt of
 * its agent. Lives as long as the server.
 */
export class McpView {
  readonly parts: ViewParts;
  /** Names the caller and the address, the same in every process. Two callers never share one. */
  readonly key: string;
  /** Names the caller alone. */
  readonly sender: string;
  readonly memberId: string | undefined;
  readonly #from: Identity;
  readonly #base: Caller | undefined;
  #agentId: string | null | undefined;
  /** The member at its last request. */
  #member: Caller | undefined;
  /** The eras differ in how they describe tools. */
  readonly tools = { session: new PagedList('tools'), stateless: new PagedList('tools') };
  readonly prompts = new PagedList('prompts');
  #describedAgent: Agent | undefined;
  #serverInfo: ServerDescription | undefined;
  /** Whether the view has no prompts, resources and completions. */
  readonly hasOnlyTools: boolean = false;
  /** Whether the calls of a session share a conversation. */
  get sharesContext(): boolean {
    return false;
  }

  constructor(parts: ViewParts, { agentId, memberId, from, key }: ViewAddress & { key: string }) {
    this.parts = parts;
    this.key = key;
    this.sender = memberId === undefined ? callerKey(from) : `member ${memberId}`;
    this.#from = from;
    this.#base = from.kind === 'member' ? undefined : toCaller('mcp', from);
    this.memberId = memberId;
    this.#agentId = memberId === undefined ? agentId : null;
  }

  /** The agent whose prompt and resources are shown. Undefined: all agents of the hub; null: none. */
  get agentId(): string | null | undefined {
    return this.#agentId;
  }

  /** Changes the agent of the view, because a member can switch to another agent. */
  showAgent(agentId: string | null): void {
    this.#agentId = agentId;
  }

  /** Resolves the caller for each request, so that scope changes take effect at once. Throws AGENT_NOT_FOUND. */
  caller(): Caller | Promise<Caller> {
    if (this.memberId !== undefined) return this.#memberCaller(this.memberId);
    return typeof this.agentId !== 'string' && this.#base
      ? this.#base
      : this.parts.resolveCaller({ surface: 'mcp', from: this.#from, agent: this.agentId ?? undefined });
  }

  async #memberCaller(memberId: string): Promise<Caller> {
    const caller = await this.parts.resolveCaller({ surface: 'mcp', member: memberId });
    this.#member = caller;
    this.showAgent(caller.member?.agent ?? null);
    return caller;
  }

  /**
   * Returns the caller for whom changes are watched. Unlike `caller`, it does not revive a FAILED member: an open stream is not a
   * call. Throws AGENT_NOT_FOUND.
   */
  async watcher(): Promise<Caller> {
    if (this.memberId === undefined) return this.caller();
    const { member } = await this.parts.team.members.calling(this.memberId);
    this.#member = { surface: 'mcp', kind: 'member', right: 'use', member };
    this.showAgent(member.agent);
    return this.#member;
  }

  /** Returns a tool by name, if the view shows it to the caller of its last request. */
  findTool(name: string): Tool | undefined {
    const tool = this.registry.find(name);
    if (!tool || this.agentId === undefined || this.hasOnlyTools) return tool;
    const caller = this.#lastCaller;
    return caller && decide(caller, tool).allowed ? tool : undefined;
  }

  /** The tools of the view, before permissions are checked. */
  get registry(): ToolRegistry {
    return this.parts.tools;
  }

  execute(call: ToolCall): Promise<ToolOutcome> {
    return this.parts.execute(call);
  }

  /** Refreshes agents and member. Throws AGENT_NOT_FOUND if the view's agent no longer exists. */
  async refresh(): Promise<void> {
    if (this.memberId !== undefined) await this.#memberCaller(this.memberId);
    if (typeof this.agentId !== 'string' || this.memberId !== undefined) await this.parts.agents.refresh();
    else await this.parts.agents.get(this.agentId);
  }

  /** The visible agents, as of the last `refresh`. */
  agents(): Agent[] {
    if (this.agentId === undefined) return this.parts.agents.list();
    const agent = this.#agent;
    return agent ? [agent] : [];
  }

  /** Whether the resource at this address is visible. */
  hasResource(uri: string): boolean {
    if (this.agentId === undefined) return true;
    const viewUri = this.agentId === null ? undefined : agentUri(this.agentId);
    if (viewUri !== undefined && (uri === viewUri || uri.startsWith(`${viewUri}/`))) return true;
    return uri.startsWith(`${documentsUri}/`) && this.hasDocuments;
  }

  /** Whether documents can be read by address: only if the caller may use the tool `get`. */
  get hasDocuments(): boolean {
    if (this.agentId === undefined) return true;
    const caller = this.#lastCaller;
    return caller !== undefined && decide(caller, { name: 'get', right: 'use', isForMembers: false }).allowed;
  }

  /** The member at its last request, or the scope of the agent as it is now. */
  get #lastCaller(): Caller | undefined {
    const agent = this.#agent;
    const scope = agent && { agentId: agent.id, tools: agent.tools };
    return this.#member ?? (this.#base && scope && { ...this.#base, scope });
  }

  /** `serverInfo` as JSON. */
  get serverInfo(): string {
    return this.#describe().json;
  }

  /** Adds the fields that revision 2026-07-28 requires in every result. `result` is the JSON text of an object. */
  complete(peer: Peer, result: string, isCacheable = false): string {
    if (peer.era === 'session') return result;
    // Agents can change at any time, so clients must not cache lists without listening for changes.
    const cache = isCacheable ? '"ttlMs":0,"cacheScope":"private",' : '';
    const rest = result === '{}' ? '}' : `,${result.slice(1)}`;
    return `{"resultType":"complete",${cache}${this.#describe().stamp}${rest}`;
  }

  /** Does the same for a tool result, and merges the tool's `_meta`. */
  completeCall(peer: Peer, result: string, meta: JsonObject | undefined): string {
    if (!meta || Object.keys(meta).length === 0) return this.complete(peer, result);
    const entries = JSON.stringify(meta).slice(1, -1);
    if (peer.era === 'session') return `{"_meta":{${entries}},${result.slice(1)}`;
    return `{"resultType":"complete","_meta":{${entries},${this.#describe().entry}},${result.slice(1)}`;
  }

  /** `_meta` for results that are not complete. */
  get metaStamp(): string {
    return this.#describe().stamp;
  }

  /** The description of the server in `initialize` and in every result of 2026-07-28. */
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
