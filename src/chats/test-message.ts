import type { Agent } from '../agents/agent.ts';
import { fillTemplate } from '../agents/exposes/fill-template.ts';
import { compileParameters } from '../agents/exposes/tool-schema.ts';
import { HubError } from '../base/hub-error.ts';
import type { JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';

/** Returns the message that a call to the agent's tool would send. Throws UNKNOWN_TOOL, INVALID_ARGUMENTS. */
export function testMessage(agent: Agent, test: { tool: string; parameters: JsonObject }): string {
  const tool = agent.exposes.find(({ name }) => name === test.tool);
  if (!tool) throw unknownTool(agent, test.tool);
  compileParameters(tool.parameters)(test.parameters);
  return fillTemplate(tool.prompt, { tool, parameters: test.parameters });
}

/** Returns the template of one of the agent's tools: only what it names itself counts as a mention, as in a call. */
export function templateOf(agent: Agent, tool: string): string | undefined {
  return agent.exposes.find(({ name }) => name === tool)?.prompt;
}

function unknownTool(agent: Agent, name: string): HubError {
  const names = agent.exposes.map((tool) => tool.name);
  const close = nearest(name, names);
  const hint = close === undefined ? `It has: ${names.slice(0, 20).join(', ') || 'none'}.` : `Did you mean "${close}"?`;
  return new HubError('UNKNOWN_TOOL', `Agent "${agent.id}" has no saved tool "${name}". ${hint}`);
}
