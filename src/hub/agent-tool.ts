import type { Agent } from '../agents/agent.ts';
import { argumentsOf } from '../agents/arguments-of.ts';
import type { ExposedTool } from '../agents/exposes/exposed-tool.ts';
import { fillTemplate } from '../agents/exposes/fill-template.ts';
import { compileParameters, toJsonSchema } from '../agents/exposes/tool-schema.ts';
import type { OutputRule } from '../engine/run-agent-tool.ts';
import { refuseTooDeep } from '../tools/refuse-too-deep.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import { askAgent, askInSession, openSession, type Question } from './ask-agent.ts';
import { ResultCache, sortedJson } from './result-cache.ts';
import type { SharedSessions } from './shared-sessions.ts';

interface AgentToolParts extends Pick<Question, 'sessions' | 'clock'> {
  agent: Agent;
  definition: ExposedTool;
  shared: SharedSessions;
}

/** A tool that an agent exposes, as a tool of the pipeline: arguments are checked on its own schema before anything runs. */
export function agentTool({ sessions, clock, agent, definition, shared }: AgentToolParts): Tool {
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
