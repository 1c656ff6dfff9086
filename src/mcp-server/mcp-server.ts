import { type Deadlines, tooLate } from '../base/deadlines.ts';
import { HubError } from '../base/hub-error.ts';
import type { Identity } from '../callers/callers.ts';
import type { Callers } from '../callers/create-callers.ts';
import type { Member } from '../team/members/member.ts';
import type { LogLevel } from '../tools/tool-client.ts';
import type { ServingParts } from './agent-server-view.ts';
import { ChangeFeed, type ChangingParts } from './change-feed.ts';
import { callTool, countTools, listTools } from './methods/call-tool.ts';
import { completeArgument } from './methods/complete-argument.ts';
import { getPrompt, listPrompts } from './methods/prompts.ts';
import { listResources, listResourceTemplates, readResource, subscribe, unsubscribe } from './methods/resources.ts';
import type { Exchange } from './protocol/exchange.ts';
import { discover, initialize } from './protocol/handshake.ts';
import {
  errorText,
  invalidParams,
  isObject,
  logLevels,
  metaKeys,
  RpcError,
  resultText,
  rpcCodes,
  toRpcError,
} from './protocol/protocol.ts';

import type { MailParts } from './sessions/session-mail.ts';
import type { McpSessionStore } from './sessions/session-store.ts';
import { McpView, type ViewAddress, type ViewParts } from './view.ts';

type Method = (view: McpView, exchange: Exchange) => string | Promise<string>;

const shared: [string, Method][] = [
  ['tools/list', listTools],
  ['tools/call', callTool],
  ['prompts/list', listPrompts],
  ['prompts/get', getPrompt],
  ['resources/list', listResources],
  ['resources/templates/list', listResourceTemplates],
  ['resources/read', readResource],
  ['completion/complete', completeArgument],
];

const methods = {
  session: new Map<string, Method>([
    ...shared,
    ['initialize', initialize],
    ['ping', () => '{}'],
    ['logging/setLevel', setLogLevel],
    ['resources/subscribe', subscribe],
    ['resources/unsubscribe', unsubscribe],
  ]),
  stateless: new Map<string, Method>([...shared, ['server/discover', discover]]),
};

const beyondTools = /^(?:prompts|resources|completion)\//;

export interface Answer {
  /** The whole JSON-RPC response. */
  text: string;
  /** For HTTP. */
  status: number;
  isResult: boolean;
}

/** The parts of a hub that MCP needs. */
export interface McpParts extends ViewParts, ServingParts, ChangingParts {
  readonly callers: Pick<Callers, 'identify' | 'anonymous'>;
  readonly store: ViewParts['store'] & {
    readonly mcpSessions: McpSessionStore;
    readonly changes: MailParts['changes'];
  };
  readonly deadlines: Deadlines;
}

