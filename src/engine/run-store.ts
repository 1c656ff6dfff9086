import { z } from 'zod';
import { outline } from '../base/contract.ts';
import type { HubErrorCode } from '../base/error-codes.ts';
import type { RunCall } from '../tools/caller.ts';
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
  calledBy: z
    .object({
      runId: z.string(),
      callId: z.string().describe('The id of the call in the conversation of that run, unique within its tick.'),
      tick: z.int(),
    })
    .nullable()
    .describe('The call by which another run started this one. Null if a user or a program started it.'),
  calledRuns: z.int().describe('How many runs it started by calling agents.'),
});
export type StoredRun = z.infer<typeof StoredRun>;

/** The call that started a run, with the arguments of the prompt that it gave. */
export interface CalledBy extends RunCall {
  arguments?: Readonly<Record<string, string>> | undefined;
}

export const calledRunsFilter = ['hide', 'show', 'only'] as const;

export interface RunFilter {
  /** What to do with runs that other runs started; `hide` by default. */
  called?: (typeof calledRunsFilter)[number] | undefined;
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
  arguments: z.record(z.string(), z.string()).describe("The arguments of the agent's prompt, without secrets."),
  called: z
    .array(StoredRun)
    .describe('The last 200 runs that it started by calling agents, in order. Each has its own usage.'),
  caller: z
    .object({
      agentId: z.string().nullable(),
      title: z.string(),
      step: z.int().nullable().describe('The step that made the call. Null while the call is in progress.'),
      arguments: z.record(z.string(), z.string()).describe("The arguments that it gave for the agent's prompt."),
    })
    .nullable()
    .describe('The run that started this one. Null if there is none, or if it was deleted.'),
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
    /** The arguments of the agent's prompt; none by default. */
    arguments?: Readonly<Record<string, string>> | undefined;
    /** The call of the run that started it; none by default. */
    calledBy?: CalledBy | undefined;
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
