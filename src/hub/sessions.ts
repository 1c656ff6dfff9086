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
import type { Budget } from '../engine/budget.ts';
import { ChatSession } from '../engine/chat-session.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ExecutableTool, ToolRunContext } from '../engine/executable-tool.ts';
import { asksFor, includedTools, type ToolPermission } from '../engine/included-tools.ts';
import type { Approve } from '../engine/run-options.ts';
import type { RunStore } from '../engine/run-store.ts';
import type { Run } from '../engine/run-ticks.ts';
import type { RunInput } from '../engine/to-messages.ts';
import type { LanguageModels } from '../models/language-models.ts';
import type { StoredRunHistory } from '../runs/runs.ts';
import type { Store } from '../store/store.ts';
import type { Caller } from '../tools/caller.ts';
import { asContent, ToolContent } from '../tools/content.ts';
import type { ToolOutcome } from '../tools/execute-tool.ts';
import { decide } from '../tools/permissions.ts';
import type { Tool } from '../tools/tool.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Calls } from './calls.ts';
import type { HubMetrics } from './hub-metrics.ts';
import type { LazyServers } from './lazy-servers.ts';
import { modelSettings } from './model-settings.ts';

export interface SessionRequest {
  agentId: string;
  /**
   * `headless`: nobody can be asked, so only tools that need no permission are there, and nothing of it is kept. `interactive`:
   * every tool of the scope, with approval where the agent asks for it, and each run is kept.
   */
  kind: 'interactive' | 'headless';
  /** The chat that it belongs to, which keeps what is said in it. */
  chatId?: string | undefined;
  /** For the agent's own prompt. */
  arguments?: PromptArguments | undefined;
  /** `provider/model` instead of the agent's own. */
  model?: string | undefined;
  maxTicks?: number | undefined;
  budget?: Budget | undefined;
  /** Tools that need no further question; "always" adds to it. Of the session alone where it is not given. */
  approved?: Set<string> | undefined;
  /** How many agents called each other before this one. */
  depth?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface RunAgentRequest extends Omit<SessionRequest, 'kind' | 'chatId' | 'depth'> {
  input: RunInput;
  /** Asks a person before a call that needs approval. Without it such calls are denied. */
  approve?: Approve | undefined;
}

/** The conversations of this process, each until it is closed. */
export interface Sessions {
  /** An agent with its prompt, its model and its tools. Throws AGENT_NOT_FOUND, NOT_CONFIGURED, INVALID_ARGUMENTS, UNAVAILABLE. */
  open(request: SessionRequest): Promise<ChatSession>;
  /** One message in a session of its own, which ends with the answer. Throws as `open` does. */
  run(request: RunAgentRequest): Promise<Run>;
  /** How many are open. */
  count(): number;
  /** Stops their answers and closes all of them; no more are opened. */
  close(): Promise<void>;
}

/** What an agent's prompt and tools are made from. */
export interface ContextParts {
  agents: AgentRegistry;
  tools: ToolRegistry;
}

export interface SessionParts extends ContextParts, Pick<Calls, 'execute' | 'refuse'> {
  config: LoadedConfig;
  servers: Pick<LazyServers, 'discover'>;
  models: LanguageModels;
  store: Pick<Store, 'runs'>;
  clock: Clock;
  logger: Logger;
  tracer: Tracer;
  counted: Pick<HubMetrics, 'metrics' | 'run'>;
}

export function createSessions(parts: SessionParts): Sessions {
  const opened = new Slots<ChatSession>();
  let isClosed = false;
  const { metrics, run: count } = parts.counted;
  metrics.gauge('zoo_sessions', 'Conversations with agents that are open.', () => [[{}, opened.size]]);
  async function open(request: SessionRequest): Promise<ChatSession> {
    const { modelName, options } = await prepare(parts, request);
    if (isClosed) throw new HubError('UNAVAILABLE', 'The hub is closing.');
    const session: ChatSession = new ChatSession({
      ...options,
      onResult: (result) => count(modelName, result),
      onClose: () => opened.remove(place),
    });
    const place = opened.add(session);
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
  const { agents, clock, config, logger, models, servers, store, tracer } = parts;
  await servers.discover(request.signal);
  const entry = await agents.get(request.agentId);
  const { agent } = entry;
  const { engine } = config.config;
  const modelName = request.model ?? agent.model ?? engine.model;
  if (modelName === undefined) throw noModel(agent);
  const model = await models.resolve(modelName);
  const { com, caller, tools: inScope } = await agentContext(parts, entry, request);
  const isHeadless = request.kind === 'headless';
  const tools = isHeadless ? includedTools(agent.toolPermission, inScope) : inScope;
  const permission = isHeadless ? 'never' : agent.toolPermission;
  for (const tool of tools) com.addTool(toExecutable(parts, { permission, caller, tool }));
  return {
    modelName,
    options: {
      contextId: request.chatId,
      model,
      com,
      agent: { id: agent.id, name: agent.name },
      settings: modelSettings(agent.modelSettings),
      maxTicks: request.maxTicks ?? engine.max_ticks,
      budget: { maxTokens: engine.max_tokens, maxCost: engine.max_cost, ...request.budget },
      approved: request.approved,
      findTool: (name: string) => toRefusing(parts, caller, name),
      store: isHeadless ? undefined : runsOf(store.runs, request.chatId),
      tracer,
      logger,
      clock,
    },
  };
}

/** A chat keeps the messages of its runs itself. */
function runsOf(runs: StoredRunHistory, chatId: string | undefined): RunStore {
  if (chatId === undefined) return runs;
  return {
    begin: (run) => runs.begin({ ...run, chatId, messages: [] }),
    save: (id, progress) => runs.save(id, { ...progress, messages: [] }),
    finish: (id, end) => runs.finish(id, { ...end, messages: [] }),
    list: (options) => runs.list(options),
    get: (id) => runs.get(id),
  };
}

/** What a conversation with an agent begins with. Its tools are not in the context yet: who may be asked decides which. */
export async function agentContext(
  { agents, tools: registry }: ContextParts,
  entry: AgentEntry,
  request: Pick<SessionRequest, 'arguments' | 'depth' | 'signal'>,
): Promise<{ com: ContextObjectModel; caller: Caller; tools: readonly Tool[] }> {
  const { agent } = entry;
  const { depth, signal = new AbortController().signal } = request;
  const prompt = await agents.resolveEntry(entry, request.arguments ?? {}, { signal });
  const com = new ContextObjectModel({ system: prompt.system });
  for (const message of prompt.messages) com.addMessage(toMessageInput(message));
  const scope = { agentId: agent.id, tools: sameList(agent.tools, prompt.tools) };
  const caller: Caller = { surface: 'engine', scope, ...(depth !== undefined && { depth }) };
  const tools = scope.tools === agent.tools ? keptTools(registry, agent, caller) : toolsOf(registry, caller);
  return { com, caller, tools };
}

function toolsOf(registry: ToolRegistry, caller: Caller): readonly Tool[] {
  return registry.list().filter((tool) => !tool.isHidden && decide(caller, tool).allowed);
}

/** For each agent as it is now: a hub may have thousands of tools, and a session is opened for every call. */
const keptByAgent = new WeakMap<Agent, { registry: ToolRegistry; revision: number; tools: readonly Tool[] }>();

function keptTools(registry: ToolRegistry, agent: Agent, caller: Caller): readonly Tool[] {
  const kept = keptByAgent.get(agent);
  if (kept?.registry === registry && kept.revision === registry.revision) return kept.tools;
  const tools = toolsOf(registry, caller);
  keptByAgent.set(agent, { registry, revision: registry.revision, tools });
  return tools;
}

function noModel({ id }: Agent): HubError {
  return new HubError(
    'NOT_CONFIGURED',
    `Agent "${id}" names no model. Give it one (provider/model, such as openai/gpt-5 or ollama/llama3.2), set [engine] model in zoo.toml, or use --model.`,
  );
}

/** MCP has one block for a message; the engine has a list. */
function toMessageInput({ role, content }: PromptMessage) {
  return { role, content: typeof content === 'string' ? content : [content] };
}

/** The agent's own list where a prompt repeats it: permissions know it already. */
function sameList(known: readonly string[], other: readonly string[]): readonly string[] {
  return known.length === other.length && known.every((each, index) => each === other[index]) ? known : other;
}

/** A tool of the hub for the engine: every call of the model walks the pipeline, with the agent's scope as its rights. */
function toExecutable(
  { execute: run }: Pick<Calls, 'execute'>,
  { permission, caller, tool }: { permission: ToolPermission; caller: Caller; tool: Tool },
): ExecutableTool {
  const { name, description, inputSchema, server } = tool;
  async function execute(
    input: unknown,
    context: Pick<ToolRunContext, 'signal' | 'traceparent' | 'purse'>,
  ): Promise<ToolContent> {
    const { signal, traceparent, purse } = context;
    const outcome = await run({ caller: { ...caller, purse }, tool: name, input, signal, traceparent });
    return toContent(outcome);
  }
  return {
    metadata: {
      name,
      description,
      inputSchema,
      type: server ? 'mcp' : 'function',
      serverName: server?.name,
      requiresConfirmation: asksFor(permission, tool),
    },
    execute,
    run: async (input, context) => {
      const signal = context?.signal ?? new AbortController().signal;
      return [...(await execute(input, { signal })).content];
    },
  };
}

/** For a tool that cannot be called now: the model hears why, and the refusal is in the log. Undefined where there is nothing to say. */
function toRefusing(
  { tools, refuse }: Pick<Calls, 'refuse'> & { tools: ToolRegistry },
  caller: Caller,
  name: string,
): ExecutableTool | undefined {
  const why = decide(caller, { name, isForMembers: false }).allowed ? tools.whyAbsent(name) : undefined;
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