/** Answers MCP requests of both protocol eras for one hub. Its caches outlive connections. */
export class McpServer {
  readonly changes: ChangeFeed;
  readonly #parts: McpParts;
  readonly #views = new Map<string, McpView>();
  readonly #stop: () => void;
  #stopMembers: (() => void) | undefined;

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.changes = new ChangeFeed(parts);
    this.#stop = parts.changes.on(['agents'], ({ ids }) => {
      for (const id of ids) {
        if (parts.agents.find(id)) continue;
        for (const [key, { agentId }] of this.#views) if (agentId === id) this.#views.delete(key);
      }
    });
  }

  /** The view of the whole hub for callers without a credential, which needs no look-up. */
  get hubView(): McpView {
    return this.#cachedView('', { from: this.#parts.callers.anonymous });
  }

  /**
   * Returns the view of the whole hub, of one agent, of a member (already identified), or of an agent server. Throws
   * AGENT_NOT_FOUND, and INVALID_AGENT_STATE for an agent that exposes no tools.
   */
  async view(address: ViewAddress): Promise<McpView> {
    const { agentId, memberId, servedId, from } = address;
    if (servedId !== undefined) return this.#servedView(servedId, from);
    const member = memberId === undefined ? undefined : await this.#parts.team.members.acting(memberId);
    if (!member && agentId !== undefined) await this.#parts.agents.get(agentId);
    const key = member ? memberKey(member) : senderKey(from) + (agentId !== undefined ? ` agent ${agentId}` : '');
    const view = this.#cachedView(key, address);
    if (member) {
      this.#stopMembers ??= this.#forgetRemovedMembers();
      view.showAgent(member.agent);
    }
    return view;
  }

  #cachedView(key: string, address: ViewAddress): McpView {
    let view = this.#views.get(key);
    if (!view) {
      view = new McpView(this.#parts, { ...address, key });
      this.#views.set(key, view);
    }
    return view;
  }

  async #servedView(agentId: string, from: Identity): Promise<McpView> {
    const key = `${senderKey(from)} served ${agentId}`;
    const known = this.#views.get(key);
    if (known) {
      await known.refresh();
      return known;
    }
    const { AgentServerView } = await import('./agent-server-view.ts');
    const view = new AgentServerView(this.#parts, { agentId, from, key });
    await view.refresh();
    // If another request has created the view in the meantime, its sessions already use that one.
    const first = this.#views.get(key);
    if (!first) this.#views.set(key, view);
    return first ?? view;
  }

  /** Never throws. Errors become JSON-RPC errors. */
  async answer(view: McpView, exchange: Exchange): Promise<Answer> {
    const { id, method } = exchange.request;
    try {
      const run = methods[exchange.peer.era].get(method);
      if (!run || (view.hasOnlyTools && beyondTools.test(method))) throw unknownMethod(method);
      const text = resultText(id, await this.#inTime(run(view, exchange), exchange));
      noteClient(view, exchange);
      return { text, status: 200, isResult: true };
    } catch (thrown) {
      const error = this.#toRpcError(thrown, method);
      return { text: errorText(id, error), status: error.status, isResult: false };
    }
  }

  /** Applies the request deadline. Tool calls have their own in the pipeline. */
  #inTime(reply: string | Promise<string>, { request }: Exchange): string | Promise<string> {
    const { method, params } = request;
    if (typeof reply === 'string' || method === 'tools/call') return reply;
    if (method === 'prompts/get' && this.#hasOwnLimits(params.name)) return reply;
    return this.#parts.deadlines.within(reply, (limitMs) => tooLate(method, { limitMs, mayHaveRun: false }));
  }

  /** Whether a prompt runs code or searches for passages, which have their own time limits. */
  #hasOwnLimits(agentId: unknown): boolean {
    const entry = typeof agentId === 'string' ? this.#parts.agents.findEntry(agentId) : undefined;
    return entry !== undefined && (entry.resolve !== undefined || entry.agent.knowledge.length > 0);
  }

  close(): void {
    this.#stop();
    this.#stopMembers?.();
    this.changes.close();
  }

  /** Drops the views of removed members. */
  #forgetRemovedMembers(): () => void {
    const { members } = this.#parts.team;
    return this.#parts.changes.on(['members'], () => {
      for (const [key, { memberId }] of this.#views) {
        if (memberId === undefined) continue;
        members.acting(memberId).then(
          (member) => memberKey(member) === key || this.#views.delete(key),
          (error: unknown) => {
            if (error instanceof HubError && error.code === 'AGENT_NOT_FOUND') this.#views.delete(key);
          },
        );
      }
    });
  }

  #toRpcError(thrown: unknown, method: string): RpcError {
    if (thrown instanceof RpcError) return thrown;
    if (thrown instanceof HubError) return toRpcError(thrown);
    this.#parts.logger.error({ err: thrown, method: method.slice(0, 80) }, 'MCP request failed unexpectedly');
    return new RpcError(rpcCodes.internalError, 'Internal error');
  }
}

/** Each key has views of its own, so that no session can be continued with another key. Empty for callers without one. */
function senderKey(from: Identity): string {
  if (from.kind === 'client') return `client ${from.id}`;
  return from.kind === 'owner' ? 'owner' : '';
}

/** Includes the creation time, so that a new member does not inherit the view of a removed one with the same id. */
function memberKey({ id, createdAt }: Member): string {
  return `member ${id} ${createdAt}`;
}

function unknownMethod(method: string): RpcError {
  return new RpcError(rpcCodes.methodNotFound, `Unknown method "${method.slice(0, 80)}".`, { status: 404 });
}

/** The first requests of a client, of both eras. Stateless clients may ask for the list of tools at once. */
const greetings = new Set(['initialize', 'server/discover', 'tools/list']);

/** Notes who has connected. Members of a team are known already. */
function noteClient(view: McpView, { request: { method, params }, peer }: Exchange): void {
  if (!greetings.has(method) || view.memberId !== undefined) return;
  const { _meta: meta } = params;
  const described = peer.era === 'session' ? params.clientInfo : isObject(meta) ? meta[metaKeys.clientInfo] : undefined;
  if (!isObject(described)) return;
  const { name, version } = described;
  if (typeof name !== 'string') return;
  const handshake = { name, version: typeof version === 'string' ? version : '', agentId: view.agentId ?? null };
  view.parts.store.clients.note(handshake, () => countTools(view));
}

async function setLogLevel(_view: McpView, exchange: Exchange): Promise<string> {
  const level = logLevels.find((each): each is LogLevel => each === exchange.request.params.level);
  if (!level) throw invalidParams(`"level" must be one of ${logLevels.join(', ')}.`);
  exchange.peer.logLevel = level;
  await exchange.peer.store?.({ logLevel: level });
  return '{}';
}
