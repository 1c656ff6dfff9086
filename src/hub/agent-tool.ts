import type { Agent } from '../agents/agent.ts';
import type { ExposedTool } from '../agents/exposed-tool.ts';
import { fillTemplate } from '../agents/fill-template.ts';
import { compileParameters, toJsonSchema } from '../agents/tool-schema.ts';
import { HubError } from '../base/hub-error.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import { type OutputRule, runAgentTool } from '../engine/run-agent-tool.ts';
import type { Hub } from '../hub.ts';
import type { ToolContent } from '../tools/content.ts';
import { defineTool, type Tool, type ToolContext } from '../tools/tool.ts';
import { ResultCache, sortedJson } from './result-cache.ts';
import type { SharedSessions } from './shared-sessions.ts';

/** Agents that call each other, or themselves, through however many hubs, come to an end. */
const deepest = 5;

interface AgentToolParts {
  hub: Hub;
  agent: Agent;
  definition: ExposedTool;
  shared: SharedSessions;
}

/** A tool that an agent exposes, as a tool of the pipeline: arguments are checked on its own schema before anything runs. */
export function agentTool({ hub, agent, definition, shared }: AgentToolParts): Tool {
  const { name, description, parameters, version } = definition;
  const schema = toJsonSchema(parameters);
  const output = outputOf(definition);
  const cache = definition.cache && new ResultCache(definition.cache.seconds, hub.clock);
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
      refuseTooDeep(agent, context);
      // What an agent says in a conversation depends on what was said before.
      const isShared = agent.shareContext && context.client.connection !== undefined && !context.caller.depth;
      const key = cacheKey(definition, values);
      const known = isShared ? undefined : cache?.get(key);
      if (known) return known;
      const prompt = fillTemplate(definition.prompt, { tool: definition, parameters: values });
      const call = { hub, agent, values, prompt, output, context };
      const { connection } = context.client;
      if (isShared && connection) {
        const { signal } = context;
        return shared.use(connection, { signal, open: () => open(call), work: (session) => ask(call, session) });
      }
      const result = await askOnce(call);
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

interface Call {
  hub: Hub;
  agent: Agent;
  values: Record<string, unknown>;
  prompt: string;
  output: (OutputRule & { schema: Tool['outputSchema'] }) | undefined;
  context: ToolContext;
}

/** In a session of its own, which ends with the call. */
async function askOnce(call: Call): Promise<ToolContent> {
  const session = await open(call);
  try {
    return await ask(call, session);
  } finally {
    await session.close();
  }
}

async function open({ hub, agent, values, context }: Call): Promise<ChatSession> {
  const sessions = await hub.sessions();
  const { signal, caller } = context;
  const depth = (caller.depth ?? 0) + 1;
  try {
    const given = argumentsOf(agent, values);
    return await sessions.open({ agentId: agent.id, kind: 'headless', arguments: given, depth, signal });
  } catch (error) {
    // The arguments of the call were right: what is wrong is the agent.
    if (!(error instanceof HubError) || error.code !== 'INVALID_ARGUMENTS') throw error;
    throw new HubError('AGENT_ERROR', `Agent "${agent.id}" cannot answer: ${error.message}`, { cause: error });
  }
}

function ask({ hub, prompt, output, context }: Call, session: ChatSession): Promise<ToolContent> {
  const { client, signal, traceparent } = context;
  return runAgentTool({ session, prompt, output, client, signal, traceparent, clock: hub.clock });
}

/** A parameter with the name of one of the agent's own arguments is its value. */
function argumentsOf(agent: Agent, values: Record<string, unknown>): Record<string, string> {
  const given = agent.arguments.filter(({ name }) => Object.hasOwn(values, name));
  return Object.fromEntries(given.map(({ name }) => [name, toText(values[name])]));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function outputOf({ outputSchema }: ExposedTool): Call['output'] {
  if (!outputSchema) return undefined;
  return { schema: toJsonSchema(outputSchema), check: compileParameters(outputSchema) };
}

function refuseTooDeep({ id }: Agent, { caller }: ToolContext): void {
  if ((caller.depth ?? 0) < deepest) return;
  throw new HubError(
    'AGENT_ERROR',
    `Agents called each other ${deepest} deep, and agent "${id}" would be the next: the call was refused, because it would not end. Take the tool that leads back out of the scope of one of them.`,
  );
}
