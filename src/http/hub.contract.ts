import { z } from 'zod';
import type { AgentDetail } from '../agents/agents.contract.ts';
import type { Change } from '../base/changes.ts';
import { defineContract, outline } from '../base/contract.ts';
import { SourceProblem } from '../base/source.ts';
import { AnonymousRight } from '../callers/callers.ts';
import type { KnowledgeEvent } from '../knowledge/knowledge.ts';

export const HealthBody = z.object({ status: z.literal('ok'), version: z.string() });

const ReadyBody = z.object({
  ready: z.boolean(),
  checks: z.array(
    z.object({
      name: z.enum(['database', 'migrations', 'disk', 'stopping']),
      ok: z.boolean(),
      message: z.string().describe('The problem and how to fix it. Empty if the check passed.'),
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

/** Opens a client with everything filled in. The address is `start` and the encoded text, which contains the key. */
const ConnectLink = z.object({ start: z.string(), text: z.string(), encoding: z.enum(['base64', 'plain']) });
export type ConnectLink = z.infer<typeof ConnectLink>;

/** How to connect one MCP client to the hub or to one of its agents. */
const ConnectClient = z.object({
  id: z.string(),
  name: z.string(),
  link: ConnectLink.nullable(),
  snippets: z.array(ConnectSnippet),
  note: z.string().nullable(),
});
export type ConnectClient = z.infer<typeof ConnectClient>;

export const ConnectBody = z.object({
  agentId: z.string().nullable(),
  url: z.string(),
  command: z.string(),
  args: z.array(z.string()),
  anonymous: AnonymousRight.describe('What a client without a key may do.'),
  keyPlaceholder: z.string().describe('Stands in links and snippets for the key of a client.'),
  clients: z.array(ConnectClient),
});
export type ConnectBody = z.infer<typeof ConnectBody>;

/** What an error can add to its message. After a conflict, `current` is the saved version and `submitted` the rejected one. */
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
      .describe('Whether you can send the same request again. Missing if the result would be the same.'),
    details: outline<ErrorDetails>()(z.record(z.string(), z.unknown())).exactOptional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The data of each kind of event on /api/events. */
export interface LiveNews {
  change: Change;
  /** The progress of a sync or an embedding run. */
  progress: Extract<KnowledgeEvent, { type: 'progress' | 'synced' | 'embedding' }>;
}

export const hubContract = defineContract('Hub', {
  'GET /health': {
    right: 'none',
    summary: 'Check that the process is alive',
    description: 'Does not use the database. Restart the process if this fails.',
    answer: 'The process is alive.',
    output: HealthBody,
  },
  'GET /ready': {
    right: 'none',
    summary: 'Check that the hub is ready',
    description:
      'Checks the database (reachable and writable), its migrations and the disk. Replies within about two seconds. ' +
      'A 503 reply has the same checks and an error: send no work here until the status is 200 again. A hub that was told to stop has ' +
      'only the check `stopping`, which fails. Callers without the right to `use` get general reasons; the log has the details. ' +
      'Requests within a second share one check. With `reads=true`, a hub that is only without its database counts as ready: it still ' +
      'serves the web app and what is in memory, and says that it is read-only.',
    query: z.object({
      reads: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether a hub that can only be read counts as ready.'),
    }),
    answer: 'The hub is ready.',
    output: ReadyBody,
    errors: [503],
  },
  'GET /metrics': {
    right: 'use',
    summary: 'Read metrics for Prometheus',
    answer: 'Metrics about calls, servers, models and agents.',
    contentType: 'text/plain',
  },
  'GET /api/status': {
    right: 'administer',
    summary: 'Read the state of the hub',
    answer: 'Version, config file, database, counts and problems.',
    output: StatusBody,
  },
  'GET /api/connect': {
    right: 'administer',
    summary: 'Get links and snippets for MCP clients',
    query: z.strictObject({
      agent: z.string().min(1).max(200).optional().describe('The id of an agent. Default: the whole hub.'),
    }),
    answer: 'Instructions for each client.',
    output: ConnectBody,
    errors: [404],
  },
  'GET /api/events': {
    right: 'administer',
    summary: 'Listen for changes',
    description:
      'Server-sent events. `change` {topic, ids} names what any process changed: fetch it again if you show it. If ids is empty, anything in ' +
      'the topic may have changed. `progress` reports the progress of a sync or an embedding run. After a reconnect, fetch everything again.',
    answer: 'A stream that stays open.',
    contentType: 'text/event-stream',
    errors: [503],
  },
});
