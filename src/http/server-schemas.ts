import { z } from 'zod';
import { ServerDefinition, ServerName } from '../servers/server-definition.ts';
import { ToolBody } from './api-schemas.ts';
import type * as Api from './server-types.ts';

/** The bodies of `server-types.ts` as schemas, for the API's description of itself. The compiler keeps both alike. */

const moment = z.number().describe('Milliseconds since the epoch.');

const RemoteTool = z.looseObject({
  name: z.string(),
});

const ToolSetting = z.object({
  tool: z.string(),
  enabled: z.boolean(),
  alias: z.string().nullable(),
  description: z.string().nullable(),
  requiresApproval: z.boolean().nullable(),
});

const ServerState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('idle') }),
  z.object({ kind: z.literal('connecting') }),
  z.object({
    kind: z.literal('connected'),
    since: moment,
    serverName: z.string(),
    serverVersion: z.string(),
    protocolVersion: z.string(),
  }),
  z.object({
    kind: z.literal('failed'),
    reason: z.string(),
    since: moment,
    attempts: z.int(),
    retryAt: moment.nullable(),
  }),
  z.object({ kind: z.literal('sign-in'), reason: z.string() }),
  z.object({ kind: z.literal('disabled') }),
]);

const ServerTool = z.object({
  remoteName: z.string(),
  localName: z.string(),
  status: z.enum(['active', 'off', 'filtered', 'new', 'changed', 'gone', 'conflict', 'unusable']),
  note: z.string().nullable(),
  accepted: RemoteTool.nullable(),
  proposed: RemoteTool.nullable(),
  proposedHash: z.string().nullable(),
  setting: ToolSetting,
  requiresApproval: z.boolean(),
  closeTo: z.array(z.object({ server: z.string(), tool: z.string() })),
});

export const ServerBody = z.object({
  name: z.string(),
  origin: z.enum(['config', 'store']),
  place: z.string(),
  definition: ServerDefinition,
  revision: z.int().nullable(),
  state: ServerState,
  tools: z.array(ServerTool),
  listedAt: moment.nullable(),
  instructions: z.string().nullable(),
  running: z.int(),
  stats: z.object({ calls: z.int(), errors: z.int(), reconnects: z.int() }),
});

const ServerSummary = ServerBody.omit({ instructions: true }).extend({
  tools: z.array(ServerTool.pick({ remoteName: true, localName: true, status: true })),
});

export const ServerListBody = z.object({ servers: z.array(ServerSummary) });

export const ServerInput = z.strictObject({ name: ServerName, definition: ServerDefinition });
export const ServerChange = z.strictObject({
  definition: ServerDefinition,
  revision: z.int().nullable().default(null),
});
export const ServerImport = z.strictObject({
  text: z.string().min(1).max(1_000_000),
  dryRun: z.boolean().default(false),
});
export const AcceptInput = z.strictObject({
  tools: z
    .array(z.strictObject({ tool: z.string().max(1_000), hash: z.string().max(200).optional() }))
    .max(20_000)
    .optional(),
});
export const ToolSettingChange = z.strictObject({
  enabled: z.boolean().exactOptional(),
  alias: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1–64 of A–Z a–z 0–9 _ . -')
    .nullable()
    .exactOptional(),
  description: z.string().max(10_000).nullable().exactOptional(),
  requiresApproval: z.boolean().nullable().exactOptional(),
});

export const ServerTrialBody = z.object({
  serverName: z.string(),
  serverVersion: z.string(),
  protocolVersion: z.string(),
  instructions: z.string().nullable(),
  tools: z.array(RemoteTool),
  durationMs: z.number(),
});

export const ServerImportBody = z.object({
  servers: z.array(z.object({ name: z.string(), definition: ServerDefinition })),
  problems: z.array(z.object({ name: z.string(), message: z.string() })),
  added: z.array(z.string()),
}) satisfies z.ZodType<Api.ServerImportBody>;

export const ServerLogBody = z.object({
  lines: z.array(z.object({ at: moment, level: z.string(), text: z.string() })),
}) satisfies z.ZodType<Api.ServerLogBody>;

export const SignInBody = z.object({ url: z.string().nullable() }) satisfies z.ZodType<Api.SignInBody>;

export const ToolDetailListBody = z.object({
  tools: z.array(
    ToolBody.extend({
      server: z.object({ name: z.string(), remoteName: z.string() }).nullable(),
      isForMembers: z.boolean(),
      requiresApproval: z.boolean(),
      agents: z.array(z.object({ id: z.string(), name: z.string() })),
      memberTypes: z.array(z.string()),
    }),
  ),
});

export const ToolTrial = z.strictObject({
  input: z.record(z.string(), z.unknown()).default({}),
  agentId: z.string().min(1).max(200).optional().describe("In this agent's scope."),
  memberId: z.string().min(1).max(200).optional().describe('As this member of the team.'),
});

export const ToolTrialBody = z.object({
  ok: z.boolean(),
  callId: z.string(),
  durationMs: z.number(),
  content: z.array(z.looseObject({ type: z.string() })).optional(),
  structuredContent: z.json().optional(),
  isError: z.boolean().optional(),
  error: z
    .object({
      code: z.string(),
      message: z.string(),
      issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    })
    .optional(),
});

const ProviderInfo = z.object({
  name: z.string(),
  type: z.enum(['openai', 'anthropic', 'google', 'ollama', 'openai-compatible']),
  baseUrl: z.string().nullable(),
  key: z.enum(['config', 'environment', 'vault', 'none', 'not-needed']),
  isReady: z.boolean(),
  hint: z.string().nullable(),
});
export const ProviderListBody = z.object({
  providers: z.array(ProviderInfo),
}) satisfies z.ZodType<Api.ProviderListBody>;
export const ProviderBody = ProviderInfo;
export const ProviderKey = z.strictObject({
  key: z
    .string()
    .min(8)
    .max(10_000)
    .refine((value) => !/\s/.test(value), 'must not contain spaces or line ends'),
});
export const ModelListBody = z.object({ models: z.array(z.string()) }) satisfies z.ZodType<Api.ModelListBody>;

const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedInputTokens: z.number(),
  reasoningTokens: z.number(),
});
const Run = z.object({
  id: z.string(),
  agentId: z.string().nullable(),
  model: z.string(),
  status: z.enum(['running', 'interrupted', 'completed', 'max-ticks', 'budget', 'aborted', 'failed']),
  reason: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  startedAt: moment,
  heartbeatAt: moment,
  finishedAt: moment.nullable(),
  ticks: z.int(),
  usage: Usage,
  cost: z.number().nullable(),
  title: z.string(),
});
export const RunListBody = z.object({ runs: z.array(Run), cursor: z.string().nullable() });
export const RunBody = Run.extend({
  messages: z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
  calls: z.array(z.object({ id: z.string(), tool: z.string(), state: z.string() })),
});
