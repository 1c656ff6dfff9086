import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { wholeNumber } from '../base/contract-fields.ts';
import { Chat } from './chat.ts';
import { ApprovalInput, ChatChange, ChatQueryInput, MessageInput, NewChatInput } from './chat-input.ts';
import { ChatContext, FoundChat } from './chats.ts';

const MessageSent = z.object({ messageId: z.string(), runId: z.string() });
const nothing = { body: z.strictObject({}), isBodyOptional: true, example: {} } as const;

export const chatsContract = defineContract('Chats', {
  'GET /api/chats': {
    right: 'work',
    summary: 'List and search chats',
    query: ChatQueryInput,
    answer: 'Newest first; with words, where they were found.',
    output: z.object({ chats: z.array(FoundChat), cursor: z.string().nullable() }),
    errors: [400],
  },
  'POST /api/chats': {
    right: 'work',
    summary: 'Begin a chat',
    description:
      'A `message` is sent at once. With `origin` `{kind: "test", tool, parameters}` the parameters are checked against the saved tool of the agent, and its filled prompt is sent.',
    body: NewChatInput,
    example: { agentId: 'code-wizard', message: 'What can you do?' },
    status: 201,
    answer: 'The chat.',
    output: Chat,
    errors: [400, 404],
  },
  'GET /api/chats/{id}': {
    right: 'work',
    summary: 'Read a chat',
    description: 'What was said comes from its events.',
    answer: 'The chat.',
    output: Chat,
    errors: [404],
  },
  'PATCH /api/chats/{id}': {
    right: 'work',
    summary: 'Rename a chat, or switch its agent, model or arguments',
    description:
      'A switch takes effect with the next message. Another agent begins without the arguments of the one before; those that it needs are given with `arguments`. Missing and unknown ones are named, and nothing is changed.',
    body: ChatChange,
    example: { title: 'Plans for May', model: 'openai/gpt-5' },
    answer: 'The chat.',
    output: Chat,
    errors: [400, 404, 409],
  },
  'DELETE /api/chats/{id}': {
    right: 'work',
    summary: 'Delete a chat',
    description: 'Its answer is stopped first.',
    status: 204,
    answer: 'It is gone.',
    errors: [404],
  },
  'POST /api/chats/{id}/messages': {
    right: 'work',
    summary: 'Send a message',
    description:
      'The answer comes as events. `replaces` edits an earlier message: it and all that came after are put aside.',
    body: MessageInput,
    example: { text: 'And in French?' },
    status: 202,
    answer: 'It is kept, and the answer has begun.',
    output: MessageSent,
    errors: [400, 404, 409],
  },
  'POST /api/chats/{id}/retry': {
    right: 'work',
    ...nothing,
    summary: 'Answer the last message again',
    status: 202,
    answer: 'The answer has begun.',
    output: MessageSent,
    errors: [400, 404, 409],
  },
  'POST /api/chats/{id}/stop': {
    right: 'work',
    ...nothing,
    summary: 'Stop the answer',
    description: 'What was said of it stays. Does nothing when none is under way.',
    status: 204,
    answer: 'The answer has ended.',
    errors: [404],
  },
  'POST /api/chats/{id}/approvals/{toolUseId}': {
    right: 'work',
    summary: 'Answer whether a tool may be called',
    description: '`always` holds for every later call of the tool in this chat.',
    body: ApprovalInput,
    example: { answer: 'approve' },
    status: 204,
    answer: 'The answer counts.',
    errors: [400, 404, 409],
  },
  'GET /api/chats/{id}/events': {
    right: 'work',
    summary: 'Follow a chat',
    description:
      'Server-sent events: what happened after `after` (or the Last-Event-ID header), an event named `ready`, then what happens. The id of an event is its number. At most 500 streams are open at once.',
    query: z.strictObject({ after: wholeNumber.min(0).optional() }),
    answer: 'A stream that stays open.',
    contentType: 'text/event-stream',
    errors: [404, 503],
  },
  'GET /api/chats/{id}/context': {
    right: 'work',
    summary: 'See what the model is given beside the messages',
    answer: 'As the next answer would get it.',
    output: ChatContext,
    errors: [404],
  },
  'GET /api/chats/{id}/export': {
    right: 'work',
    summary: 'Export a chat as a file',
    query: z.strictObject({ format: z.enum(['markdown', 'json']).default('markdown') }),
    answer: 'The file.',
    contentType: 'text/markdown',
    errors: [400, 404],
  },
});
