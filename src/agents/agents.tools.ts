import { z } from 'zod';
import type { JsonObject } from '../base/json.ts';
import { type ContentBlock, ToolContent } from '../tools/content.ts';
import { defineReadingTool, type Tool, type ToolContext } from '../tools/tool.ts';
import { Agent } from './agent.ts';
import type { AgentRegistry } from './agent-registry.ts';
import { compilePrompt, enabledSkills, systemText } from './compile-prompt.ts';
import { ContextItem } from './context.contract.ts';
import { contextLinks, contextWarnings } from './deliver-context.ts';
import type { SuggestAgent } from './workspaces.ts';

/** Models like to add spaces. */
const agentId = z.string().trim().min(1).max(200);
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
  context: z
    .array(ContextItem.extend({ text: z.string().optional().describe('Its text, in format "structured".') }))
    .optional()
    .describe("The agent's files and pages. The compiled prompt contains the embedded ones; the others are links."),
  warnings: z.array(z.string()).optional(),
});
type InjectedAgent = z.infer<typeof InjectedAgent>;
type Item = NonNullable<InjectedAgent['context']>[number];

/** The three tools that read agents: inject, list and get. */
export function agentTools(agents: AgentRegistry, suggest: SuggestAgent = async () => undefined): Tool[] {
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
        const { signal, client } = context;
        const isPlain = !resolve && agent.knowledge.length === 0 && !input.arguments;
        if (isPlain && agent.contextRefs.length === 0) return injected(agent, input.format);
        // The agent's code may have effects, so the call is logged before it runs.
        if (resolve) await context.whenLogged();
        context.liftDeadline?.();
        if (isPlain && input.format === 'structured') {
          const delivered = await agents.context(agent, signal);
          noteOutside(context, delivered?.outside);
          const items = delivered?.items.map((item, index) => {
            const text = delivered.texts.get(index);
            return { ...item, ...(text !== undefined && { text }) };
          });
          return withContext(injected(agent, 'structured'), items);
        }
        // Agents with code build their own prompt, and priming searches run, whichever way an agent is used.
        const prompt = await agents.resolveEntry(entry, input.arguments ?? {}, { signal, client, isInjection: true });
        noteOutside(context, prompt.outside);
        const { system, messages } = prompt;
        const { warnings } = isPlain ? injected(agent, 'compiled') : {};
        const result = {
          agentId: agent.id,
          agentName: agent.name,
          ...(input.format === 'compiled' ? { prompt: system } : { systemPrompt: system, skills: [] }),
          ...(messages.length > 0 && { messages }),
          ...(warnings && { warnings }),
        };
        return withContext(result, prompt.context);
      },
    }),
    defineReadingTool({
      name: 'agent_zoo_list_agents',
      title: 'List agents',
      description:
        'Lists the agents that can be injected, with id and name. One may be marked as suggested: it is the default of the folder you work in.',
      input: z.strictObject({}),
      output: z.object({
        agents: z.array(
          z.object({
            id: z.string(),
            name: z.string(),
            description: z.string().optional(),
            suggested: z.literal(true).optional(),
          }),
        ),
      }),
      run: async (_input, { client, signal }) => {
        await agents.refresh();
        const suggested = await suggest(client, signal);
        return {
          agents: agents.list().map(({ id, name, description }) => ({
            id,
            name,
            ...(description && { description }),
            ...(id === suggested && { suggested: true as const }),
          })),
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
          systemPrompt: systemText(agent),
          skills: enabledSkills(agent).map(({ id, name, description }) => ({ id, name, description })),
        }),
    ...(compiled.warnings.length > 0 && { warnings: compiled.warnings }),
  });
  injectedByFormat[format].set(agent, injected);
  return injected;
}

/** A run that injects an agent has read what the prompt contains. */
function noteOutside({ caller }: ToolContext, sources: readonly string[] = []): void {
  for (const source of sources) caller.reading?.add(source);
}

/** Adds what became of the agent's context, and its links as content that clients can open. */
function withContext(result: InjectedAgent, items: readonly Item[] | undefined): InjectedAgent | ToolContent {
  if (!items) return result;
  const warnings = [...(result.warnings ?? []), ...contextWarnings(items)];
  const whole = { ...result, context: [...items], ...(warnings.length > 0 && { warnings }) };
  const links = contextLinks(items);
  if (links.length === 0) return whole;
  const text: ContentBlock = { type: 'text', text: JSON.stringify(whole) };
  // The fields of an injected agent are JSON.
  return new ToolContent([text, ...links], { structuredContent: whole as unknown as JsonObject });
}
