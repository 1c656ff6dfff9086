import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import type { ContentBlock } from '../tools/content.ts';
import { blockTypes, toResultContent, translateBlock } from './foreign-blocks.ts';
import type { EntryOptions, ForeignBlock, Message, MessageBlock, TimelineEntry, Visibility } from './message.ts';

/** A message as callers write it: the content may be plain text, one block, or a list. */
export interface MessageInput {
  role: Message['role'] | 'event';
  content: string | MessageBlock | ForeignBlock | readonly (string | MessageBlock | ForeignBlock)[];
  /** Kept in the timeline, like `metadata`, `createdAt` and `updatedAt`. */
  id?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  createdAt?: string | Date | undefined;
  updatedAt?: string | Date | undefined;
}

/** An entry as callers write it. */
export interface TimelineEntryInput extends EntryOptions {
  kind: 'message' | 'event';
  message: MessageInput;
  id?: string | undefined;
}

/** The input of a run: a question, a conversation, or a timeline. */
export type RunInput = string | { messages: readonly MessageInput[] } | { timeline: readonly TimelineEntryInput[] };

/** An entry as it was written, and its message as the model sees it. */
export interface ReadEntry {
  entry: TimelineEntry;
  message: Message;
}

const forms =
  'Pass a text, {messages: [{role, content}]} or {timeline: [{kind: "message", message: {role, content}}]}.';
const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool', 'event'] satisfies MessageInput['role'][];
const visibilities: readonly unknown[] = ['model', 'observer', 'log'] satisfies Visibility[];

/** The error of a run without a question. */
export function nothingToAnswer(): HubError {
  return invalid(
    'There is no message to answer. Pass an input, or let a component add the first message with com.addMessage().',
  );
}

/** Reads the input of a run. Throws INVALID_ARGUMENTS that names the path and what is accepted there. */
export function readInput(input: RunInput): ReadEntry[] {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid(`The input is empty. ${forms}`);
    return [readEntry({ kind: 'message', message: { role: 'user', content: input } }, '')];
  }
  const value: unknown = input;
  if (isRecord(value)) {
    if (Array.isArray(value.messages)) {
      return value.messages.map((message, index) => read({ kind: 'message' }, { message, path: `messages[${index}]` }));
    }
    if (Array.isArray(value.timeline)) {
      return value.timeline.map((entry, index) => readEntry(entry, `timeline[${index}]`));
    }
  }
  throw invalid(`The input has an unknown form. ${forms}`);
}

/** Returns the messages of an input as the model sees them. Throws INVALID_ARGUMENTS. */
export function toMessages(input: RunInput): Message[] {
  return readInput(input).map(({ message }) => message);
}

/** Reads and copies an entry, so that later changes by the caller have no effect. Throws INVALID_ARGUMENTS. */
export function readEntry(entry: unknown, path = 'entry'): ReadEntry {
  if (!isRecord(entry) || (entry.kind !== 'message' && entry.kind !== 'event')) {
    throw invalid(`${path}: kind must be "message" or "event".`);
  }
  const { id, tags, visibility, metadata, kind } = entry;
  if (visibility !== undefined && !visibilities.includes(visibility)) {
    throw invalid(`${path}.visibility: must be one of ${visibilities.join(', ')}.`);
  }
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))) {
    throw invalid(`${path}.tags: must be a list of texts.`);
  }
  // Checked above; `id` and `metadata` are passed on as they are.
  const options = defined({ id, tags, visibility, metadata }) as EntryOptions;
  return read({ kind, ...options }, { message: entry.message, path: `${path}.message` });
}

function read(
  head: Omit<TimelineEntry, 'message'>,
  { message: input, path }: { message: unknown; path: string },
): ReadEntry {
  if (!isRecord(input)) throw invalid(`${path}: must be an object with role and content.`);
  if (!roles.includes(input.role)) throw invalid(`${path}.role: must be one of ${roles.join(', ')}.`);
  const role = input.role as MessageInput['role']; // It is one of `roles`.
  const { content: given, id, metadata, createdAt, updatedAt } = input;
  const blocks = isRecord(given) || typeof given === 'string' ? [given] : given;
  if (!Array.isArray(blocks)) throw invalid(`${path}.content: must be text or a list of blocks.`);
  const content = blocks.map((block, index) => toBlock(block, `${path}.content[${index}]`));
  // The blocks were checked; what the model does not know is kept as it is.
  const written = blocks.map((block) => (typeof block === 'string' ? { type: 'text', text: block } : { ...block }));
  const extras = defined({ id, metadata, createdAt, updatedAt });
  return {
    entry: { ...head, message: { ...extras, role, content: written } },
    message: role === 'event' ? { role: 'user', content: content.map(markEvent) } : { role, content },
  };
}

/** Lets the model tell an event from what the user says. */
function markEvent(block: MessageBlock): MessageBlock {
  return block.type === 'text' && !block.text.startsWith('[') ? { ...block, text: `[event] ${block.text}` } : block;
}

type Check = (block: Record<string, unknown>) => string | undefined;

/** By type of block: returns what is wrong with it, if anything. */
const checks: Record<MessageBlock['type'], Check> = {
  text: (block) => needsText(block, 'text'),
  reasoning: (block) => needsText(block, 'text'),
  image: (block) => needsText(block, 'data', 'mimeType'),
  audio: (block) => needsText(block, 'data', 'mimeType'),
  file_link: (block) =>
    needsText(block, 'url', 'mimeType') ?? (URL.canParse(String(block.url)) ? undefined : 'url must be an address'),
  resource_link: (block) => needsText(block, 'uri', 'name'),
  resource: ({ resource }) => (isRecord(resource) ? needsText(resource, 'uri') : 'resource must be an object'),
  tool_use: (block) => needsText(block, 'id', 'name'),
  tool_result: (block) =>
    needsText(block, 'toolUseId', 'name') ?? (Array.isArray(block.content) ? undefined : 'content must be a list'),
};

function toBlock(input: unknown, path: string): MessageBlock {
  if (typeof input === 'string') return { type: 'text', text: input };
  const block = isRecord(input) ? translateBlock(input) : undefined;
  if (!block) throw invalid(`${path}.type: must be one of ${blockTypes.join(', ')}.`);
  const type = block.type as MessageBlock['type']; // `translateBlock` returns no other types.
  const problem = checks[type] ? checks[type](block) : 'source must have a url or data';
  if (problem !== undefined) throw invalid(`${path}: ${problem}.`);
  // Checked above.
  if (type === 'tool_result') {
    return {
      isError: false,
      ...block,
      content: toContent(block.content as unknown[], path),
    } as unknown as MessageBlock;
  }
  return block as unknown as MessageBlock;
}

function toContent(blocks: readonly unknown[], path: string): ContentBlock[] {
  return blocks.map((block, index) => {
    const where = `${path}.content[${index}]`;
    const content = toResultContent(toBlock(block, where));
    if (!content) throw invalid(`${where}.type: a result cannot contain calls or results.`);
    return content;
  });
}

/** Returns what a tool returned as content; undefined if it is not a list of valid blocks, but data. */
export function toContentBlocks(value: unknown): ContentBlock[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  try {
    return toContent(value, '');
  } catch {
    return undefined;
  }
}

function needsText(block: Readonly<Record<string, unknown>>, ...keys: string[]): string | undefined {
  const missing = keys.find((key) => typeof block[key] !== 'string');
  return missing === undefined ? undefined : `${missing} must be text`;
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function invalid(message: string): HubError {
  return new HubError('INVALID_ARGUMENTS', message);
}
