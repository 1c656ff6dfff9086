import { z } from 'zod';
import { defineReadingTool, type Tool } from '../tools/tool.ts';
import { Agent } from './agent.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { compilePrompt, enabledSkills } from './compile-prompt.ts';

const agentId = z.string().min(1).max(200);
const InjectedAgent = z.object({
  agentId: z.string(),
  agentName: z.string(),
  prompt: z.string().optional().describe('The compiled prompt (format "compiled").'),
  systemPrompt: z.string().optional().describe('Format "structured".'),
  skills: z
    .array(z.object({ id: z.string(), name: z.string(), description: z.string() }))
    .optional()
    .describe('The enabled skills (format "structured").'),
  messages: z
    .array(z.object({ role: z.string(), content: z.unknown() }))
    .optional()
    .describe("Messages with which the agent's script or code begins the conversation."),
  warnings: z.array(z.string()).optional(),
});
type InjectedAgent = z.infer<typeof InjectedAgent>;

/** The three tools that read agents: inject, list and get. */
export function agentTools(agents: AgentRegistry): Tool[] {
  return [
    defineReadingTool({
      name: 'agent_zoo_inject',
      title: 'Become an agent',
      description:
        "Returns an agent's compiled prompt. Take on the returned prompt as your instructions for the rest of the conversation. Call agent_zoo_list_agents first when you do not know the id.",
      input: z.strictObject({
        agentId: agentId.describe('Agent ID to inject.'),
        format: z
          .enum(['compiled', 'structured'])
          .default('compiled')
          .describe(
            "Output format. 'compiled' = single string prompt. 'structured' = JSON with systemPrompt + skills separate. Defaults to 'compiled'.",
          ),
        arguments: z
          .record(z.string().max(200), z.string().max(100_000))
          .optional()
          .describe("Values for the agent's own arguments, which agent_zoo_get_agent lists."),
      }),
      errorCodes: { format: 'INVALID_FORMAT' },
      output: InjectedAgent,
      run: async (input, context) => {
        const entry = await agents.get(input.agentId);
        const { agent, resolve } = entry;
        if (!resolve && agent.knowledge.length === 0 && !input.arguments) return injected(agent, input.format);
        // The agent's code may have effects, so the call is logged before it runs.
        if (resolve) await context.whenLogged();
        context.liftDeadline?.();
        // Agents with code build their own prompt, and priming searches run, whichever way an agent is used.
        const { signal, client } = context;
        const { system, messages } = await agents.resolveEntry(entry, input.arguments ?? {}, { signal, client });
        return {
          agentId: agent.id,
          agentName: agent.name,
          ...(input.format === 'compiled' ? { prompt: system } : { systemPrompt: system, skills: [] }),
          ...(messages.length > 0 && { messages }),
        };
      },
    }),
    defineReadingTool({
      name: 'agent_zoo_list_agents',
      title: 'List agents',
      description: 'Lists the agents that can be injected, with id and name.',
      input: z.strictObject({}),
      output: z.object({
        agents: z.array(z.object({ id: z.string(), name: z.string(), description: z.string().optional() })),
      }),
      run: async () => {
        await agents.refresh();
        return {
          agents: agents.list().map(({ id, name, description }) => ({ id, name, ...(description && { description }) })),
        };
      },
    }),
    defineReadingTool({
      name: 'agent_zoo_get_agent',
      title: 'Read an agent',
      description:
        'Returns the full configuration of an agent, uncompiled, for inspection. Use agent_zoo_inject to become the agent.',
      input: z.strictObject({ agentId: agentId.describe('Agent ID to retrieve.') }),
      output: ShownAgent,
      run: async (input) => (await agents.get(input.agentId)).agent,
    }),
  ];
}

/** Describes only the common fields of exposed tools: a schema of their schemas would be longer than everything else. */
const ShownAgent = z.strictObject({
  ...Agent.shape,
  exposes: z.array(z.looseObject({ name: z.string(), description: z.string(), prompt: z.string() })),
});

const injectedByFormat = {
  compiled: new WeakMap<Agent, InjectedAgent>(),
  structured: new WeakMap<Agent, InjectedAgent>(),
};

/** Returns the same frozen object for the same agent, so that surfaces can cache its bytes. */
function injected(agent: Agent, format: 'compiled' | 'structured'): InjectedAgent {
  const known = injectedByFormat[format].get(agent);
  if (known) return known;
  const compiled = compilePrompt(agent);
  const injected: InjectedAgent = Object.freeze({
    agentId: agent.id,
    agentName: agent.name,
    ...(format === 'compiled'
      ? { prompt: compiled.text }
      : {
          systemPrompt: agent.systemPrompt,
          skills: enabledSkills(agent).map(({ id, name, description }) => ({ id, name, description })),
        }),
    ...(compiled.warnings.length > 0 && { warnings: compiled.warnings }),
  });
  injectedByFormat[format].set(agent, injected);
  return injected;
}
