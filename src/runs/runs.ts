import { z } from 'zod';
import type { Message } from '../engine/message.ts';
import type { RunFilter, RunStep, RunStore, StoredRun } from '../engine/run-store.ts';

/** The sum of several runs. */
export const RunTotals = z.object({
  runs: z.int(),
  called: z
    .int()
    .describe(
      'Runs that these started, directly or through others, if they are hidden. Tokens, `cost` and `unpriced` include them.',
    ),
  isPartial: z.boolean().describe('Set if there may be more runs: only the newest 10,000 are added up.'),
  failed: z.int(),
  unpriced: z.int().describe('Runs whose cost is unknown. They are not part of `cost`.'),
  cost: z.number().describe('US dollars.'),
  inputTokens: z.int(),
  outputTokens: z.int(),
});
export type RunTotals = z.infer<typeof RunTotals>;

/** A message of a run's conversation. */
export interface RunMessage {
  message: Message;
  /** The run that added it. */
  runId: string;
  /** Whether it is part of the agent's prompt, with which the conversation began. */
  isPrompt: boolean;
}

/** What was used; the cost is null if a price is unknown. */
export type Spent = Pick<StoredRun, 'usage' | 'cost'>;

/**
 * A run as the answer that it gave. A run that has not ended counts as interrupted. Usage and cost are what its chat shows: they
 * include the agents that it called.
 */
export interface AnsweredRun
  extends Pick<StoredRun, 'agentId' | 'model' | 'reason' | 'error' | 'startedAt' | 'usage' | 'cost'> {
  status: Exclude<StoredRun['status'], 'running'>;
  finishedAt: number;
  steps: readonly RunStep[];
}

/** The statuses of runs that did not do what they were started for. */
export const failedStatuses = ['failed', 'interrupted', 'budget', 'max-ticks'] as const;

/** A run that failed, for the inbox. */
export interface FailedRun {
  id: string;
  agentId: string | null;
  /** The chat it belongs to. */
  chatId: string | null;
  /** The user's message that it should have answered; null outside chats. */
  messageId: string | null;
  status: (typeof failedStatuses)[number];
  /** The code of the error that ended it. */
  code: string | null;
  message: string;
  at: number;
}

export interface FailureQuery {
  since: number;
  limit: number;
  dismissedAs: string;
}

/** The runs in the database. */
export interface StoredRunHistory extends RunStore {
  /** A run in a chat passes no messages: it is a range of the chat's own. */
  begin(run: Parameters<RunStore['begin']>[0] & { chatId?: string }): Promise<void>;
  totals(filter: RunFilter): Promise<RunTotals>;
  /** Returns a step with what it sent besides the messages. Throws NOT_FOUND. */
  step(id: string, step: number): Promise<{ step: RunStep; prompt: { system: string; tools: string } | undefined }>;
  /** Returns what is known of these runs and their steps, by id. Leaves out runs that are not stored any more. */
  answered(ids: readonly string[]): Promise<Map<string, AnsweredRun>>;
  /** Returns the conversation of a run, with the agent's prompt first. Throws NOT_FOUND. */
  conversation(id: string): Promise<RunMessage[]>;
  /** Marks the runs of processes that are gone as interrupted. Returns how many. */
  endAbandoned(): Promise<number>;
  /**
   * Returns failed runs that began at or after `since`, newest first, unless their chat has continued since or they are dismissed in the
   * inbox: there, their ids begin with `dismissedAs`.
   */
  failures(query: FailureQuery): Promise<FailedRun[]>;
  /** Returns whether a run has ever ended successfully. */
  hasCompleted(): Promise<boolean>;
  /** Returns how many runs `prune` would delete. */
  countOlder(before: number): Promise<number>;
  /** Deletes runs that began earlier and have ended, with the runs that they called. Returns how many. */
  prune(before: number): Promise<number>;
}
