import { z } from 'zod';
import { outline } from '../base/contract.ts';
import type { HubErrorCode } from '../base/error-codes.ts';
import type { Message } from './message.ts';
import { Usage } from './model.ts';
import type { RunStatus } from './run-events.ts';

const moment = z.number().describe('Milliseconds since the epoch.');

/** A stored run. A run whose process ended before it finished is `interrupted`. */
export const StoredRun = z.object({
  id: z.string(),
  agentId: z.string().nullable(),
  model: z.string(),
  status: z.enum(['running', 'interrupted', 'completed', 'max-ticks', 'budget', 'aborted', 'failed']),
  reason: z.string().nullable(),
  error: outline<{ code: HubErrorCode; message: string } | null>()(
    z.object({ code: z.string(), message: z.string() }).nullable(),
  ),
  startedAt: moment,
  /** When the run was last saved. */
  heartbeatAt: moment,
  finishedAt: moment.nullable(),
  ticks: z.int(),
  usage: Usage,
  cost: z.number().nullable(),
  /** The shortened question, for lists. */
  title: z.string(),
});
export type StoredRun = z.infer<typeof StoredRun>;

const CallState = z.enum(['waiting', 'running', 'finished', 'failed', 'denied']);
export const StoredRunDetail = StoredRun.extend({
  messages: outline<Message[]>()(
    z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
  ),
  calls: z
    .array(z.object({ id: z.string(), tool: z.string(), state: CallState }))
    .describe('The tool calls of the current tick, and whether each one ended. Shows what a crash left open.'),
  outside: z
    .array(z.string())
    .describe('The sources of the text from outside that the conversation had read by the end of this run.'),
});
export type StoredRunDetail = z.infer<typeof StoredRunDetail>;

export interface RunProgress {
  ticks: number;
  usage: Usage;
  cost: number | null;
  /** All messages so far; the store writes only new ones. */
  messages: readonly Message[];
  calls: StoredRunDetail['calls'];
  /** None by default. */
  outside?: readonly string[] | undefined;
}

export interface RunStore {
  begin(run: {
    id: string;
    agentId: string | null;
    model: string;
    title: string;
    messages: readonly Message[];
  }): Promise<void>;
  save(id: string, progress: RunProgress): Promise<void>;
  finish(
    id: string,
    end: RunProgress & { status: RunStatus; reason: string; error: StoredRun['error'] },
  ): Promise<void>;
  /** Lists runs, newest first. Runs whose process has ended are `interrupted`. */
  list(options: { agentId?: string | undefined; limit: number; cursor?: string | undefined }): Promise<{
    runs: StoredRun[];
    cursor: string | null;
  }>;
  /** Throws NOT_FOUND. */
  get(id: string): Promise<StoredRunDetail>;
}
