import type { HubErrorCode } from '../base/error-codes.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Message } from './message.ts';
import type { FinishReason, Usage } from './model.ts';

/** `always` approves this call and every later one of the same tool in this run, and in the session it belongs to. */
export type ApprovalAnswer = 'approve' | 'deny' | 'always';

export interface ApprovalRequest {
  toolUseId: string;
  tool: string;
  input: unknown;
}

/** What happens in a run, in order. */
export type RunEvent =
  | { type: 'run.started'; runId: string; model: string }
  | { type: 'tick.started'; tick: number }
  | { type: 'text'; delta: string }
  | { type: 'reasoning'; delta: string }
  /** The model's answer was cut and is asked for again: what came in this tick does not count. */
  | { type: 'tick.retried'; tick: number; reason: string }
  | { type: 'tool.called'; id: string; tool: string; input: unknown }
  | { type: 'approval.needed'; id: string; tool: string; input: unknown }
  | { type: 'approval.given'; id: string; answer: ApprovalAnswer }
  | {
      type: 'tool.finished';
      id: string;
      tool: string;
      content: readonly ContentBlock[];
      isError: boolean;
      durationMs: number;
    }
  | { type: 'tick.finished'; tick: number; usage: Usage; cost: number | null; reason: FinishReason }
  | { type: 'run.finished'; result: RunResult };

export type RunStatus =
  /** The model had nothing more to do, or a stop condition held. */
  'completed' | 'max-ticks' | 'budget' | 'aborted' | 'failed';

export interface RunResult {
  runId: string;
  status: RunStatus;
  /** Why it ended, for people. */
  reason: string;
  /** The text of the last answer; a partial one is kept. */
  text: string;
  /** What the run added to the conversation. */
  messages: readonly Message[];
  ticks: number;
  /** What the run itself used. */
  usage: Usage;
  /** US dollars; null when the model's price is not known. */
  cost: number | null;
  /** The same with the agents that it called in this process, and those that they called. */
  together: { usage: Usage; cost: number | null };
  error: { code: HubErrorCode; message: string } | null;
}
