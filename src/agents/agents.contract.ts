import { z } from 'zod';
import { defineContract, outline } from '../base/contract.ts';
import { DeletedBody, flag, ignoring, wholeNumber } from '../base/contract-fields.ts';
import { SourceProblem } from '../base/source.ts';
import { Agent, AgentChange, AgentInput, AgentMode, AgentSourceKind } from './agent.ts';
import { ToolGrant } from './agent-grants.ts';
import { AgentVersionAction } from './agent-store.ts';
import { AgentExport, ImportReport, importLimits, OnTakenId, readOnlyFields } from './transfer-agents.ts';

const revision = z.int().nullable().describe('Increases with each save. Null for agents defined in files or code.');
const moment = z.iso.datetime().nullable();

/** An agent to save. */
export const AgentSubmission = ignoring(readOnlyFields, AgentInput);

const AgentSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  mode: AgentMode,
  source: AgentSourceKind,
  /** Where the agent is defined, in words: a file, "the store", "code". */
  place: z.string(),
  /** False for agents from files and code. */
  editable: z.boolean(),
  version: z.string(),
  tags: z.array(z.string()),
  skills: z.object({ total: z.int(), enabled: z.int() }),
  categories: z.array(z.object({ name: z.string(), color: z.string() })),
  appearanceSeed: z.string().nullable(),
  tools: z.array(z.string()),
  argumentCount: z.int(),
  revision,
  updatedAt: moment,
});
export type AgentSummary = z.infer<typeof AgentSummary>;

export const AgentListBody = z.object({ agents: z.array(AgentSummary), problems: z.array(SourceProblem) });
export type AgentListBody = z.infer<typeof AgentListBody>;

/** An agent with the hub's own fields. The ETag of the reply is the revision in quotes. */
export const AgentDetail = z.object({
  ...Agent.shape,
  place: z.string(),
  editable: z.boolean(),
  revision,
  createdAt: moment,
  updatedAt: moment,
});
export type AgentDetail = z.infer<typeof AgentDetail>;

const DeletedAgentListBody = z.object({
  agents: z.array(z.object({ id: z.string(), name: z.string(), deletedAt: z.iso.datetime() })),
});
export type DeletedAgentSummary = z.infer<typeof DeletedAgentListBody>['agents'][number];

const AgentVersionSummary = z.object({
  revision: z.int(),
  action: AgentVersionAction,
  at: z.iso.datetime(),
  name: z.string(),
});
export type AgentVersionSummary = z.infer<typeof AgentVersionSummary>;
export const VersionListBody = z.object({ versions: z.array(AgentVersionSummary) });
export const AgentVersionBody = AgentVersionSummary.extend({ agent: Agent });

export const CompiledBody = z.object({
  agentId: z.string(),
  text: z.string(),
  sections: z.array(
    z.object({
      kind: z.enum(['header', 'system', 'skill']),
      title: z.string(),
      skillId: z.string().exactOptional(),
      text: z.string(),
    }),
  ),
  warnings: z.array(z.string()),
});

const AgentTemplateBody = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string(),
  agent: outline<AgentInput>()(AgentInput),
});
export type AgentTemplateBody = z.infer<typeof AgentTemplateBody>;
export const TemplateListBody = z.object({ templates: z.array(AgentTemplateBody) });

const detail = { right: 'administer', answer: 'The agent. The ETag is its revision.', output: AgentDetail } as const;

export const agentsContract = defineContract('Agents', {
  'GET /api/agents': {
    right: 'administer',
    summary: 'List agents',
    description: 'Lists the agents of all sources, and any problems found in those sources.',
    answer: 'The agents.',
    output: AgentListBody,
  },
  'POST /api/agents': {
    ...detail,
    summary: 'Create an agent',
    description:
      'If you leave out the id, it is derived from the name. The id of a deleted agent stays reserved, because its history and memory are kept: restore that agent, or choose another id.',
    body: AgentSubmission,
    example: { name: 'Code Wizard', systemPrompt: 'You write small functions.' },
    status: 201,
    answer: 'The new agent.',
    errors: [400, 409],
  },
  'GET /api/agents/{id}': { ...detail, summary: 'Read an agent', errors: [404] },
  'PUT /api/agents/{id}': {
    ...detail,
    summary: 'Replace an agent',
    description:
      'Send the whole agent. Read-only fields (source, place, editable, revision, timestamps) are ignored. Name the revision you edited in If-Match or in `revision`: if a newer one exists, the reply is 409 with both versions in `details`.',
    body: AgentSubmission,
    example: { name: 'Code Wizard', systemPrompt: 'You write tiny functions.' },
    takesIfMatch: true,
    errors: [400, 403, 404, 409, 428],
    deniedCode: 'read_only',
  },
  'PATCH /api/agents/{id}': {
    ...detail,
    summary: 'Change some fields of an agent',
    description:
      'Send only the fields to change; each replaces the old value as a whole. Name a revision in If-Match or in `revision` to change only that one: if a newer one exists, the reply is 409 with both versions in `details`. Without it, the newest revision is changed.',
    body: ignoring(readOnlyFields, AgentChange),
    example: { description: 'Writes tiny functions' },
    takesIfMatch: true,
    errors: [400, 403, 404, 409],
    deniedCode: 'read_only',
  },
  'DELETE /api/agents/{id}': {
    right: 'administer',
    summary: 'Delete an agent',
    description: 'Its history, brain and lasting approvals are kept, so you can undelete it.',
    takesIfMatch: true,
    answer: 'The agent was deleted.',
    output: DeletedBody,
    errors: [403, 404, 409],
    deniedCode: 'read_only',
  },
  'GET /api/deleted-agents': {
    right: 'administer',
    summary: 'List deleted agents',
    description: 'Lists the agents that you can restore, the last deleted first.',
    answer: 'The deleted agents.',
    output: DeletedAgentListBody,
  },
  'POST /api/agents/{id}/undelete': { ...detail, summary: 'Restore a deleted agent', errors: [404, 409] },
  'POST /api/agents/{id}/clone': {
    ...detail,
    summary: 'Copy an agent into the store',
    description: 'Works for agents of every source. The copy can be edited.',
    body: z.strictObject({ name: Agent.shape.name.optional(), id: Agent.shape.id.optional() }),
    isBodyOptional: true,
    example: { name: 'Code Wizard two' },
    status: 201,
    answer: 'The copy.',
    errors: [400, 404, 409],
  },
  'GET /api/agents/{id}/compiled': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Read the compiled prompt',
    description: 'Returns the prompt that agent_zoo_inject gives to an MCP client, and its sections.',
    answer: 'The prompt.',
    output: CompiledBody,
    errors: [404],
  },
});

