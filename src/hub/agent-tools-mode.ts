import { type Agent, servesTools } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import { argumentsOf } from '../agents/check-arguments.ts';
import type { ExposedTool } from '../agents/exposes/exposed-tool.ts';
import { fillTemplate } from '../agents/exposes/fill-template.ts';
import { compileParameters, toJsonSchema } from '../agents/exposes/tool-schema.ts';
import { untilAborted } from '../base/abort.ts';
import { HubError } from '../base/hub-error.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import type { OutputRule } from '../engine/run-agent-tool.ts';
import { type Caller, refuseTooDeep } from '../tools/caller.ts';
import { executeTool, type PipelineParts, type ToolOutcome } from '../tools/execute-tool.ts';
import type { RunReading } from '../tools/outside-text.ts';
import type { ToolCall } from '../tools/run-tool.ts';
import { callsAgent, defineTool, type Tool } from '../tools/tool.ts';
import type { ToolConnection } from '../tools/tool-client.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { askAgent, askInSession, openSession, type Question } from './ask-agent.ts';
import { ResultCache, sortedJson } from './result-cache.ts';
import type { Sessions } from './sessions.ts';

/** The current version of a Tools-mode agent, and the tools it exposes. */
export interface ServedAgent {
  readonly agent: Agent;
  /** The tools that the agent exposes. */
  readonly tools: ToolRegistry;
  /** The caller at the agent's own MCP address: logged under the agent's name, and limited to the tools it exposes. */
  readonly caller: Caller;
  execute(call: ToolCall): Promise<ToolOutcome>;
}

interface ToolsModeParts {
  agents: AgentRegistry;
  sessions: Pick<Sessions, 'open'>;
  pipeline: PipelineParts;
}

interface CachedAgent {
  entry: AgentEntry;
  served: ServedAgent;
  shared: SharedSessions;
}

/** Loads the tools of Tools-mode agents, once per revision. A new revision drops the sessions and caches of the previous one. */
export function createToolsMode(parts: ToolsModeParts) {
  const cached = new Map<string, CachedAgent>();
  parts.agents.changes.on(({ removed }) => removed.forEach(forget));

  function forget(agentId: string): void {
    const known = cached.get(agentId);
    cached.delete(agentId);
    void known?.shared.close();
  }

  return {
    /** Returns the same object until the agent changes. Throws AGENT_NOT_FOUND, and INVALID_AGENT_STATE for an agent of another mode. */
    async serve(agentId: string): Promise<ServedAgent> {
      const entry = await parts.agents.get(agentId);
      const { agent } = entry;
      const known = cached.get(agent.id);
      if (known?.entry === entry) return known.served;
      forget(agent.id);
      if (!servesTools(agent)) throw otherMode(agent);
      const shared = new SharedSessions();
      const served = load(parts, agent, shared);
      cached.set(agent.id, { entry, served, shared });
      return served;
    },
  };
}

function load({ sessions, pipeline }: ToolsModeParts, agent: Agent, shared: SharedSessions): ServedAgent {
  const { clock } = pipeline;
  const tools = new ToolRegistry();
  tools.register(...agent.exposes.map((definition) => agentTool({ sessions, clock, agent, definition, shared })));
  const parts = { ...pipeline, tools };
  return {
    agent,
    tools,
    // Who may call a Tools-mode agent at all is decided before. A name that the agent does not expose is unknown, not forbidden.
    caller: { surface: 'mcp', kind: 'client', right: 'work', scope: { agentId: agent.id, tools: ['*'] } },
    execute: (call) => executeTool(parts, call),
  };
}

function otherMode({ id, mode }: Agent): HubError {
  return new HubError(
    'INVALID_AGENT_STATE',
    `Agent "${id}" is in ${mode} mode and exposes no tools. Define the tools it exposes, and set its mode to "tools" or "autonomous".`,
  );
}

interface AgentToolParts extends Pick<Question, 'sessions' | 'clock'> {
  agent: Agent;
  definition: ExposedTool;
  shared: SharedSessions;
}

