import { HubError } from '../base/hub-error.ts';
import type { Message, MessageBlock } from './message.ts';

/** A message as callers write it: the content may be plain text. */
export interface MessageInput {
  role: Message['role'];
  content: string | readonly (string | MessageBlock)[];
}

/** The input of a run: a question, a conversation, or a timeline. */
export type RunInput =
  | string
  | { messages: readonly MessageInput[] }
  | { timeline: readonly { kind: 'message'; message: MessageInput }[] };

const forms =
  'Pass a text, {messages: [{role, content}]} or {timeline: [{kind: "message", message: {role, content}}]}.';
const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies Message['role'][];

/** Converts the input of a run. Throws INVALID_ARGUMENTS that names the path and what is accepted there. */
export function toMessages(input: RunInput): Message[] {
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid(`The input is empty. ${forms}`);
    return [{ role: 'user', content: [{ type: 'text', text: input }] }];
  }
  const value: unknown = input;
  if (isRecord(value)) {
    if (Array.isArray(value.messages)) {
      return value.messages.map((message, index) => toMessage(message, `messages[${index}]`));
    }
    if (Array.isArray(value.timeline)) {
      return value.timeline.map((entry, index) => {
        const path = `timeline[${index}]`;
        if (!isRecord(entry) || entry.kind !== 'message') throw invalid(`${path}: kind must be "message".`);
        return toMessage(entry.message, `${path}.message`);
      });
    }
  }
  throw invalid(`The input has an unknown form. ${forms}`);
}

/** Converts and copies a message, so that later changes by the caller have no effect. Throws INVALID_ARGUMENTS. */
export function toMessage(input: unknown, path = 'message'): Message {
  if (!isRecord(input)) throw invalid(`${path}: must be an object with role and content.`);
  if (!roles.includes(input.role)) throw invalid(`${path}.role: must be one of ${roles.join(', ')}.`);
  const role = input.role as Message['role']; // It is one of `roles`.
  if (typeof input.content === 'string') return { role, content: [{ type: 'text', text: input.content }] };
  if (!Array.isArray(input.content)) throw invalid(`${path}.content: must be text or a list of blocks.`);
  return { role, content: input.content.map((block, index) => toBlock(block, `${path}.content[${index}]`)) };
}

type Check = (block: Record<string, unknown>) => string | undefined;

/** By type of block: returns what is wrong with it, if anything. */
const checks: Record<MessageBlock['type'], Check> = {
  text: (block) => needsText(block, 'text'),
  reasoning: (block) => needsText(block, 'text'),
  image: (block) => needsText(block, 'data', 'mimeType'),
  audio: (block) => needsText(block, 'data', 'mimeType'),
  resource_link: (block) => needsText(block, 'uri', 'name'),
  resource: ({ resource }) => (isRecord(resource) ? needsText(resource, 'uri') : 'resource must be an object'),
  tool_use: (block) => needsText(block, 'id', 'name'),
  tool_result: (block) =>
    needsText(block, 'toolUseId', 'name') ?? (Array.isArray(block.content) ? undefined : 'content must be a list'),
};

function toBlock(input: unknown, path: string): MessageBlock {
  if (typeof input === 'string') return { type: 'text', text: input };
  if (!isRecord(input) || typeof input.type !== 'string' || !Object.hasOwn(checks, input.type)) {
    throw invalid(`${path}.type: must be one of ${Object.keys(checks).join(', ')}.`);
  }
  const type = input.type as MessageBlock['type']; // It is a key of `checks`.
  const problem = checks[type](input);
  if (problem !== undefined) throw invalid(`${path}: ${problem}.`);
  if (type === 'tool_result') return { isError: false, ...input } as MessageBlock; // Checked above.
  return input as unknown as MessageBlock; // Checked above.
}

function needsText(block: Record<string, unknown>, ...keys: string[]): string | undefined {
  const missing = keys.find((key) => typeof block[key] !== 'string');
  return missing === undefined ? undefined : `${missing} must be text`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(message: string): HubError {
  return new HubError('INVALID_ARGUMENTS', message);
}
