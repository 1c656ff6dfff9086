import type { Agent } from '../agents/agent.ts';
import { HubError } from '../base/hub-error.ts';
import type { Identity } from '../callers/callers.ts';
import type { ServedAgent } from '../hub/agent-tools-mode.ts';
import type { Caller } from '../tools/caller.ts';
import type { ToolOutcome } from '../tools/execute-tool.ts';
import type { ToolCall } from '../tools/run-tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { McpView, type ViewParts } from './view.ts';

export interface ServingParts {
  /** Throws AGENT_NOT_FOUND, INVALID_AGENT_STATE. */
  serveAgent(agentId: string): Promise<ServedAgent>;
}

/** Shows a Tools-mode agent as an MCP server with its own name, version, description and tools, and nothing else of the hub. */
export class AgentServerView extends McpView {
  override readonly hasOnlyTools = true;
  readonly #id: string;
  readonly #serve: () => Promise<ServedAgent>;
  #served: ServedAgent | undefined;

  readonly #clientName: string | undefined;

  constructor(
    parts: ViewParts & ServingParts,
    { agentId, from, key }: { agentId: string; from: Identity; key: string },
  ) {
    super(parts, { agentId, from, key });
    this.#clientName = from.kind === 'client' && from.name !== '' ? from.name : undefined;
    this.#id = agentId;
    this.#serve = () => parts.serveAgent(agentId);
  }

  /** Looks up the agent for each request, so that saved changes take effect at once. Throws AGENT_NOT_FOUND, INVALID_AGENT_STATE. */
  override async caller(): Promise<Caller> {
    await this.refresh();
    return { ...this.#current.caller, clientName: this.#clientName };
  }

  override async refresh(): Promise<void> {
    this.#served = await this.#serve();
  }

  override get sharesContext(): boolean {
    return this.#current.agent.shareContext;
  }

  override get registry(): ToolRegistry {
    return this.#current.tools;
  }

  override execute(call: ToolCall): Promise<ToolOutcome> {
    return this.#current.execute(call);
  }

  override agents(): Agent[] {
    return [];
  }

  override hasResource(): boolean {
    return false;
  }

  /** Shows the agent, not the hub, as the server. */
  protected override implementation(agent: Agent | undefined): { name: string; version: string } {
    const { name, version } = agent ?? this.#current.agent;
    return { name, version };
  }

  get #current(): ServedAgent {
    if (this.#served) return this.#served;
    throw new HubError('AGENT_NOT_FOUND', `Agent with ID '${this.#id}' has not been loaded.`);
  }
}
