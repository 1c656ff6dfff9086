import type { HubErrorCode } from '../base/error-codes.ts';
import type { Usage } from '../engine/model.ts';
import type { ApprovalAnswer, RunStatus } from '../engine/run-events.ts';
import type { ContentBlock } from '../tools/content.ts';

/** What happened in a chat, in the order of `seq`. An event is in the store before anybody is shown it. */
export type ChatEvent = { seq: number; at: number } & ChatEventBody;

export type ChatEventBody =
  | { type: 'message.sent'; messageId: string; text: string }
  | { type: 'answer.started'; runId: string; messageId: string; agentId: string; model: string }
  | { type: 'tick.started'; runId: string; tick: number }
  /** Several deltas of the model may come as one. */
  | { type: 'text'; runId: string; delta: string }
  | { type: 'reasoning'; runId: string; delta: string }
  /** The model's answer was cut and is asked for again: what came in this tick does not count. */
  | { type: 'tick.retried'; runId: string; tick: number; reason: string }
  | { type: 'tool.called'; runId: string; id: string; tool: string; input: unknown }
  | { type: 'approval.needed'; runId: string; id: string; tool: string; input: unknown }
  | { type: 'approval.given'; runId: string; id: string; answer: ApprovalAnswer }
  | {
      type: 'tool.finished';
      runId: string;
      id: string;
      tool: string;
      content: readonly ContentBlock[];
      isError: boolean;
      durationMs: number;
    }
  | { type: 'tick.finished'; runId: string; tick: number; usage: Usage; cost: number | null }
  | {
      type: 'answer.finished';
      runId: string;
      /** `interrupted`: its process ended before the answer did. */
      status: RunStatus | 'interrupted';
      reason: string;
      usage: Usage;
      cost: number | null;
      error: { code: HubErrorCode; message: string } | null;
    }
  /** A message was edited or answered again: what came from this message on is put aside, the message itself included. */
  | { type: 'rewound'; messageId: string }
  | { type: 'switched'; agentId: string; model: string | null };
