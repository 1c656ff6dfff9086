import { z } from 'zod';
import { Agent, AgentArgument, AgentInput, AgentMode, AgentSourceKind } from '../agents/agent.ts';
import { BrainEntry } from '../agents/brain.ts';
import type * as Api from './api-types.ts';

/** The bodies of `api-types.ts` as schemas, for the API's description of itself. The compiler keeps both alike. */

const SourceProblem = z.object({ place: z.string(), message: z.string(), agentId: z.string().exactOptional() });
const revision = z.int().nullable().describe('Grows with each save; null for agents from files and code.');
const moment = z.iso.datetime().nullable();

const AgentSummary = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  mode: AgentMode,
  source: AgentSourceKind,
  place: z.string(),
  editable: z.boolean(),
  version: z.string(),
  skills: z.object({ total: z.int(), enabled: z.int() }),
  categories: z.array(z.object({ name: z.string(), color: z.string() })),
  tools: z.array(z.string()),
  argumentCount: z.int(),
  revision,
  updatedAt: moment,
}) satisfies z.ZodType<Api.AgentSummary>;

export const AgentListBody = z.object({
  agents: z.array(AgentSummary),
  problems: z.array(SourceProblem),
}) satisfies z.ZodType<Api.AgentListBody>;

export const AgentDetail = z.object({
  ...Agent.shape,
  place: z.string(),
  editable: z.boolean(),
  revision,
  createdAt: moment,
  updatedAt: moment,
}) satisfies z.ZodType<Api.AgentDetail>;

const versionFields = {
  revision: z.int(),
  action: z.enum(['create', 'update', 'restore', 'delete', 'undelete']),
  at: z.iso.datetime(),
  name: z.string(),
};
export const VersionListBody = z.object({
  versions: z.array(z.object(versionFields) satisfies z.ZodType<Api.AgentVersionSummary>),
});
export const AgentVersionBody = z.object({
  ...versionFields,
  agent: Agent,
}) satisfies z.ZodType<Api.AgentVersionBody>;

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
}) satisfies z.ZodType<Api.CompiledBody>;

export const BrainBody = z.object({
  agentId: z.string(),
  entries: z.array(BrainEntry),
}) satisfies z.ZodType<Api.BrainBody>;

export const DeletedBody = z.object({ success: z.literal(true), id: z.string() });
export const DeletedEntryBody = z.object({ success: z.boolean(), entryId: z.string() });

export const TemplateListBody = z.object({
  templates: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      description: z.string(),
      category: z.string(),
      agent: AgentInput,
    }),
  ),
});

export const ImportReport = z.object({
  created: z.array(z.string()),
  renamed: z.array(z.object({ from: z.string(), to: z.string() })),
  replaced: z.array(z.string()),
  skipped: z.array(z.string()),
});

const schemaBody = z.record(z.string(), z.unknown()).describe('A JSON Schema.');
export const ToolBody = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  origin: z.string(),
  annotations: z.object({
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    idempotentHint: z.boolean(),
    openWorldHint: z.boolean(),
  }),
  inputSchema: schemaBody,
  outputSchema: schemaBody.nullable(),
}) satisfies z.ZodType<Api.ToolBody>;
export const ToolListBody = z.object({ tools: z.array(ToolBody) });

export const ToolResultBody = z.object({
  result: z.record(z.string(), z.unknown()),
  content: z.array(z.unknown()).exactOptional().describe('Content blocks, when the tool answered with more than data.'),
});

export const PromptAgentListBody = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      tools: z.array(z.string()),
      source: AgentSourceKind,
      arguments: z.array(AgentArgument),
    }),
  ),
});

export const PromptBody = z.object({
  result: z.object({
    system: z.string(),
    tools: z.array(z.string()),
    messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.unknown() })),
  }),
});

export const HealthBody = z.object({ status: z.literal('ok'), version: z.string() });

export const ReadyBody = z.object({
  ready: z.boolean(),
  checks: z.array(
    z.object({
      name: z.enum(['database', 'migrations', 'disk']),
      ok: z.boolean(),
      message: z.string().describe('What is wrong and what to do; empty when nothing is.'),
    }),
  ),
});

export const StatusBody = z.object({
  version: z.string(),
  configFile: z.string().nullable(),
  database: z.object({ kind: z.enum(['sqlite', 'postgres']), place: z.string() }),
  agents: z.int(),
  tools: z.int(),
  problems: z.array(SourceProblem),
}) satisfies z.ZodType<Api.StatusBody>;

export const ConnectBody = z.object({
  agentId: z.string().nullable(),
  url: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  clients: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      link: z.string().nullable(),
      snippets: z.array(
        z.object({
          title: z.string(),
          file: z.string().nullable(),
          language: z.enum(['json', 'toml', 'yaml', 'shell']),
          text: z.string(),
        }),
      ),
      note: z.string().nullable(),
    }),
  ),
}) satisfies z.ZodType<Api.ConnectBody>;

export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    retryable: z
      .boolean()
      .optional()
      .describe('Whether the same request may be sent again; missing where that would change nothing.'),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});
