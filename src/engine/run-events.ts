import type { HubErrorCode } from '../base/error-codes.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Message } from './message.ts';
import type { FinishReason, ModelFailureReason, Usage } from './model.ts';

/**
 * `approve` approves this call. `chat` approves every later call to the same tool in this run and its session, too. `always` is also
 * stored for this agent and tool, if the run has a place to store it.
 */
export type ApprovalAnswer = 'approve' | 'chat' | 'always' | 'deny';

export interface ApprovalRequest {
  toolUseId: string;
  tool: string;
  input: unknown;
  /** The tool's own question, or "Allow NAME to execute?". */
  message: string;
  /** Set if the call needs approval because of what the run has read from outside. */
  outside?: readonly string[] | undefined;
}

/** The events of a run, in order. */
export type RunEvent =
  | { type: 'run.started'; runId: string; model: string }
  | { type: 'tick.started'; tick: number }
  | { type: 'text'; delta: string }
  | { type: 'reasoning'; delta: string }
  /** The model's answer was cut off and is requested again: discard everything received in this tick. */
  | { type: 'tick.retried'; tick: number; reason: string }
  | { type: 'tool.called'; id: string; tool: string; input: unknown }
  /** `outside` is set if the run asks because of what it has read from outside. */
  | { type: 'approval.needed'; id: string; tool: string; input: unknown; outside?: readonly string[] }
  | { type: 'approval.given'; id: string; answer: ApprovalAnswer }
  /** The run has read text from outside, from a source that is new to this conversation. */
  | { type: 'outside.read'; source: string }
  | {
      type: 'tool.finished';
      id: string;
      tool: string;
      content: readonly ContentBlock[];
      isError: boolean;
      durationMs: number;
      /** Where the content comes from, if it is text from outside. */
      outside?: string;
    }
  | { type: 'tick.finished'; tick: number; usage: Usage; cost: number | null; reason: FinishReason }
  | { type: 'run.finished'; result: RunResult };

export type RunStatus =
  /** The model had nothing more to do, or a stop condition was met. */
  'completed' | 'max-ticks' | 'budget' | 'aborted' | 'failed';

/** Why a budget of the hub refused a model call: it is used up, or it is in dollars and the price of the model is unknown. */
export type RefusalKind = 'used-up' | 'unknown-price';

/** Why a run failed. */
export interface RunError {
  code: HubErrorCode;
  message: string;
  /** Set if a model failed. */
  reason?: ModelFailureReason;
}

export interface RunResult {
  runId: string;
  status: RunStatus;
  /** Why the run ended, to show to the user. */
  reason: string;
  /** Set if a budget of the hub ended the run, and not one of its own. */
  refusal?: RefusalKind | undefined;
  /** The text of the last answer, even if it is incomplete. */
  text: string;
  /** The messages that the run added to the conversation. */
  messages: readonly Message[];
  ticks: number;
  /** The usage of the run itself. */
  usage: Usage;
  /** US dollars; null if the model's price is unknown. */
  cost: number | null;
  /** Usage and cost including the agents that it called in this process, directly or indirectly. */
  together: { usage: Usage; cost: number | null };
  error: RunError | null;
}
