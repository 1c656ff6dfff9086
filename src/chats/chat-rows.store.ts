import type { Selectable } from 'kysely';
import { HubError } from '../base/hub-error.ts';
import { toMessageText } from '../runs/stored-message.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { Chat, ChatEvent, ChatEventBody, ChatOrigin } from './chat.ts';
import type { AnsweringProcess, ChatRecord } from './chat-store.ts';

export type StoredChatRow = Selectable<ChatRow>;

export function toChatRecord(
  row: StoredChatRow,
  processState: (holder: string) => AnsweringProcess['state'],
): ChatRecord {
  return { chat: toChat(row), arguments: JSON.parse(row.arguments), answering: toAnswering(row, processState) };
}

function toChat(row: StoredChatRow): Chat {
  return {
    id: row.id,
    agentId: row.agent_id,
    title: row.title || 'New chat',
    model: row.model,
    origin: toOrigin(row),
    // Only this noun's stores write state and usage, from these types.
    state: row.state as Chat['state'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    usage: JSON.parse(row.usage),
    cost: row.cost,
    outside: JSON.parse(row.outside),
    lastSeq: row.last_seq,
  };
}

function toOrigin({ origin, tool, parameters }: StoredChatRow): ChatOrigin {
  if (origin === 'test') return { kind: 'test', tool: tool ?? '', parameters: JSON.parse(parameters ?? '{}') };
  if (origin === 'a2a') return { kind: 'a2a', ...JSON.parse(parameters ?? '{}') };
  return { kind: 'chat' };
}

function toAnswering(
  row: StoredChatRow,
  processState: (holder: string) => AnsweringProcess['state'],
): AnsweringProcess | null {
  if (row.run_id === null) return null;
  return {
    runId: row.run_id,
    messageId: row.message_id ?? '',
    state: processState(row.holder ?? ''),
    startSeq: row.start_seq ?? 0,
  };
}

export function toEvent(row: { seq: number; at: number; event: string }): ChatEvent {
  // `toEventText` wrote it, from this type.
  const body: ChatEventBody = JSON.parse(row.event);
  return { seq: row.seq, at: row.at, ...body };
}

/** Returns an event as JSON to store, without secrets. Tool results are shortened as in runs. */
export function toEventText(event: ChatEventBody, redact: Redact): string {
  if (event.type !== 'tool.finished') return toJson(event, redact);
  const { id, tool, content, isError, ...rest } = event;
  const block = { type: 'tool_result' as const, toolUseId: id, name: tool, content, isError };
  const stored: { content: readonly { content?: unknown; text?: string }[] } = JSON.parse(
    toMessageText({ role: 'tool', content: [block] }, redact),
  );
  const first = stored.content[0];
  // A result that cannot be stored is replaced by a note.
  const shown = first?.content ?? [{ type: 'text', text: first?.text ?? '' }];
  return redact(JSON.stringify({ ...rest, id, tool, content: shown, isError }));
}

const maxCharacters = 1_000_000;

/** Replaces an input that is too large or that JSON cannot represent by a note. */
function toJson(event: ChatEventBody, redact: Redact): string {
  let text = '';
  try {
    text = redact(JSON.stringify(event));
    if (text.length <= maxCharacters) return text;
  } catch {
    // Handled below.
  }
  const note =
    text === '' ? 'This input could not be stored.' : `An input of ${text.length} characters was not stored.`;
  return 'input' in event ? JSON.stringify({ ...event, input: { note } }) : text;
}

export function noChat(id: string): HubError {
  return new HubError('NOT_FOUND', `There is no chat with the id "${id.slice(0, 80)}".`);
}

export function isAnswering(id: string): HubError {
  return new HubError('CONFLICT', `The chat ${id} is still answering. Wait for the answer, or stop it first.`);
}

/** The error if another process ended the answer, or another answer has started. */
export function answerEnded(id: string, runId: string): HubError {
  return new HubError('CONFLICT', `The answer ${runId} of the chat ${id} has ended.`);
}

declare module '../db/tables.ts' {
  interface Tables {
    chats: ChatRow;
    chat_events: ChatEventRow;
    chat_approvals: ChatApprovalRow;
    chat_words: ChatWordRow;
  }
}

export interface ChatRow {
  id: string;
  agent_id: string;
  /** Empty until the first message. */
  title: string;
  model: string | null;
  origin: string;
  /** The tested tool, for tests. */
  tool: string | null;
  parameters: string | null;
  arguments: string;
  state: string;
  created_at: number;
  updated_at: number;
  usage: string;
  cost: number | null;
  /** The sources of the text from outside that the chat has read, as a JSON list. */
  outside: string;
  last_seq: number;
  /** The number of its rows in `messages`, including those set aside. */
  messages: number;
  /** The answer in progress, and the process that runs it. */
  run_id: string | null;
  message_id: string | null;
  start_seq: number | null;
  holder: string | null;
  /** The run to stop. */
  stop_run_id: string | null;
}

interface ChatEventRow {
  chat_id: string;
  seq: number;
  at: number;
  event: string;
}

interface ChatApprovalRow {
  chat_id: string;
  run_id: string;
  /** The number of the event that asked. */
  seq: number;
  tool_use_id: string;
  answer: string | null;
}

/** The searchable words of a chat: from its title and its current messages. */
interface ChatWordRow {
  chat_id: string;
  word: string;
}
