import { z } from 'zod';
import { toIso } from '../base/clock.ts';
import { ignoring, withoutFields } from '../base/contract-fields.ts';
import { HubError } from '../base/hub-error.ts';
import { defaultJsonLimits, type JsonLimits } from '../base/json.ts';
import { parseWith } from '../base/validate.ts';
import { BrainEntry, type BrainStore } from '../brain/brain.ts';
import { AgentInput } from './agent.ts';
import { AgentVersionAction, type Past } from './agent-store.ts';
import { type CheckedAgent, createChecked, createWithFreeId, type EditingParts } from './edit-agents.ts';
import { isAgentZooAgent, isAgentZooStore, type ReadAgent, readAgentZoo } from './read-agent-zoo.ts';

/** The maximum size of an import. It is larger than for other input, because a hub must be able to read any export. */
export const importLimits: JsonLimits = {
  maxCharacters: 64 * 1024 * 1024,
  maxDepth: defaultJsonLimits.maxDepth,
  maxElements: 5_000_000,
};
const maxAttempts = 10;
/** The newest versions of an agent that an export contains. */
const maxVersions = 100;

/** An export of agents that another hub can import. Version 2 added brains and versions. */
export const AgentExport = z.strictObject({
  format: z.literal('agent-zoo/agents'),
  version: z.union([z.literal(1), z.literal(2)]),
  exportedAt: z.iso.datetime().optional(),
  agents: z.array(z.unknown()),
});
export type AgentExport = z.infer<typeof AgentExport>;

export const OnTakenId = z.enum(['rename', 'skip', 'replace']);
export type OnTakenId = z.infer<typeof OnTakenId>;

/** Fields that the API adds to agents. Requests may send them back; they are ignored. */
export const readOnlyFields = ['source', 'revision', 'createdAt', 'updatedAt', 'place', 'editable'];

/** A brain entry in an export. Entries of other programs may leave out what has a default. */
const CarriedEntry = ignoring(
  ['agentId'],
  z.strictObject({
    id: z.string().min(1).max(200).optional(),
    type: BrainEntry.shape.type,
    content: BrainEntry.shape.content,
    timestamp: z.iso.datetime({ offset: true }).optional(),
    pinned: z.boolean().default(false),
    tags: BrainEntry.shape.tags.default([]),
    metadata: BrainEntry.shape.metadata.default({}),
  }),
);

const CarriedVersion = z.strictObject({
  revision: z.int().optional(),
  action: AgentVersionAction,
  at: z.iso.datetime({ offset: true }),
  agent: ignoring(readOnlyFields, AgentInput),
});

const ImportedAgent = AgentInput.safeExtend({
  brain: z.array(CarriedEntry).optional(),
  versions: z.array(CarriedVersion).max(maxVersions).optional(),
});
type ImportedAgent = z.output<typeof ImportedAgent>;

export const ImportReport = z.object({
  created: z.array(z.string()),
  renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  replaced: z.array(z.string()),
  skipped: z.array(z.string()),
  brainEntries: z.int().describe('How many brain entries were imported.'),
  versions: z.int().describe('How many earlier versions were imported.'),
  notes: z.array(z.string()).describe('What was changed to make a foreign agent fit.'),
});
export type ImportReport = z.infer<typeof ImportReport>;

export interface ExportChoice {
  /** Default: all agents. */
  ids?: readonly string[] | undefined;
  /** Leaves out what the agents remember, for files that others will read. */
  withoutBrain?: boolean | undefined;
  withoutVersions?: boolean | undefined;
  now: number;
}

/** Exports agents with their brains and versions. Throws AGENT_NOT_FOUND, and TOO_LARGE for a file that no hub could import. */
export async function exportAgents(
  parts: EditingParts & { brain: BrainStore },
  choice: ExportChoice,
): Promise<AgentExport> {
  await parts.agents.refresh();
  const ids = new Set(choice.ids ?? parts.agents.list().map((agent) => agent.id));
  const agents: unknown[] = [];
  let size = 0;
  for (const id of ids) {
    const { source: _, ...fields } = (await parts.agents.get(id)).agent;
    const agent = {
      ...fields,
      ...(!choice.withoutBrain && { brain: await exportedBrain(parts.brain, id) }),
      ...(!choice.withoutVersions && { versions: await exportedVersions(parts, id) }),
    };
    size += JSON.stringify(agent).length;
    if (size > importLimits.maxCharacters) throw tooLarge();
    agents.push(agent);
  }
  return { format: 'agent-zoo/agents', version: 2, exportedAt: toIso(choice.now), agents };
}

async function exportedBrain(brain: BrainStore, id: string) {
  const entries = await brain.query(id, {});
  return entries.map(({ agentId: _, ...entry }) => entry);
}

/** Oldest first. Agents from files have none. */
async function exportedVersions({ agentStore }: EditingParts, id: string) {
  const versions = await agentStore.versions(id, maxVersions);
  return versions.reverse().map(({ revision, action, at, agent: { source: _, ...agent } }) => ({
    revision,
    action,
    at: toIso(at),
    agent,
  }));
}

