import type { HubErrorCode } from '../base/error-codes.ts';
import type { Usage } from '../engine/model.ts';
import type { RunStatus } from '../engine/run-events.ts';
import { addUsage, noUsage } from '../engine/usage.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { ChatEvent } from './chat.ts';

/** The visible state of a chat, built from its events. Messages set aside are not in it. */
export interface Transcript {
  /** The number of its newest event; 0 if there is none. */
  lastSeq: number;
  turns: readonly Turn[];
}

/** A message and its answer. */
export interface Turn {
  messageId: string;
  text: string;
  at: number;
  answers: readonly Answer[];
}

export interface Answer {
  runId: string;
  agentId: string;
  model: string;
  status: 'answering' | RunStatus | 'interrupted';
  parts: readonly AnswerPart[];
  usage: Usage;
  cost: number | null;
  /** Why it ended, in words; empty while it runs. */
  reason: string;
  error: { code: HubErrorCode; message: string } | null;
  startedAt: number;
  finishedAt: number | null;
  /** The new sources of text from outside that this answer has read. */
  outside?: readonly string[];
  /** The index of the current tick's first part. */
  tickStart: number;
}

export type AnswerPart = { type: 'text'; text: string } | { type: 'reasoning'; text: string } | CallPart;

export interface CallPart {
  type: 'call';
  id: string;
  tool: string;
  input: unknown;
  /** `waiting`: the call awaits approval. */
  state: 'running' | 'waiting' | 'denied' | 'finished' | 'failed';
  content?: readonly ContentBlock[];
  durationMs?: number;
  /** Where the content comes from, if it is text from outside. */
  outside?: string;
  /** What the chat had read from outside, if that is why the call needs approval. */
  asksAfter?: readonly string[];
}

export function emptyTranscript(): Transcript {
  return { lastSeq: 0, turns: [] };
}

/** Adds an event. Changes nothing in place: unaffected parts stay the same objects. Skips events it already has. */
export function addEvent(transcript: Transcript, event: ChatEvent): Transcript {
  const { lastSeq, turns } = transcript;
  if (event.seq <= lastSeq) return transcript;
  return { lastSeq: event.seq, turns: nextTurns(turns, event) };
}

function nextTurns(turns: readonly Turn[], event: ChatEvent): readonly Turn[] {
  switch (event.type) {
    case 'message.sent': {
      const { messageId, text, at } = event;
      return [...turns, { messageId, text, at, answers: [] }];
    }
    case 'rewound': {
      const index = turns.findIndex(({ messageId }) => messageId === event.messageId);
      return index === -1 ? turns : turns.slice(0, index);
    }
    case 'switched':
      return turns;
    case 'answer.started':
      return turns.map((turn) =>
        turn.messageId === event.messageId ? { ...turn, answers: [...turn.answers, newAnswer(event)] } : turn,
      );
    default:
      return withAnswer(turns, event);
  }
}

function newAnswer(event: Extract<ChatEvent, { type: 'answer.started' }>): Answer {
  const { runId, agentId, model, at } = event;
  return {
    runId,
    agentId,
    model,
    status: 'answering',
    parts: [],
    usage: noUsage,
    cost: 0,
    reason: '',
    error: null,
    startedAt: at,
    finishedAt: null,
    tickStart: 0,
  };
}

/** Handles the events of an answer, which is nearly always the last one. */
type AnswerEvent = Exclude<ChatEvent, { type: 'message.sent' | 'rewound' | 'switched' | 'answer.started' }>;

function withAnswer(turns: readonly Turn[], event: AnswerEvent): readonly Turn[] {
  const index = turns.findLastIndex(({ answers }) => answers.some(({ runId }) => runId === event.runId));
  const turn = turns[index];
  if (!turn) return turns;
  const answers = turn.answers.map((answer) => (answer.runId === event.runId ? nextAnswer(answer, event) : answer));
  return turns.with(index, { ...turn, answers });
}

function nextAnswer(answer: Answer, event: AnswerEvent): Answer {
  const { parts } = answer;
  switch (event.type) {
    case 'tick.started':
      return { ...answer, tickStart: parts.length };
    case 'text':
    case 'reasoning':
      return { ...answer, parts: addDelta(answer, event) };
    case 'tick.retried':
      return { ...answer, parts: parts.slice(0, answer.tickStart) };
    case 'tool.called': {
      const { id, tool, input } = event;
      return { ...answer, parts: [...parts, { type: 'call', id, tool, input, state: 'running' }] };
    }
    case 'approval.needed':
      return {
        ...answer,
        parts: changeCall(parts, event.id, {
          state: 'waiting',
          ...(event.outside && { asksAfter: event.outside }),
        }),
      };
    case 'approval.given':
      return {
        ...answer,
        parts: changeCall(parts, event.id, { state: event.answer === 'deny' ? 'denied' : 'running' }),
      };
    case 'outside.read':
      return { ...answer, outside: [...(answer.outside ?? []), event.source] };
    case 'tool.finished': {
      const { content, durationMs, isError, outside } = event;
      const change = ({ state }: CallPart): Partial<CallPart> => ({
        content,
        durationMs,
        state: state === 'denied' ? 'denied' : isError ? 'failed' : 'finished',
        ...(outside !== undefined && { outside }),
      });
      return { ...answer, parts: changeCall(parts, event.id, change) };
    }
    case 'tick.finished': {
      const { usage, cost } = event;
      const sum = answer.cost === null || cost === null ? null : answer.cost + cost;
      return { ...answer, usage: addUsage(answer.usage, usage), cost: sum };
    }
    case 'answer.finished': {
      const { status, reason, usage, cost, error, at } = event;
      return { ...answer, status, reason, usage, cost, error, finishedAt: at, parts: parts.map(ended) };
    }
  }
}

function addDelta(
  { parts, tickStart }: Answer,
  { type, delta }: { type: 'text' | 'reasoning'; delta: string },
): readonly AnswerPart[] {
  const last = parts.length - 1;
  const open = last >= tickStart ? parts[last] : undefined;
  if (open?.type !== type) return [...parts, { type, text: delta }];
  return parts.with(last, { type, text: open.text + delta });
}

function changeCall(
  parts: readonly AnswerPart[],
  id: string,
  change: Partial<CallPart> | ((call: CallPart) => Partial<CallPart>),
): readonly AnswerPart[] {
  const index = parts.findLastIndex((part) => part.type === 'call' && part.id === id);
  const call = parts[index];
  if (call?.type !== 'call') return parts;
  return parts.with(index, { ...call, ...(typeof change === 'function' ? change(call) : change) });
}

/** Marks calls that an interrupted answer left open as without a result. */
function ended(part: AnswerPart): AnswerPart {
  if (part.type !== 'call' || (part.state !== 'running' && part.state !== 'waiting')) return part;
  return { ...part, state: 'failed' };
}
