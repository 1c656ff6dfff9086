import { z } from 'zod';
import { Usage } from '../engine/model.ts';
import type { ApprovalAnswer, RefusalKind, RunError, RunStatus } from '../engine/run-events.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Attachment } from './attachments/attachment.ts';

const moment = z.number().describe('Milliseconds since the epoch.');

/** Where a conversation came from: the user, a test of a Tools-mode tool, or another agent over A2A. */
const ChatOrigin = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('chat') }),
  z.object({ kind: z.literal('test'), tool: z.string(), parameters: z.record(z.string(), z.json()) }),
  /** `contextId` is set if the caller chose it. */
  z.object({ kind: z.literal('a2a'), contextId: z.string().exactOptional() }),
]);
export type ChatOrigin = z.infer<typeof ChatOrigin>;

/** A stored conversation. Its id is the context id of its session. */
export const Chat = z.object({
  id: z.string(),
  agentId: z.string(),
  title: z.string(),
  /** The `provider/model` that the user chose. */
  model: z.string().nullable().describe("Null if the agent's own model is used."),
  origin: ChatOrigin,
  /** `waiting`: a tool call needs approval. `interrupted`: the answering process ended. */
  state: z.enum(['idle', 'answering', 'waiting', 'interrupted']),
  createdAt: moment,
  updatedAt: moment,
  /** The total of all answers. */
  usage: Usage,
  cost: z.number().nullable().describe('In US dollars. Null if a price is unknown.'),
  /** The sources of the text from outside that the chat has read. */
  outside: z.array(z.string()).describe('Sources of text from outside that the agent has read in this chat.'),
  /** The number of the newest event. */
  lastSeq: z.int(),
});
export type Chat = z.infer<typeof Chat>;

/** An event of a chat, ordered by `seq`. It is stored before it is shown. */
export type ChatEvent = { seq: number; at: number } & ChatEventBody;

export type ChatEventBody =
  | { type: 'message.sent'; messageId: string; text: string; attachments?: readonly Attachment[] }
  /** `isCopied` is set if the answer was given in another conversation; its model is then empty if that is not known. */
  | { type: 'answer.started'; runId: string; messageId: string; agentId: string; model: string; isCopied?: true }
  | { type: 'tick.started'; runId: string; tick: number }
  /** May combine several deltas of the model. */
  | { type: 'text'; runId: string; delta: string }
  | { type: 'reasoning'; runId: string; delta: string }
  /** The model's answer was cut off and is requested again. Earlier parts of this tick do not count. */
  | { type: 'tick.retried'; runId: string; tick: number; reason: string }
  | { type: 'tool.called'; runId: string; id: string; tool: string; input: unknown }
  /** `outside` is set if the agent asks because of what it has read from outside. */
  | { type: 'approval.needed'; runId: string; id: string; tool: string; input: unknown; outside?: readonly string[] }
  | { type: 'approval.given'; runId: string; id: string; answer: ApprovalAnswer }
  /** The agent has read text from outside, from a source that is new to this chat. */
  | { type: 'outside.read'; runId: string; source: string }
  | {
      type: 'tool.finished';
      runId: string;
      id: string;
      tool: string;
      content: readonly ContentBlock[];
      isError: boolean;
      /** Unknown for some calls of copied answers. */
      durationMs?: number;
      /** Where the content comes from, if it is text from outside. */
      outside?: string;
    }
  | { type: 'tick.finished'; runId: string; tick: number; usage: Usage; cost: number | null }
  | {
      type: 'answer.finished';
      runId: string;
      /** `interrupted`: the process ended before the answer was complete. */
      status: RunStatus | 'interrupted';
      reason: string;
      /** Set if a budget of the hub ended it. */
      refusal?: RefusalKind;
      usage: Usage;
      cost: number | null;
      error: RunError | null;
    }
  /** A message was edited or answered again. This message and everything after it stay on a branch of their own. */
  | { type: 'rewound'; messageId: string }
  /** The active branch now ends at this message. Null before the first message. */
  | { type: 'branch.chosen'; messageId: string | null }
  | { type: 'switched'; agentId: string; model: string | null };
