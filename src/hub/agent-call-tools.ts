import type { Agent } from '../agents/agent.ts';
import type { SourceProblem } from '../agents/agent-source.ts';
import { isAcceptedName, shortName } from '../base/short-name.ts';
import type { Hub } from '../hub.ts';
import type { ToolContent } from '../tools/content.ts';
import { defineTool, type Tool, type ToolContext } from '../tools/tool.ts';

type Parts = Pick<Hub, 'agents' | 'tools'> & {
  /** Loaded with the first call. */
  ask(
    agentId: string,
    call: { message: string; arguments: Record<string, string>; context: ToolContext },
  ): Promise<ToolContent>;
};

/** Keeps one tool `agent__{id}` in the registry for every autonomous agent. Its problems are names that others had already. */
export function agentCallTools(parts: Parts) {
  const { agents, tools } = parts;
  /** What the definition was made from, so that a new prompt changes no list. */
  let kept = new Map<string, { tool: Tool; from: string; place: string }>();
  let problems: SourceProblem[] = [];
  refresh();
  const stop = agents.changes.on(({ changed, removed }) => {
    if (changed.length > 0 || removed.length > 0) refresh();
  });
  return { problems: (): readonly SourceProblem[] => problems, close: stop };

  function refresh(): void {
    const next: typeof kept = new Map();
    for (const { agent, place } of agents.entries()) {
      if (agent.mode !== 'autonomous') continue;
      const from = JSON.stringify([agent.name, agent.description, agent.version, agent.arguments]);
      const known = kept.get(agent.id);
      const tool = known?.from === from ? known.tool : agentCallTool(agent, parts);
      next.set(agent.id, { tool, from, place });
    }
    const before = toTools(kept).filter((tool) => next.get(tool.agentId ?? '')?.tool !== tool);
    const after = toTools(next).filter((tool) => tools.find(tool.name) !== tool);
    kept = next;
    const refused = tools.exchange(before, after);
    problems = refused.map((tool) => ({
      agentId: tool.agentId ?? '',
      place: next.get(tool.agentId ?? '')?.place ?? '',
      message: `Other agents cannot call it: a tool from ${tools.find(tool.name)?.origin} is called "${tool.name}" already. Rename one of them.`,
    }));
  }
}

function toTools(kept: ReadonlyMap<string, { tool: Tool }>): Tool[] {
  return [...kept.values()].map(({ tool }) => tool);
}

/** The longest id is as long as the longest name. */
function callName(agentId: string): string {
  const whole = `agent__${agentId}`;
  return isAcceptedName(whole) ? whole : shortName(whole, agentId);
}

function agentCallTool(agent: Agent, { ask }: Parts): Tool {
  const { id, name, version } = agent;
  const about = agent.description === '' ? '' : ` ${agent.description}`;
  return {
    ...defineTool({
      name: callName(id),
      title: name,
      description: `Gives a task to the agent "${name}", which works on it alone and answers with text.${about}`,
      origin: `agent "${id}"`,
      input: { jsonSchema: inputSchema(agent) },
      run: (input, context) => {
        // As the schema says.
        const { message, arguments: given = {} } = input as { message: string; arguments?: Record<string, string> };
        return ask(id, { message, arguments: given, context });
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
