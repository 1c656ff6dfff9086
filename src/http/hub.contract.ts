import { z } from 'zod';
import type { AgentDetail } from '../agents/agents.contract.ts';
import type { Change } from '../base/changes.ts';
import { defineContract, outline } from '../base/contract.ts';
import { SourceProblem } from '../base/source.ts';
import type { KnowledgeEvent } from '../knowledge/knowledge.ts';

export const HealthBody = z.object({ status: z.literal('ok'), version: z.string() });

const ReadyBody = z.object({
  ready: z.boolean(),
  checks: z.array(
    z.object({
      name: z.enum(['database', 'migrations', 'disk']),
      ok: z.boolean(),
      message: z.string().describe('What is wrong and what to do; empty when nothing is.'),
    }),
  ),
});
export type ReadyBody = z.infer<typeof ReadyBody>;

export const StatusBody = z.object({
  version: z.string(),
  configFile: z.string().nullable(),
  database: z.object({ kind: z.enum(['sqlite', 'postgres']), place: z.string() }),
  agents: z.int(),
  tools: z.int(),
  problems: z.array(SourceProblem),
});
export type StatusBody = z.infer<typeof StatusBody>;

const ConnectSnippet = z.object({
  title: z.string(),
  /** Where the text goes, or null for a command to run. */
  file: z.string().nullable(),
  language: z.enum(['json', 'toml', 'yaml', 'shell']),
  text: z.string(),
});
export type ConnectSnippet = z.infer<typeof ConnectSnippet>;

/** How one MCP client is connected to the hub, or to one agent of it. */
const ConnectClient = z.object({
  id: z.string(),
  name: z.string(),
  /** Opens the client with everything filled in. */
  link: z.string().nullable(),
  snippets: z.array(ConnectSnippet),
  note: z.string().nullable(),
});
export type ConnectClient = z.infer<typeof ConnectClient>;

export const ConnectBody = z.object({
  agentId: z.string().nullable(),
  url: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  clients: z.array(ConnectClient),
});
export type ConnectBody = z.infer<typeof ConnectBody>;

/** What a refusal may say beyond its message. The second writer of a conflict gets the version that won beside its own. */
interface ErrorDetails {
  issues?: { path: string; message: string }[];
  current?: AgentDetail;
  submitted?: unknown;
  [key: string]: unknown;
}

export const ErrorBody = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    retryable: z
      .boolean()
      .exactOptional()
      .describe('Whether the same request may be sent again; missing where that would change nothing.'),
    details: outline<ErrorDetails>()(z.record(z.string(), z.unknown())).exactOptional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** What is sent on /api/events, by the event's name. */
export interface LiveNews {
  change: Change;
  /** How a sync or an embedding goes. */
  progress: Extract<KnowledgeEvent, { type: 'progress' | 'synced' | 'embedding' }>;
}

export const hubContract = defineContract('Hub', {
  'GET /health': {
    right: 'use',
    summary: 'Ask whether the process is alive',
    description: 'Asks nothing of the database: restart the process when this fails.',
    answer: 'It is.',
    output: HealthBody,
  },
  'GET /ready': {
    right: 'use',
    summary: 'Ask whether the hub can work',
    description:
      'Checks the database (reachable and writable), its migrations and the disk. Answers within about two seconds. ' +
      'With 503 the body has the same checks beside the error: send no work here until it is 200 again.',
    answer: 'It can.',
    output: ReadyBody,
    errors: [503],
  },
  'GET /metrics': {
    right: 'use',
    summary: 'Read counters for Prometheus',
    answer: 'Calls, servers, models, agents.',
    contentType: 'text/plain',
  },
  'GET /api/status': {
    right: 'administer',
    summary: 'Read the state of the hub',
    answer: 'Version, files, counts and problems.',
    output: StatusBody,
  },
  'GET /api/connect': {
    right: 'administer',
    summary: 'Get links and snippets for MCP clients',
    query: z.strictObject({
      agent: z.string().min(1).max(200).optional().describe('For one agent instead of the whole hub.'),
    }),
    answer: 'One entry for each client.',
    output: ConnectBody,
    errors: [404],
  },
  'GET /api/events': {
    right: 'administer',
    summary: 'Listen for changes',
    description:
      'Server-sent events. `change` {topic, ids} says what changed, by any process: fetch it again if you show it. Without ids, anything of ' +
      'the topic may have changed. `progress` says how a sync or an embedding goes. After a reconnect, fetch everything again.',
    answer: 'A stream that stays open.',
    contentType: 'text/event-stream',
    errors: [503],
  },
});