/** Turns a tool definition of an agent into a tool of the hub. Input is checked against its schema before the agent runs. */
function agentTool({ sessions, clock, agent, definition, shared }: AgentToolParts): Tool {
  const { name, description, parameters, version } = definition;
  const schema = toJsonSchema(parameters);
  const output = outputOf(definition);
  const cache = definition.cache && new ResultCache(definition.cache.seconds, clock);
  let check: ((value: unknown) => void) | undefined;
  return {
    ...defineTool({
      name,
      description,
      origin: `agent "${agent.id}"`,
      right: 'work',
      ...callsAgent,
      input: { jsonSchema: schema },
      run: () => ({}),
    }),
    version,
    outputSchema: output?.schema,
    parse(raw) {
      check ??= compileParameters(parameters);
      const input = raw ?? {};
      check(input);
      return input;
    },
    async run(input, context) {
      // `parse` accepts only objects.
      const values = input as Record<string, unknown>;
      refuseTooDeep(agent.id, context.caller.depth);
      // Answers in a shared conversation depend on earlier messages, so they are not cached.
      const isShared = agent.shareContext && context.client.connection !== undefined && !context.caller.depth;
      const key = cacheKey(definition, values);
      const known = isShared ? undefined : cache?.get(key);
      const { reading } = context.caller;
      if (known) {
        for (const source of known.outside) reading?.add(source);
        return known.result;
      }
      const prompt = fillTemplate(definition.prompt, { tool: definition, parameters: values });
      const args = argumentsOf(agent, values);
      // A caller's values are data: only the template itself names rules and references.
      const mentionsIn = definition.prompt;
      const question = { sessions, clock, agentId: agent.id, prompt, mentionsIn, arguments: args, output, context };
      const { connection } = context.client;
      if (isShared && connection) {
        const { signal } = context;
        const open = () => openSession(question);
        return shared.use(connection, { signal, open, work: (session) => askInSession(question, session) });
      }
      const read = new Set<string>();
      const caller = { ...context.caller, reading: collectInto(read, reading) };
      const result = await askAgent({ ...question, context: { ...context, caller } });
      cache?.set(key, { result, outside: [...read] });
      return result;
    },
  };
}

/** Passes on what an agent has read from outside, and collects it for the cache, because callers that get the cached answer must be told, too. */
function collectInto(read: Set<string>, reading: RunReading | undefined): RunReading {
  return {
    get sources() {
      return reading?.sources ?? [];
    },
    add(source) {
      read.add(source);
      reading?.add(source);
    },
  };
}

/** Returns the same key for equal arguments in any order. The definition can limit which arguments count. */
function cacheKey({ cache }: ExposedTool, values: Record<string, unknown>): string {
  if (!cache) return '';
  return sortedJson(cache.key ? cache.key.map((name) => (Object.hasOwn(values, name) ? [values[name]] : [])) : values);
}

function outputOf({ outputSchema }: ExposedTool): (OutputRule & { schema: Tool['outputSchema'] }) | undefined {
  if (!outputSchema) return undefined;
  return { schema: toJsonSchema(outputSchema), check: compileParameters(outputSchema) };
}

interface SharedSession {
  session: ChatSession | undefined;
  /** Resolves when all earlier calls have ended. */
  turn: Promise<void>;
}

/** Keeps one session per client connection. Calls on a connection run one after another; the session closes with the connection. */
class SharedSessions {
  readonly #shared = new Map<ToolConnection, SharedSession>();

  /** Waits for earlier calls, opens the session if needed, and runs `work`. Throws CANCELLED, and whatever `open` and `work` throw. */
  async use<T>(
    connection: ToolConnection,
    call: { signal: AbortSignal; open(): Promise<ChatSession>; work(session: ChatSession): Promise<T> },
  ): Promise<T> {
    const shared = this.#shared.get(connection) ?? this.#share(connection);
    const { promise: ended, resolve: endTurn } = Promise.withResolvers<void>();
    const myTurn = shared.turn;
    shared.turn = Promise.all([myTurn, ended]).then(() => {});
    try {
      await untilAborted(call.signal, () => myTurn);
      shared.session ??= await call.open();
      // The client disconnected while the session was being opened, so nothing else would close it.
      if (connection.signal.aborted) await shared.session.close();
      return await call.work(shared.session);
    } catch (error) {
      throw call.signal.aborted ? new HubError('CANCELLED', 'The call was cancelled.', { cause: error }) : error;
    } finally {
      endTurn();
    }
  }

  /** Closes each session after its waiting calls have ended. */
  async close(): Promise<void> {
    const all = [...this.#shared.values()];
    this.#shared.clear();
    await Promise.all(all.map((shared) => shared.turn.then(() => shared.session?.close())));
  }

  #share(connection: ToolConnection): SharedSession {
    const shared: SharedSession = { session: undefined, turn: Promise.resolve() };
    this.#shared.set(connection, shared);
    const end = () => {
      if (this.#shared.get(connection) === shared) this.#shared.delete(connection);
      void shared.session?.close();
    };
    if (connection.signal.aborted) end();
    else connection.signal.addEventListener('abort', end, { once: true });
    return shared;
  }
}
