import { z } from 'zod';
import { withoutFields } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { defaultJsonLimits, type JsonLimits } from '../base/json.ts';
import { parseWith } from '../base/validate.ts';
import { AgentInput } from './agent.ts';
import { type CheckedAgent, createChecked, createWithFreeId, type EditingParts } from './edit-agents.ts';

/** The maximum size of an import. It is larger than for other input, because a hub must be able to read any export. */
export const importLimits: JsonLimits = {
  maxCharacters: 64 * 1024 * 1024,
  maxDepth: defaultJsonLimits.maxDepth,
  maxElements: 5_000_000,
};
const maxAttempts = 10;

/** An export of agents that another hub can import. */
export const AgentExport = z.strictObject({
  format: z.literal('agent-zoo/agents'),
  version: z.literal(1),
  exportedAt: z.iso.datetime().optional(),
  agents: z.array(z.unknown()),
});
export type AgentExport = z.infer<typeof AgentExport>;

export const OnTakenId = z.enum(['rename', 'skip', 'replace']);
export type OnTakenId = z.infer<typeof OnTakenId>;

/** Fields that the API adds to agents. Requests may send them back; they are ignored. */
export const readOnlyFields = ['source', 'revision', 'createdAt', 'updatedAt', 'place', 'editable'];

export const ImportReport = z.object({
  created: z.array(z.string()),
  renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  replaced: z.array(z.string()),
  skipped: z.array(z.string()),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** Exports all agents, or the named ones. Throws AGENT_NOT_FOUND. */
export async function exportAgents(
  parts: EditingParts,
  choice: { ids?: readonly string[] | undefined; now: number },
): Promise<AgentExport> {
  await parts.agents.refresh();
  const ids = new Set(choice.ids ?? parts.agents.list().map((agent) => agent.id));
  const agents = await Promise.all(
    [...ids].map(async (id) => {
      const { source: _, ...fields } = (await parts.agents.get(id)).agent;
      return fields;
    }),
  );
  return { format: 'agent-zoo/agents', version: 1, exportedAt: new Date(choice.now).toISOString(), agents };
}

/** An agent of an import that may do more than most agents. The user decides before it is saved. */
export interface BroadAgent {
  name: string;
  /** What it may do. Each text completes the sentence "It …". */
  powers: string[];
}

/**
 * Returns the agents of an import that may call every tool, or every tool of all servers, or that call tools without asking. Skips
 * whatever is not a valid agent, because importing it fails.
 */
export function broadAgents(document: unknown): BroadAgent[] {
  const agents = importedAgents(document);
  return agents.flatMap((agent) => {
    const { data } = AgentInput.safeParse(withoutFields(agent, readOnlyFields));
    const powers = data ? powersOf(data) : [];
    return data && powers.length > 0 ? [{ name: data.name, powers }] : [];
  });
}

function powersOf({ tools, toolPermission }: Pick<CheckedAgent, 'tools' | 'toolPermission'>): string[] {
  const reach = tools.some((pattern) => /^\*+$/.test(pattern))
    ? 'may call every tool of this hub (tools: "*")'
    : tools.some((pattern) => /^mcp__\*+$/.test(pattern))
      ? 'may call every tool of all servers (tools: "mcp__*")'
      : undefined;
  const asking =
    toolPermission === 'never' ? 'calls its tools without asking you (tool_permission: "never")' : undefined;
  return [reach, asking].filter((each) => each !== undefined);
}

/** Imports an export, one agent, or a list of agents. Validates everything before writing anything. */
export async function importAgents(
  parts: EditingParts,
  document: unknown,
  onTakenId: OnTakenId = 'rename',
): Promise<ImportReport> {
  const inputs = importedAgents(document).map((agent, index) =>
    parseWith(AgentInput, withoutFields(agent, readOnlyFields), { what: `agents[${index}]` }),
  );
  await parts.agents.refresh();
  if (onTakenId === 'replace') refuseFileAgents(parts, inputs);
  const report: ImportReport = { created: [], renamed: [], replaced: [], skipped: [] };
  for (const input of inputs) await importOne(parts, input, { onTakenId, report });
  return report;
}

/** Looks again if another writer took or freed the id between looking and writing. */
async function importOne(
  parts: EditingParts,
  input: CheckedAgent,
  { onTakenId, report }: { onTakenId: OnTakenId; report: ImportReport },
): Promise<void> {
  const { id, ...fields } = input;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (id === undefined || !(await isTaken(parts, id))) {
        report.created.push((await createChecked(parts, input)).agent.id);
      } else if (onTakenId === 'skip') {
        report.skipped.push(id);
      } else if (onTakenId === 'replace') {
        await parts.agentStore.update({ ...fields, id, source: 'store' }, null);
        report.replaced.push(id);
      } else {
        const { agent } = await createWithFreeId(parts, fields, id);
        report.renamed.push({ from: id, to: agent.id });
      }
      return;
    } catch (error) {
      if (attempt >= maxAttempts || !isOvertaken(error)) throw error;
    }
  }
}

/** Asks the store too, because the registry learns of changes by other processes a moment later. */
async function isTaken({ agents, agentStore }: EditingParts, id: string): Promise<boolean> {
  await agents.refresh();
  return agents.find(id) !== undefined || (await agentStore.get(id)) !== undefined;
}

function isOvertaken(error: unknown): boolean {
  return error instanceof HubError && ['CONFLICT', 'AGENT_NOT_FOUND'].includes(error.code);
}

/** Returns the agents of a document, unchecked. Throws INVALID_ARGUMENTS. */
function importedAgents(document: unknown): unknown[] {
  if (Array.isArray(document)) return document;
  if (typeof document === 'object' && document !== null && 'format' in document)
    return parseWith(AgentExport, document, { what: 'Export' }).agents;
  if (typeof document === 'object' && document !== null && 'name' in document) return [document];
  throw new HubError(
    'INVALID_ARGUMENTS',
    'This is not an export of agents. Expected {"format":"agent-zoo/agents","version":1,"agents":[…]}, a list of agents, or one agent.',
  );
}

function refuseFileAgents(parts: EditingParts, inputs: readonly { id?: string | undefined }[]): void {
  for (const { id } of inputs) {
    const entry = id === undefined ? undefined : parts.agents.findEntry(id);
    if (entry && entry.agent.source !== 'store') {
      throw new HubError(
        'PERMISSION_DENIED',
        `Agent '${entry.agent.id}' is defined in ${entry.definedIn} and cannot be replaced by an import.`,
      );
    }
  }
}