export const grantsContract = defineContract('Approvals', {
  'GET /api/agents/{id}/approvals': {
    right: 'administer',
    summary: 'List the lasting approvals of an agent',
    description:
      'Tools that the agent may call without asking, because you answered "always". Each holds until its tool changes.',
    answer: 'The approvals, sorted by tool name.',
    output: z.object({ approvals: z.array(ToolGrant) }),
    errors: [404],
  },
  'DELETE /api/agents/{id}/approvals/{tool}': {
    right: 'administer',
    summary: 'Remove a lasting approval',
    description: 'The agent asks again before its next call to the tool.',
    status: 204,
    answer: 'The approval was removed.',
    errors: [404],
  },
});

export const versionsContract = defineContract('Versions', {
  'GET /api/agents/{id}/versions': {
    right: 'administer',
    summary: 'List the versions of an agent',
    description: 'Newest first. Works for deleted agents, too. Agents defined in files have no versions.',
    query: z.strictObject({
      limit: wholeNumber.min(1).max(1_000).optional().describe('The maximum number of versions to return.'),
      before: wholeNumber.min(1).optional().describe('Only revisions older than this one.'),
    }),
    answer: 'The versions.',
    output: VersionListBody,
    errors: [400, 404],
  },
  'GET /api/agents/{id}/versions/{revision}': {
    right: 'administer',
    summary: 'Read one version of an agent',
    answer: 'The agent as it was.',
    output: AgentVersionBody,
    errors: [404],
  },
  'POST /api/agents/{id}/versions/{revision}/restore': {
    ...detail,
    summary: 'Restore an earlier version',
    takesIfMatch: true,
    errors: [403, 404, 409, 428],
    deniedCode: 'read_only',
  },
});

const AgentZooOffer = z.object({
  /** The absolute path of AgentZoo's agents.json. */
  file: z.string(),
  agents: z.array(z.object({ id: z.string(), name: z.string() })),
  brainEntries: z.int(),
});
export type AgentZooOffer = z.infer<typeof AgentZooOffer>;

export const transferContract = defineContract('Templates, export and import', {
  'GET /api/templates': {
    right: 'administer',
    summary: 'List agent templates',
    answer: 'The templates.',
    output: TemplateListBody,
  },
  'GET /api/export': {
    right: 'administer',
    summary: 'Export agents as one JSON file',
    description: 'Each agent comes with its brain and its newest 100 versions.',
    query: z.strictObject({
      ids: z.string().max(100_000).optional().describe('Comma-separated agent ids. Default: all agents.'),
      withoutBrain: flag.describe('True leaves out what the agents remember.'),
      withoutVersions: flag.describe('True leaves out the earlier versions of the agents.'),
    }),
    answer: 'The file.',
    output: AgentExport,
    errors: [404, 413],
  },
  'POST /api/import': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Import agents',
    description:
      'Accepts an export, the agents.json of AgentZoo, a list of agents, or a single agent. Everything is validated before anything is written.',
    query: z.strictObject({
      onTakenId: OnTakenId.default('rename').describe(
        'What to do when an id is in use, or belongs to a deleted agent. Only `replace` gives up what is kept for the deleted one.',
      ),
    }),
    body: z.union([
      AgentExport,
      z.array(z.unknown()),
      z.looseObject({ name: z.string() }),
      z.looseObject({ agents: z.array(z.unknown()) }),
    ]),
    isBodyPassedOn: true,
    bodyLimits: importLimits,
    example: { format: 'agent-zoo/agents', version: 2, agents: [{ id: 'code-wizard', name: 'Code Wizard' }] },
    status: 201,
    answer: 'The result for each agent.',
    output: ImportReport,
    errors: [400, 403],
    deniedCode: 'read_only',
  },
  'GET /api/import/offer': {
    right: 'administer',
    summary: 'Look for agents of AgentZoo on this machine',
    description:
      'Finds the agents in its agents.json that this hub has never had. Null if there are none, or if you declined them.',
    answer: 'What could be imported.',
    output: z.object({ offer: AgentZooOffer.nullable() }),
  },
  'POST /api/import/offer': {
    right: 'administer',
    hasOwnLimits: true,
    summary: 'Import the agents of AgentZoo',
    status: 201,
    answer: 'The result for each agent.',
    output: ImportReport,
    errors: [400, 404],
  },
  'DELETE /api/import/offer': {
    right: 'administer',
    summary: 'Decline the agents of AgentZoo',
    description: 'They are not offered again. You can still import the file.',
    status: 204,
    answer: 'The offer was declined.',
  },
});
