import type { Agent } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { isAcceptedName, shortName } from '../base/short-name.ts';
import { defineTool, type Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-source.ts';
import type { Question } from './ask-agent.ts';

interface Parts extends Pick<Question, 'sessions' | 'clock'> {
  agents: AgentRegistry;
}

/** One tool `agent__{id}` for every autonomous agent. */
export function agentCallTools(parts: Parts): ToolSource {
  const { agents } = parts;
  /** What the definition was made from, so that a new prompt changes no list. */
  let kept = new Map<string, { tool: Tool; from: string }>();
  return {
    snapshot() {
      const next: typeof kept = new Map();
      for (const agent of agents.list()) {
        if (agent.mode !== 'autonomous') continue;
        const from = JSON.stringify([agent.name, agent.description, agent.version, agent.arguments]);
        const known = kept.get(agent.id);
        next.set(agent.id, known?.from === from ? known : { tool: agentCallTool(agent, parts), from });
      }
      kept = next;
      return { entries: [...kept.values()].map(({ tool }) => tool), problems: [] };
    },
    watch: (onChange) =>
      agents.changes.on(({ changed, removed }) => {
        if (changed.length > 0 || removed.length > 0) onChange();
      }),
    describeTaken: (taken) =>
      taken.map(({ tool: { name, agentId = '' }, holder }) => ({
        agentId,
        place: agents.findEntry(agentId)?.place ?? '',
        message: `Other agents cannot call it: a tool from ${holder.origin} is called "${name}" already. Rename one of them.`,
      })),
  };
}

/** The longest id is as long as the longest name. */
function callName(agentId: string): string {
  const whole = `agent__${agentId}`;
  return isAcceptedName(whole) ? whole : shortName(whole, agentId);
}

function agentCallTool(agent: Agent, { sessions, clock }: Parts): Tool {
  const { id, name, version } = agent;
  const about = agent.description === '' ? '' : ` ${agent.description}`;
  return {
    ...defineTool({
      name: callName(id),
      title: name,
      description: `Gives a task to the agent "${name}", which works on it alone and answers with text.${about}`,
      origin: `agent "${id}"`,
      input: { jsonSchema: inputSchema(agent) },
      run: async (input, context) => {
        // As the schema says.
        const { message, arguments: given = {} } = input as { message: string; arguments?: Record<string, string> };
        const { askAgent } = await import('./ask-agent.ts');
        return askAgent({ sessions, clock, agentId: id, prompt: message, arguments: given, context });
      },
    }),
    agentId: id,
    version,
  };
}

/** A conversation cannot be continued: nothing of a headless session is kept. */
function inputSchema(agent: Agent) {
  const message = {
    type: 'string',
    minLength: 1,
    description: 'The task, with all that the agent must know: it sees nothing else of the conversation.',
  };
  const properties = Object.fromEntries(
    agent.arguments.map(({ name, description }) => [name, { type: 'string', description }]),
  );
  const required = agent.arguments.filter((each) => each.required).map(({ name }) => name);
  const given = { type: 'object', properties, required, additionalProperties: false };
  return {
    type: 'object',
    properties: { message, ...(agent.arguments.length > 0 && { arguments: given }) },
    required: required.length > 0 ? ['message', 'arguments'] : ['message'],
    additionalProperties: false,
  };
}
