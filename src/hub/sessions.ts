import type { Agent } from '../agents/agent.ts';
import type { PromptArguments, PromptMessage } from '../agents/agent-prompt.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { Slots } from '../base/slots.ts';
import type { Tracer } from '../base/tracer.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { ApprovedTools } from '../engine/approved-tools.ts';
import type { Budget } from '../engine/budget.ts';
import { ChatSession } from '../engine/chat-session.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ExecutableTool, ToolRunContext } from '../engine/executable-tool.ts';
import { type AskRule, confirmationFor, includedTools } from '../engine/included-tools.ts';
import type { Model } from '../engine/model.ts';
import type { Approve, StoredGrants } from '../engine/run-options.ts';
import type { RunStore } from '../engine/run-store.ts';
import type { Run } from '../engine/run-ticks.ts';
import type { RunInput } from '../engine/to-messages.ts';
import type { LanguageModels } from '../models/language-models.ts';
import type { StoredRunHistory } from '../runs/runs.ts';
import type { Store } from '../store/store.ts';
import type { Caller, WorkedFor } from '../tools/caller.ts';
import { asContent, ToolContent } from '../tools/content.ts';
import type { ToolOutcome } from '../tools/execute-tool.ts';
import { decide } from '../tools/permissions.ts';
import { hashDefinition, type Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { UsageMeter } from '../usage/meter-calls.ts';
import type { Calls } from './calls.ts';
import type { HubMetrics } from './hub-metrics.ts';
import type { LazyServers } from './lazy-servers.ts';
import { contextOfMessages } from './message-context.ts';
import { maxTurns, modelSettings } from './model-settings.ts';
import type { LiveConfig } from './settings/live-config.ts';

export interface SessionRequest {
  agentId: string;
  /**
   * `headless`: no user can be asked, so only tools that need no approval are available; runs are stored only for a chat or a run.
   * `interactive`: all tools in the scope are available, with approval if the agent requires it, and each run is stored.
   */
  kind: 'interactive' | 'headless';
  /** The chat that the session belongs to, which stores its messages. */
  chatId?: string | undefined;
  /** Whether a stored run opens the session. */
  isCalledByRun?: boolean | undefined;
  /** The arguments of the agent's prompt. */
  arguments?: PromptArguments | undefined;
  /** `provider/model`, to override the agent's own model. */
  model?: string | undefined;
  maxTicks?: number | undefined;
  budget?: Budget | undefined;
  /** What the conversation has read from outside, in earlier sessions. */
  outside?: readonly string[] | undefined;
  /** The client and the member that the session works for; empty texts for none, as for the user. */
  workedFor?: WorkedFor | undefined;
  /** How many agents are already in the chain of calls. */
  depth?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface RunAgentRequest
  extends Omit<SessionRequest, 'kind' | 'chatId' | 'isCalledByRun' | 'depth' | 'workedFor'> {
  input: RunInput;
  /** Asks the user before a call that needs approval. Without it, such calls are denied. */
  approve?: Approve | undefined;
}

/** The open conversations of this process. */
export interface Sessions {
  /** Opens a session with an agent. Throws AGENT_NOT_FOUND, NOT_CONFIGURED, INVALID_ARGUMENTS, UNAVAILABLE. */
  open(request: SessionRequest): Promise<ChatSession>;
  /** Sends one message in a new session, which closes after the answer. Throws whatever `open` throws. */
  run(request: RunAgentRequest): Promise<Run>;
  /** Returns the number of open sessions. */
  count(): number;
  /** Stops all answers, closes all sessions and rejects new ones. */
  close(): Promise<void>;
}

/** The parts that an agent's prompt and tools come from. */
export interface ContextParts {
  agents: AgentRegistry;
  tools: ToolRegistry;
}

export interface SessionParts extends ContextParts, Pick<Calls, 'execute' | 'refuse'> {
  config: LoadedConfig;
  live: Pick<LiveConfig, 'current'>;
  servers: Pick<LazyServers, 'discover'>;
  models: LanguageModels;
  store: Pick<Store, 'runs' | 'grants' | 'chatGrants'>;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  hubMetrics: Pick<HubMetrics, 'metrics' | 'run'>;
  /** Counts model calls and enforces the budgets of the hub. */
  usage: Pick<UsageMeter, 'for'>;
}

export function createSessions(parts: SessionParts): Sessions {
  const opened = new Slots<ChatSession>();
  let isClosed = false;
  const { metrics, run: count } = parts.hubMetrics;
  metrics.gauge('zoo_sessions', 'Open conversations with agents.', () => [[{}, opened.size]]);
  async function open(request: SessionRequest): Promise<ChatSession> {
    const { modelName, options } = await prepare(parts, request);
    if (isClosed) throw new HubError('UNAVAILABLE', 'The hub is closing.');
    const session: ChatSession = new ChatSession({
      ...options,
      onResult: (result) => count(modelName, result),
      onClose: () => opened.remove(slot),
    });
    const slot = opened.add(session);
    return session;
  }

  return {
    open,
    async run({ input, approve, ...request }) {
      const session = await open({ ...request, kind: 'interactive' });
      try {
        const run = session.send(input, { approve, signal: request.signal });
        void run.result.then(() => session.close());
        return run;
      } catch (error) {
        await session.close();
        throw error;
      }
    },
    count: () => opened.size,
    async close() {
      isClosed = true;
      await Promise.all([...opened].map((session) => session.close()));
    },
  };
}

async function prepare(parts: SessionParts, request: SessionRequest) {
  const { agents, clock, live, logger, models, servers, store, tracer } = parts;
  await servers.discover(request.signal);
  const entry = await agents.get(request.agentId);
  const { agent } = entry;
  const { engine } = live.current;
  const { modelName, model } = await chooseModel(models, entry, request.model);
  const { com, caller, tools: inScope, alreadyRead } = await agentContext(parts, entry, request);
  const isHeadless = request.kind === 'headless';
  const rule = askRule(agent, engine);
  const tools = isHeadless ? includedTools(rule, inScope) : inScope;
  for (const tool of tools) com.addTool(toExecutable(parts, { rule, caller, tool }));
  return {
    modelName,
    options: {
      contextId: request.chatId,
      model,
      com,
      agent: { id: agent.id, name: agent.name },
      settings: modelSettings(agent.modelSettings),
      maxTicks: request.maxTicks ?? maxTurns(agent.modelSettings) ?? engine.max_ticks,
      prepare: contextOfMessages(agent),
      budget: { maxTokens: engine.max_tokens, maxCost: engine.max_cost, ...request.budget },
      ...(!isHeadless && approvalsOf(parts, agent, request.chatId)),
      afterUntrusted: engine.after_untrusted,
      outside: request.outside,
      alreadyRead,
      meter: parts.usage.for({ agentId: agent.id, ...(request.workedFor ?? theUser) }),
      findTool: (name: string) => toRefusing(parts, caller, name),
      store:
        isHeadless && request.chatId === undefined && !request.isCalledByRun ? undefined : runsOf(store.runs, request),
      tracer,
      logger,
      clock,
    },
  };
}

const theUser = { client: '', memberId: '' };

/** Returns the model for a conversation: its own, the agent's, or the default. Throws NOT_CONFIGURED and INVALID_ARGUMENTS. */
export async function chooseModel(
  models: Pick<LanguageModels, 'resolve' | 'defaultModel'>,
  { agent, variables }: AgentEntry,
  requested: string | undefined,
): Promise<{ modelName: string; model: Model }> {
  const modelName = requested ?? agent.model ?? (await models.defaultModel()).model;
  if (modelName === null) throw noModel(agent);
  return { modelName, model: await models.resolve(modelName, variables) };
}

/** Returns when calls to an agent's tools need approval. */
export function askRule(
  { toolPermission: permission }: Pick<Agent, 'toolPermission'>,
  { ask_before_memory: includesMemory }: LoadedConfig['config']['engine'],
): AskRule {
  return { permission, includesMemory };
}

/** Returns the approvals that the user stored for an agent and for a chat. Each holds for one definition of a tool. */
function approvalsOf(
  { config, store, tools }: Pick<SessionParts, 'config' | 'store' | 'tools'>,
  { id: agentId, source }: Agent,
  chatId: string | undefined,
): { grants: StoredGrants; approved: ApprovedTools | undefined } {
  // Another folder's config can define an agent with the same id.
  const definedIn = source === 'store' ? '' : ` in ${config.folder}`;
  const current = async (name: string) => {
    const tool = tools.find(name);
    return tool && { tool: name, definition: `${await hashDefinition(tool)}${definedIn}` };
  };
  const grants: StoredGrants = {
    async has(name) {
      const grant = await current(name);
      return grant !== undefined && store.grants.has(agentId, grant);
    },
    async add(name) {
      const grant = await current(name);
      if (grant) await store.grants.add(agentId, grant);
    },
  };
  if (chatId === undefined) return { grants, approved: undefined };
  const approved: ApprovedTools = {
    async has(name, isAfterReading) {
      const grant = await current(name);
      return grant !== undefined && store.chatGrants.has(chatId, { ...grant, agentId, isAfterReading });
    },
    async add(name, isAfterReading) {
      const grant = await current(name);
      if (grant) await store.chatGrants.add(chatId, { ...grant, agentId, isAfterReading });
    },
  };
  return { grants, approved };
}

/** Returns the store for runs of a session, with its arguments. Leaves out the messages of runs in a chat, because the chat stores them. */
function runsOf(
  runs: StoredRunHistory,
  { chatId, arguments: given }: Pick<SessionRequest, 'chatId' | 'arguments'>,
): RunStore {
  const ofChat = chatId === undefined ? {} : { messages: [] };
  return {
    begin: (run) => runs.begin({ ...run, ...ofChat, arguments: given, ...(chatId !== undefined && { chatId }) }),
    save: (id, progress) => runs.save(id, { ...progress, ...ofChat }),
    finish: (id, end) => runs.finish(id, { ...end, ...ofChat }),
    list: (options) => runs.list(options),
    get: (id) => runs.get(id),
  };
}

/** Returns the initial context of a conversation, and the tools in scope. The session adds the tools that its kind allows. */
export async function agentContext(
  { agents, tools: registry }: ContextParts,
  entry: AgentEntry,
  request: Pick<SessionRequest, 'arguments' | 'depth' | 'signal' | 'workedFor'>,
): Promise<{ com: ContextObjectModel; caller: Caller; tools: readonly Tool[]; alreadyRead: readonly string[] }> {
  const { agent } = entry;
  const { depth, signal = new AbortController().signal } = request;
  const prompt = await agents.resolveEntry(entry, request.arguments ?? {}, { signal, isConversation: true });
  const com = new ContextObjectModel({ system: prompt.system });
  for (const message of prompt.messages) com.addMessage(toMessageInput(message));
  const scope = { agentId: agent.id, tools: sameList(agent.tools, prompt.tools) };
  const caller: Caller = {
    surface: 'engine',
    kind: 'agent',
    right: 'work',
    scope,
    ...(depth !== undefined && { depth }),
    ...(request.workedFor && { workedFor: request.workedFor }),
  };
  const tools = scope.tools === agent.tools ? cachedTools(registry, agent, caller) : toolsOf(registry, caller);
  return { com, caller, tools, alreadyRead: prompt.outside ?? [] };
}

function toolsOf(registry: ToolRegistry, caller: Caller): readonly Tool[] {
  return registry.list().filter((tool) => !tool.isHidden && decide(caller, tool).allowed);
}

/** Caches the tools of each agent revision: a hub can have thousands of tools, and every call opens a session. */
const toolsByAgent = new WeakMap<Agent, { registry: ToolRegistry; revision: number; tools: readonly Tool[] }>();

function cachedTools(registry: ToolRegistry, agent: Agent, caller: Caller): readonly Tool[] {
  const cached = toolsByAgent.get(agent);
  if (cached?.registry === registry && cached.revision === registry.revision) return cached.tools;
  const tools = toolsOf(registry, caller);
  toolsByAgent.set(agent, { registry, revision: registry.revision, tools });
  return tools;
}

function noModel({ id }: Agent): HubError {
  return new HubError(
    'NOT_CONFIGURED',
    `Agent "${id}" names no model. Set its model (such as openai/gpt-5 or ollama/llama3.2), choose a default model under Models in the web app, set [engine] model in zoo.toml, or use --model.`,
  );
}

/** Converts an MCP message, which has one content block, to an engine message, which has a list. */
function toMessageInput({ role, content }: PromptMessage) {
  return { role, content: typeof content === 'string' ? content : [content] };
}

/** Returns the agent's own list if the prompt repeats it, so that cached permissions can be reused. */
function sameList(known: readonly string[], other: readonly string[]): readonly string[] {
  return known.length === other.length && known.every((each, index) => each === other[index]) ? known : other;
}

/** Wraps a tool for the engine. Every call goes through the pipeline with the permissions of the agent's scope. */
function toExecutable(
  { execute: run }: Pick<Calls, 'execute'>,
  { rule, caller, tool }: { rule: AskRule; caller: Caller; tool: Tool },
): ExecutableTool {
  const { name, description, inputSchema, server } = tool;
  async function execute(
    input: unknown,
    context: Pick<ToolRunContext, 'signal' | 'traceparent' | 'purse' | 'reading' | 'runCall'>,
  ): Promise<ToolContent> {
    const { signal, traceparent, purse, reading, runCall } = context;
    const outcome = await run({
      caller: { ...caller, purse, reading, runCall },
      tool: name,
      input,
      signal,
      traceparent,
    });
    return toContent(outcome);
  }
  return {
    metadata: {
      name,
      description,
      inputSchema,
      type: server ? 'mcp' : 'function',
      serverName: server?.name,
      requiresConfirmation: confirmationFor(rule, tool),
      canHarm: tool.canHarm,
      readsOutside: tool.readsOutside ? (server ? `${name} (server ${server.name})` : name) : undefined,
    },
    execute,
    run: async (input, context) => {
      const signal = context?.signal ?? new AbortController().signal;
      return [...(await execute(input, { signal })).content];
    },
  };
}

/** Returns a stand-in for a tool that is unavailable now: it tells the model why and logs the refusal. Undefined if the tool is unknown. */
function toRefusing(
  { tools, refuse }: Pick<Calls, 'refuse'> & { tools: ToolRegistry },
  caller: Caller,
  name: string,
): ExecutableTool | undefined {
  const why = decide(caller, { name, right: 'work', isForMembers: false }).allowed ? tools.whyAbsent(name) : undefined;
  if (!why) return undefined;
  const execute = async (input: unknown) => toContent(await refuse({ caller, tool: name, input }, why));
  return {
    metadata: { name, description: '', inputSchema: { type: 'object' }, type: 'mcp', requiresConfirmation: false },
    execute,
    run: async (input) => [...(await execute(input)).content],
  };
}

function toContent(outcome: ToolOutcome): ToolContent {
  if (outcome.ok) return asContent(outcome.data);
  const { code, message } = outcome.error;
  return new ToolContent([{ type: 'text', text: `${code}: ${message}` }], { isError: true });
}
