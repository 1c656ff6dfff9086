import { z } from 'zod';
import { outline } from '../base/contract.ts';
import type { HubErrorCode } from '../base/error-codes.ts';
import type { Message } from './message.ts';
import { type ToolDefinition, Usage } from './model.ts';
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
  chatId: z
    .string()
    .nullable()
    .describe('The chat that the run answers in. Null if there is none, or if it was deleted.'),
});
export type StoredRun = z.infer<typeof StoredRun>;

export interface RunFilter {
  agentId?: string | undefined;
  state?: StoredRun['status'] | undefined;
  /** When the run began; both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** Words in the title, agent, model or reason, ignoring case. */
  text?: string | undefined;
}

const stepFields = {
  step: z.int().describe('Counts the steps of the run from 1, in the order in which they ended.'),
  tick: z.int(),
  startedAt: moment,
  endedAt: moment,
};

/** One request to the model, or one tool call. */
export const RunStep = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('model'),
    ...stepFields,
    model: z.string(),
    firstAt: moment.nullable().describe('When the first part of the answer arrived. Null if none did.'),
    usage: Usage.nullable().describe('Null if the provider did not report it, such as for an answer that was cut off.'),
    cost: z.number().nullable(),
    error: z.string().nullable().describe('The code of the error that ended it.'),
    messages: z.int().describe('The number of messages of the conversation that were sent.'),
  }),
  z.object({
    kind: z.literal('tool'),
    ...stepFields,
    id: z.string().describe('The id of the call in the conversation.'),
    tool: z.string(),
    state: z.enum(['finished', 'failed', 'denied']),
    used: z
      .object({ usage: Usage, cost: z.number().nullable() })
      .exactOptional()
      .describe('What the agents that the call asked have used. It is not part of the usage of this run.'),
  }),
]);
export type RunStep = z.infer<typeof RunStep>;

/** What a model call sent besides the messages. */
export interface SentPrompt {
  system: string;
  tools: readonly ToolDefinition[];
}

/** A step with what it sent. */
export type TakenStep =
  | (Extract<RunStep, { kind: 'model' }> & { prompt: SentPrompt })
  | Extract<RunStep, { kind: 'tool' }>;

const CallState = z.enum(['waiting', 'running', 'finished', 'failed', 'denied']);
export const StoredRunDetail = StoredRun.extend({
  messages: outline<Message[]>()(
    z.array(z.object({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) })),
  ),
  calls: z
    .array(z.object({ id: z.string(), tool: z.string(), state: CallState }))
    .describe('The tool calls of the current tick, and whether each one ended. Shows what a crash left open.'),
  steps: z
    .array(RunStep)
    .describe('The model calls and tool calls that have ended. Empty for runs from versions that did not record them.'),
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
  /** All steps so far; the store writes only new ones. None by default. */
  steps?: readonly TakenStep[] | undefined;
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
    /** None by default. */
    outside?: readonly string[] | undefined;
  }): Promise<void>;
  save(id: string, progress: RunProgress): Promise<void>;
  finish(
    id: string,
    end: RunProgress & { status: RunStatus; reason: string; error: StoredRun['error'] },
  ): Promise<void>;
  /** Lists runs, newest first. Runs whose process has ended are `interrupted`. */
  list(options: RunFilter & { limit: number; cursor?: string | undefined }): Promise<{
    runs: StoredRun[];
    cursor: string | null;
  }>;
  /** Throws NOT_FOUND. */
  get(id: string): Promise<StoredRunDetail>;
}
