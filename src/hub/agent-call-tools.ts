import { type Agent, actsUnasked, speaksA2a } from '../agents/agent.ts';
import type { AgentRegistry } from '../agents/agent-registry.ts';
import { isAcceptedName, shortName } from '../base/short-name.ts';
import { callsAgent, defineTool, type Tool } from '../tools/tool.ts';
import type { ToolSource } from '../tools/tool-registry.ts';
import type { Question } from './ask-agent.ts';

interface Parts extends Pick<Question, 'sessions' | 'clock'> {
  agents: AgentRegistry;
}

/** One tool `agent__{id}` for each autonomous agent. */
export function agentCallTools(parts: Parts): ToolSource {
  const { agents } = parts;
  /** Reuses a tool while its definition is unchanged, so that editing a prompt does not change the tool list. */
  let cached = new Map<string, { tool: Tool; from: string }>();
  return {
    snapshot() {
      const next: typeof cached = new Map();
      for (const agent of agents.list()) {
        if (!speaksA2a(agent)) continue;
        const { name, description, version, arguments: args } = agent;
        const from = JSON.stringify([name, description, version, args, actsUnasked(agent)]);
        const known = cached.get(agent.id);
        next.set(agent.id, known?.from === from ? known : { tool: agentCallTool(agent, parts), from });
      }
      cached = next;
      return { entries: [...cached.values()].map(({ tool }) => tool), problems: [] };
    },
    watch: (onChange) =>
      agents.changes.on(({ changed, removed }) => {
        if (changed.length > 0 || removed.length > 0) onChange();
      }),
    describeTaken: (taken) =>
      taken.map(({ tool: { name, agentId = '' }, holder }) => ({
        agentId,
        place: agents.findEntry(agentId)?.definedIn ?? '',
        message: `Other agents cannot call this agent, because ${holder.origin} already has a tool named "${name}". Rename one of them.`,
      })),
  };
}

/** Returns the tool name, shortened if id and prefix together exceed the maximum length of a name. */
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
      description: `Gives a task to the agent "${name}", which works on it independently and returns a text.${about}`,
      origin: `agent "${id}"`,
      right: 'work',
      ...callsAgent,
      requiresApproval: actsUnasked(agent),
      input: { jsonSchema: inputSchema(agent) },
      run: async (input, context) => {
        // The schema guarantees this shape.
        const { message, arguments: args = {} } = input as { message: string; arguments?: Record<string, string> };
        const { askAgent } = await import('./ask-agent.ts');
        return askAgent({ sessions, clock, agentId: id, prompt: message, arguments: args, context });
      },
    }),
    agentId: id,
    version,
  };
}

/** Has no field to continue a conversation: each call has a session of its own. */
function inputSchema(agent: Agent) {
  const message = {
    type: 'string',
    minLength: 1,
    description: 'The task, with everything the agent needs to know: it cannot see the rest of the conversation.',
  };
  const properties = Object.fromEntries(
    agent.arguments.map(({ name, description }) => [name, { type: 'string', description }]),
  );
  const required = agent.arguments.filter((each) => each.required).map(({ name }) => name);
  const args = { type: 'object', properties, required, additionalProperties: false };
  return {
    type: 'object',
    properties: { message, ...(agent.arguments.length > 0 && { arguments: args }) },
    required: required.length > 0 ? ['message', 'arguments'] : ['message'],
    additionalProperties: false,
  };
}
