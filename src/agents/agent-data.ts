import { HubError } from '../base/hub-error.ts';
import { fieldIssues, parseWith } from '../base/validate.ts';
import { Agent } from './agent.ts';
import { ExposedTool } from './exposes/exposed-tool.ts';

const worthCompiling = 100;
let checked = 0;

export function toAgentData(agent: Agent): string {
  return JSON.stringify({ ...agent, source: 'store' });
}

/** Parses a stored agent. Throws AGENT_ERROR if it does not match this version's shape. */
export function parseAgentData(id: string, data: string): Agent {
  return readAgentData(id, data).agent;
}

/** Like `parseAgentData`, but leaves out invalid tools and describes them in `problem`. */
export function readAgentData(id: string, data: string): { agent: Agent; problem: string | undefined } {
  const what = `The stored agent "${id}" is invalid`;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (error) {
    throw new HubError('AGENT_ERROR', `${what}: it is not valid JSON`, { cause: error });
  }
  // Without zod's compiled checks: compiling them takes longer than they save here.
  checked += 1;
  const result = Agent.safeParse(value, { jitless: checked < worthCompiling });
  const { kept, problem } = result.success ? { kept: value } : withoutBrokenTools(id, value);
  const agent = result.success ? result.data : parseWith(Agent, kept, { code: 'AGENT_ERROR', what });
  if (agent.id !== id) throw new HubError('AGENT_ERROR', `${what}: its data names the id "${agent.id}"`);
  return { agent, problem };
}

/** Removes invalid tools. Earlier versions accepted any schema and template, and one bad tool must not disable the agent. */
function withoutBrokenTools(id: string, value: unknown): { kept: unknown; problem?: string | undefined } {
  if (typeof value !== 'object' || value === null || !('exposes' in value)) return { kept: value };
  if (!Array.isArray(value.exposes)) return { kept: value };
  const problems: string[] = [];
  const exposes = value.exposes.filter((tool: unknown, index) => {
    const { error } = ExposedTool.safeParse(tool);
    const issues = error ? fieldIssues(error).map(({ path, message }) => `exposes[${index}].${path}: ${message}`) : [];
    problems.push(...issues);
    return error === undefined;
  });
  if (problems.length === 0) return { kept: value };
  const problem =
    `Invalid tools of the stored agent "${id}" are left out: ${problems.join('; ').replace(/\.$/, '')}. ` +
    'Saving the agent removes them; its versions keep them.';
  return { kept: { ...value, exposes }, problem: problem.slice(0, 1_000) };
}
