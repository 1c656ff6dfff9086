import type { Usage } from '../engine/model.ts';
import type { RefusalKind, RunError, RunStatus } from '../engine/run-events.ts';
import { addUsage, noUsage } from '../engine/usage.ts';
import type { ContentBlock } from '../tools/content.ts';
import type { Attachment } from './attachments/attachment.ts';
import type { ChatEvent } from './chat.ts';

/** The visible state of a chat, built from its events. */
export interface Transcript {
  /** The number of its newest event; 0 if there is none. */
  lastSeq: number;
  /** The active branch. */
  turns: readonly Turn[];
  /** The turns of other branches, by message id. */
  aside: ReadonlyMap<string, Turn>;
  /** The ids of the messages that follow each message (or none: ''), in the order in which they were sent. */
  following: ReadonlyMap<string, readonly string[]>;
}

/** A message and its answer. */
export interface Turn {
  messageId: string;
  /** The id of the message before it; empty for the first. */
  parentId: string;
  text: string;
  attachments?: readonly Attachment[];
  at: number;
  answers: readonly Answer[];
}

export interface Answer {
  runId: string;
  agentId: string;
  /** Empty if it is not known. */
  model: string;
  /** It was given in another conversation, where its usage counts. */
  isCopied?: true;
  status: 'answering' | RunStatus | 'interrupted';
  parts: readonly AnswerPart[];
  usage: Usage;
  cost: number | null;
  /** Why it ended, in words; empty while it runs. */
  reason: string;
  /** Set if a budget of the hub ended it. */
  refusal?: RefusalKind;
  error: RunError | null;
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
  return { lastSeq: 0, turns: [], aside: new Map(), following: new Map() };
}

/** Adds an event. Changes nothing in place: unaffected parts stay the same objects. Skips events it already has. */
export function addEvent(transcript: Transcript, event: ChatEvent): Transcript {
  if (event.seq <= transcript.lastSeq) return transcript;
  return { ...transcript, ...changeBy(transcript, event), lastSeq: event.seq };
}

function changeBy(before: Transcript, event: ChatEvent): Partial<Transcript> {
  switch (event.type) {
    case 'message.sent':
      return addMessage(before, event);
    case 'rewound': {
      const replaced = before.turns.find(({ messageId }) => messageId === event.messageId);
      return replaced ? activate(before, replaced.parentId) : {};
    }
    case 'branch.chosen':
      return activate(before, event.messageId ?? '');
    case 'switched':
      return {};
    case 'answer.started':
      return changeTurn(
        before,
        ({ messageId }) => messageId === event.messageId,
        (turn) => ({ ...turn, answers: [...turn.answers, newAnswer(event)] }),
      );
    default:
      return withAnswer(before, event);
  }
}

function addMessage(
  { turns, following }: Transcript,
  { messageId, text, at, attachments }: Extract<ChatEvent, { type: 'message.sent' }>,
): Partial<Transcript> {
  const parentId = turns.at(-1)?.messageId ?? '';
  const siblings = following.get(parentId) ?? [];
  return {
    turns: [...turns, { messageId, parentId, text, at, ...(attachments && { attachments }), answers: [] }],
    following: new Map(following).set(parentId, [...siblings, messageId]),
  };
}

/** Makes the branch that ends at a message (or none: '') the active one. */
function activate({ turns, aside }: Transcript, endId: string): Partial<Transcript> {
  const others = new Map([...aside, ...turns.map((turn) => [turn.messageId, turn] as const)]);
  if (endId !== '' && !others.has(endId)) return {};
  const branch: Turn[] = [];
  for (let turn = others.get(endId); turn; turn = others.get(turn.parentId)) {
    branch.unshift(turn);
    others.delete(turn.messageId);
  }
  return { turns: branch, aside: others };
}

/** Changes a turn, which is nearly always the last one of the active branch. */
function changeTurn(
  { turns, aside }: Transcript,
  isIt: (turn: Turn) => boolean,
  change: (turn: Turn) => Turn,
): Partial<Transcript> {
  const index = turns.findLastIndex(isIt);
  const turn = turns[index];
  if (turn) return { turns: turns.with(index, change(turn)) };
  const other = [...aside.values()].findLast(isIt);
  return other ? { aside: new Map(aside).set(other.messageId, change(other)) } : {};
}

/** Versions of the same thing, by the ids of their messages, and which one is active. */
export interface Versions {
  ids: readonly string[];
  index: number;
}

/** Returns the versions of a message, and those of its answer: messages with the same text in the same place. */
export function versionsOf(
  { turns, aside, following }: Transcript,
  { messageId, parentId, text }: Turn,
): { message: Versions; answer: Versions } {
  const siblings = following.get(parentId) ?? [messageId];
  if (siblings.length === 1) return { message: { ids: siblings, index: 0 }, answer: { ids: siblings, index: 0 } };
  const texts = new Map(turns.map((turn) => [turn.messageId, turn.text]));
  const byText = Map.groupBy(siblings, (id) => texts.get(id) ?? aside.get(id)?.text ?? '');
  // A version of the message is entered at its newest answer.
  const ids = [...byText].map(([each, answered]) => (each === text ? messageId : (answered.at(-1) ?? messageId)));
  const answerIds = byText.get(text) ?? [messageId];
  return {
    message: { ids, index: ids.indexOf(messageId) },
    answer: { ids: answerIds, index: answerIds.indexOf(messageId) },
  };
}

function newAnswer(event: Extract<ChatEvent, { type: 'answer.started' }>): Answer {
  const { runId, agentId, model, isCopied, at } = event;
  return {
    runId,
    agentId,
    model,
    ...(isCopied && { isCopied }),
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

type AnswerEvent = Exclude<
  ChatEvent,
  { type: 'message.sent' | 'rewound' | 'branch.chosen' | 'switched' | 'answer.started' }
>;

function withAnswer(transcript: Transcript, event: AnswerEvent): Partial<Transcript> {
  return changeTurn(
    transcript,
    ({ answers }) => answers.some(({ runId }) => runId === event.runId),
    (turn) => ({
      ...turn,
      answers: turn.answers.map((answer) => (answer.runId === event.runId ? nextAnswer(answer, event) : answer)),
    }),
  );
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
        ...(durationMs !== undefined && { durationMs }),
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
      const { status, reason, refusal, usage, cost, error, at } = event;
      return {
        ...answer,
        status,
        reason,
        ...(refusal && { refusal }),
        usage,
        cost,
        error,
        finishedAt: at,
        parts: parts.map(ended),
      };
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