function tooLarge(): HubError {
  return new HubError(
    'TOO_LARGE',
    `The export would be larger than ${importLimits.maxCharacters / 1024 / 1024} MB, which no hub imports. Export fewer agents at once, or leave out their versions.`,
  );
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
  return agents.flatMap(({ agent }) => {
    const { data } = ImportedAgent.safeParse(withoutFields(agent, readOnlyFields));
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

/** Imports an export, AgentZoo's store, one agent, or a list of agents. Validates everything before writing anything. */
export async function importAgents(
  parts: EditingParts,
  document: unknown,
  onTakenId: OnTakenId = 'rename',
): Promise<ImportReport> {
  const read = importedAgents(document);
  const inputs = read.map(({ agent }, index) =>
    parseWith(ImportedAgent, withoutFields(agent, readOnlyFields), { what: `agents[${index}]` }),
  );
  await parts.agents.refresh();
  if (onTakenId === 'replace') refuseFileAgents(parts, inputs);
  const notes = read.flatMap((each) => each.notes);
  const report = { created: [], renamed: [], replaced: [], skipped: [], brainEntries: 0, versions: 0, notes };
  for (const input of inputs) await importOne(parts, input, { onTakenId, report });
  return report;
}

/** Looks again if another writer took or freed the id between looking and writing. */
async function importOne(
  parts: EditingParts,
  { brain = [], versions = [], ...input }: ImportedAgent,
  { onTakenId, report }: { onTakenId: OnTakenId; report: ImportReport },
): Promise<void> {
  const { id, ...fields } = input;
  const past = toPast(brain, versions);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const state = id === undefined ? 'free' : await stateOf(parts, id);
      const replacesDeleted = state === 'deleted' && onTakenId === 'replace';
      if (id === undefined || state === 'free' || replacesDeleted) {
        report.created.push((await createChecked(parts, input, { past, replacesDeleted })).agent.id);
        report.versions += versions.length;
        if (replacesDeleted)
          report.notes.push(`"${id}" replaced a deleted agent, whose memory and approvals were deleted for good.`);
      } else if (onTakenId === 'skip') {
        report.skipped.push(id);
        if (state === 'deleted')
          report.notes.push(`The id "${id}" belongs to a deleted agent. Restore it, or import with another id.`);
        return;
      } else if (onTakenId === 'replace') {
        // The agent goes on with its own history.
        await parts.agentStore.update({ ...fields, id, source: 'store' }, null, {
          action: 'import',
          brain: past.brain,
        });
        report.replaced.push(id);
      } else {
        const { agent } = await createWithFreeId(parts, fields, { base: id, past });
        report.renamed.push({ from: id, to: agent.id });
        report.versions += versions.length;
      }
      report.brainEntries += brain.length;
      return;
    } catch (error) {
      if (attempt >= maxAttempts || !isOvertaken(error)) throw error;
    }
  }
}

function toPast(brain: NonNullable<ImportedAgent['brain']>, versions: NonNullable<ImportedAgent['versions']>): Past {
  return {
    brain: brain.map(({ id, timestamp, ...entry }) => ({
      ...entry,
      id,
      at: timestamp === undefined ? undefined : Date.parse(timestamp),
    })),
    versions: versions.map(({ action, at, agent: { id: _, ...agent } }) => ({ action, at: Date.parse(at), agent })),
  };
}

/** Asks the store for its agents, because the registry learns of changes by other processes a moment later. */
async function stateOf({ agents, agentStore }: EditingParts, id: string): Promise<'free' | 'taken' | 'deleted'> {
  await agents.refresh();
  const isElsewhere = (agents.find(id)?.source ?? 'store') !== 'store';
  if (isElsewhere || (await agentStore.get(id)) !== undefined) return 'taken';
  return (await agentStore.reservedIds(id)).has(id) ? 'deleted' : 'free';
}

function isOvertaken(error: unknown): boolean {
  return error instanceof HubError && ['CONFLICT', 'AGENT_NOT_FOUND'].includes(error.code);
}

/** Returns the agents of a document in our shape, unchecked. Throws INVALID_ARGUMENTS. */
function importedAgents(document: unknown): ReadAgent[] {
  if (isAgentZooStore(document)) return document.agents.map(readAgentZoo);
  const own = (agent: unknown) => (isAgentZooAgent(agent) ? readAgentZoo(agent) : { agent, notes: [] });
  if (Array.isArray(document)) return document.map(own);
  if (typeof document === 'object' && document !== null && 'format' in document)
    return parseWith(AgentExport, document, { what: 'Export' }).agents.map((agent) => ({ agent, notes: [] }));
  if (typeof document === 'object' && document !== null && 'name' in document) return [own(document)];
  throw new HubError(
    'INVALID_ARGUMENTS',
    'This is not an export of agents. Expected {"format":"agent-zoo/agents","version":2,"agents":[…]}, the agents.json of AgentZoo, a list of agents, or one agent.',
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
