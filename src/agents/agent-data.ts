import { HubError } from '../base/hub-error.ts';
import { fieldIssues, parseWith } from '../base/validate.ts';
import { Agent } from './agent.ts';
import { ExposedTool } from './exposes/exposed-tool.ts';

const minParsesToCompile = 100;
let parseCount = 0;

/** The columns of a stored agent. Processes of earlier versions refuse `data` with fields that they do not know. */
export interface AgentData {
  data: string;
  /** Null if there are none. */
  tags: string | null;
}

/** The id and the name come first: lists of versions read only the beginning. */
export function toAgentData({ tags, id, name, ...agent }: Agent): AgentData {
  return {
    data: JSON.stringify({ id, name, ...agent, source: 'store' }),
    tags: tags.length === 0 ? null : JSON.stringify(tags),
  };
}

/** Parses a stored agent. Throws AGENT_ERROR if it does not match this version's shape. */
export function parseAgentData(id: string, stored: AgentData): Agent {
  return readAgentData(id, stored).agent;
}

/** Like `parseAgentData`, but leaves out invalid tools and describes them in `problem`. */
export function readAgentData(id: string, { data, tags }: AgentData): { agent: Agent; problem: string | undefined } {
  const what = `The stored agent "${id}" is invalid`;
  let value: unknown;
  try {
    const fields: unknown = JSON.parse(data);
    value = tags === null || typeof fields !== 'object' ? fields : { ...fields, tags: JSON.parse(tags) };
  } catch (error) {
    throw new HubError('AGENT_ERROR', `${what}: it is not valid JSON`, { cause: error });
  }
  // Compiling zod's checks pays off only after many agents.
  parseCount += 1;
  const result = Agent.safeParse(value, { jitless: parseCount < minParsesToCompile });
  const { usable, problem } = result.success ? { usable: value } : withoutBrokenTools(id, value);
  const agent = result.success ? result.data : parseWith(Agent, usable, { code: 'AGENT_ERROR', what });
  if (agent.id !== id) throw new HubError('AGENT_ERROR', `${what}: its data names the id "${agent.id}"`);
  return { agent, problem };
}

/** Removes invalid tools. Earlier versions accepted any schema and template, and one bad tool must not disable the agent. */
function withoutBrokenTools(id: string, value: unknown): { usable: unknown; problem?: string | undefined } {
  if (typeof value !== 'object' || value === null || !('exposes' in value)) return { usable: value };
  if (!Array.isArray(value.exposes)) return { usable: value };
  const problems: string[] = [];
  const exposes = value.exposes.filter((tool: unknown, index) => {
    const { error } = ExposedTool.safeParse(tool);
    const issues = error ? fieldIssues(error).map(({ path, message }) => `exposes[${index}].${path}: ${message}`) : [];
    problems.push(...issues);
    return error === undefined;
  });
  if (problems.length === 0) return { usable: value };
  const problem =
    `Left out invalid tools of the stored agent "${id}": ${problems.join('; ').replace(/\.$/, '')}. ` +
    'Saving the agent removes them; its versions keep them.';
  return { usable: { ...value, exposes }, problem: problem.slice(0, 1_000) };
}
