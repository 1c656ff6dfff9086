import type { Agent } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import { argumentsOf } from '../agents/arguments-of.ts';
import type { ExposedTool } from '../agents/exposes/exposed-tool.ts';
import { fillTemplate } from '../agents/exposes/fill-template.ts';
import { compileParameters, toJsonSchema } from '../agents/exposes/tool-schema.ts';
import { HubError } from '../base/hub-error.ts';
import { untilAborted } from '../base/until-aborted.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import type { OutputRule } from '../engine/run-agent-tool.ts';
import type { Caller } from '../tools/caller.ts';
import { executeTool, type PipelineParts, type ToolCall, type ToolOutcome } from '../tools/execute-tool.ts';
import { refuseTooDeep } from '../tools/refuse-too-deep.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import type { ToolConnection } from '../tools/tool-client.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import { askAgent, askInSession, openSession, type Question } from './ask-agent.ts';
import { ResultCache, sortedJson } from './result-cache.ts';
import type { Sessions } from './sessions.ts';

/** A Tools-mode agent as it is now, with what others can call of it. */
export interface ServedAgent {
  readonly agent: Agent;
  /** What it exposes, as tools. */
  readonly tools: ToolRegistry;
  /** Who calls at the agent's own MCP address: in the log the agent is the persona, and what it exposes is all there is. */
  readonly caller: Caller;
  execute(call: ToolCall): Promise<ToolOutcome>;
}

interface ToolsModeParts {
  agents: AgentRegistry;
  sessions: Pick<Sessions, 'open'>;
  pipeline: PipelineParts;
}

interface Kept {
  entry: AgentEntry;
  served: ServedAgent;
  shared: SharedSessions;
}

/** Loads the tool definitions of agents, once for each revision; what was kept for the one before goes with it. */
export function createToolsMode(parts: ToolsModeParts) {
  const kept = new Map<string, Kept>();
  parts.agents.changes.on(({ removed }) => removed.forEach(forget));

  function forget(agentId: string): void {
    const known = kept.get(agentId);
    kept.delete(agentId);
    void known?.shared.close();
  }

  return {
    /** Returns the same object until the agent changes. Throws AGENT_NOT_FOUND, and INVALID_AGENT_STATE for an agent of another mode. */
    async serve(agentId: string): Promise<ServedAgent> {
      const entry = await parts.agents.get(agentId);
      const { agent } = entry;
      const known = kept.get(agent.id);
      if (known?.entry === entry) return known.served;
      forget(agent.id);
      if (agent.mode !== 'tools') throw otherMode(agent);
      const shared = new SharedSessions();
      const served = load(parts, agent, shared);
      kept.set(agent.id, { entry, served, shared });
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
    caller: { surface: 'mcp', scope: { agentId: agent.id, tools: agent.exposes.map(({ name }) => name) } },
    execute: (call) => executeTool(parts, call),
  };
}

function otherMode({ id, mode }: Agent): HubError {
  return new HubError(
    'INVALID_AGENT_STATE',
    `Agent "${id}" is in ${mode} mode and serves no tools of its own. Set its mode to "tools" and define what it exposes.`,
  );
}

interface AgentToolParts extends Pick<Question, 'sessions' | 'clock'> {
  agent: Agent;
  definition: ExposedTool;
  shared: SharedSessions;
}

/** A tool that an agent exposes, as a tool of the pipeline: arguments are checked on its own schema before anything runs. */
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
      input: { jsonSchema: schema },
      run: () => ({}),
    }),
    version,
    outputSchema: output?.schema,
    parse(given) {
      check ??= compileParameters(parameters);
      const input = given ?? {};
      check(input);
      return input;
    },
    async run(input, context) {
      // `parse` let only objects through.
      const values = input as Record<string, unknown>;
      refuseTooDeep(agent.id, context.caller.depth);
      // What an agent says in a conversation depends on what was said before.
      const isShared = agent.shareContext && context.client.connection !== undefined && !context.caller.depth;
      const key = cacheKey(definition, values);
      const known = isShared ? undefined : cache?.get(key);
      if (known) return known;
      const prompt = fillTemplate(definition.prompt, { tool: definition, parameters: values });
      const given = argumentsOf(agent, values);
      const question = { sessions, clock, agentId: agent.id, prompt, arguments: given, output, context };
      const { connection } = context.client;
      if (isShared && connection) {
        const { signal } = context;
        const open = () => openSession(question);
        return shared.use(connection, { signal, open, work: (session) => askInSession(question, session) });
      }
      const result = await askAgent(question);
      cache?.set(key, result);
      return result;
    },
  };
}

/** Equal arguments, whatever the order of their names; where the definition says which of them count, those. */
function cacheKey({ cache }: ExposedTool, values: Record<string, unknown>): string {
  if (!cache) return '';
  return sortedJson(cache.key ? cache.key.map((name) => (Object.hasOwn(values, name) ? [values[name]] : [])) : values);
}

function outputOf({ outputSchema }: ExposedTool): (OutputRule & { schema: Tool['outputSchema'] }) | undefined {
  if (!outputSchema) return undefined;
  return { schema: toJsonSchema(outputSchema), check: compileParameters(outputSchema) };
}

interface Shared {
  session: ChatSession | undefined;
  /** Ends when the call before the next one is answered. */
  turn: Promise<void>;
}

/** One conversation for each connection of a client: its calls follow each other, and it is closed with the connection. */
class SharedSessions {
  readonly #shared = new Map<ToolConnection, Shared>();

  /** Waits for its turn; the first call opens the session. Throws CANCELLED, and as `open` and `work` do. */
  async use<T>(
    connection: ToolConnection,
    call: { signal: AbortSignal; open(): Promise<ChatSession>; work(session: ChatSession): Promise<T> },
  ): Promise<T> {
    const shared = this.#shared.get(connection) ?? this.#share(connection);
    const { promise: answered, resolve: giveTurn } = Promise.withResolvers<void>();
    const myTurn = shared.turn;
    shared.turn = Promise.all([myTurn, answered]).then(() => {});
    try {
      await untilAborted(call.signal, () => myTurn);
      shared.session ??= await call.open();
      // The client left while it was opened: nobody else would close it.
      if (connection.signal.aborted) await shared.session.close();
      return await call.work(shared.session);
    } catch (error) {
      throw call.signal.aborted ? new HubError('CANCELLED', 'The call was cancelled.', { cause: error }) : error;
    } finally {
      giveTurn();
    }
  }

  /** Each one after the calls that wait for it. */
  async close(): Promise<void> {
    const all = [...this.#shared.values()];
    this.#shared.clear();
    await Promise.all(all.map((shared) => shared.turn.then(() => shared.session?.close())));
  }

  #share(connection: ToolConnection): Shared {
    const shared: Shared = { session: undefined, turn: Promise.resolve() };
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
