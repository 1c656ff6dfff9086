import { z } from 'zod';
import { ToolGrant } from '../agents/agent-grants.ts';
import { defineContract } from '../base/contract.ts';
import { wholeNumber } from '../base/contract-fields.ts';
import { attachmentBodyLimits } from './attachments/attachment.ts';
import { Chat } from './chat.ts';
import {
  ApprovalInput,
  BranchInput,
  ChatChange,
  ChatQueryInput,
  MessageInput,
  NewChatInput,
  RetryInput,
} from './chat-input.ts';
import { ChatContext, FoundChat } from './chats.ts';

const MessageSent = z.object({ messageId: z.string(), runId: z.string() });
const nothing = { body: z.strictObject({}), isBodyOptional: true, example: {} } as const;

export const chatsContract = defineContract('Chats', {
  'GET /api/chats': {
    right: 'work',
    summary: 'List and search chats',
    query: ChatQueryInput,
    answer: 'Chats, newest first. A text search also returns the matching excerpts.',
    output: z.object({ chats: z.array(FoundChat), cursor: z.string().nullable() }),
    errors: [400],
  },
  'POST /api/chats': {
    right: 'work',
    summary: 'Create a chat',
    description:
      'A `message` is sent at once. With `origin` `{kind: "test", tool, parameters}`, the parameters are validated against the saved tool of the agent, and the resulting prompt is sent.',
    body: NewChatInput,
    bodyLimits: attachmentBodyLimits,
    example: { agentId: 'code-wizard', message: 'What can you do?' },
    status: 201,
    answer: 'The chat.',
    output: Chat,
    errors: [400, 404],
  },
  'GET /api/chats/{id}': {
    right: 'work',
    summary: 'Read a chat',
    description: 'The messages are in its events.',
    answer: 'The chat.',
    output: Chat,
    errors: [404],
  },
  'PATCH /api/chats/{id}': {
    right: 'work',
    summary: 'Rename a chat, or switch its agent, model or arguments',
    description:
      'Changes take effect with the next message. A new agent starts without the arguments of the previous one: send those it needs in `arguments`. If arguments are missing or unknown, the error names them and nothing changes.',
    body: ChatChange,
    example: { title: 'Plans for May', model: 'openai/gpt-5' },
    answer: 'The chat.',
    output: Chat,
    errors: [400, 404, 409],
  },
  'DELETE /api/chats/{id}': {
    right: 'administer',
    summary: 'Delete a chat',
    description: 'Stops a running answer first.',
    status: 204,
    answer: 'The chat was deleted.',
    errors: [404],
  },
  'POST /api/chats/{id}/messages': {
    right: 'work',
    summary: 'Send a message',
    description:
      'The answer arrives as events. `replaces` edits an earlier message: the new one starts a branch, and the earlier branch is kept. The model sees only the active branch.',
    body: MessageInput,
    bodyLimits: attachmentBodyLimits,
    example: { text: 'And in French?' },
    status: 202,
    answer: 'The message was saved and the answer has started.',
    output: MessageSent,
    errors: [400, 404, 409],
  },
  'POST /api/chats/{id}/retry': {
    right: 'work',
    body: RetryInput,
    isBodyOptional: true,
    example: {},
    summary: 'Answer a message again',
    description: 'The new answer starts a branch. The earlier answer is kept on its own.',
    status: 202,
    answer: 'The answer has started.',
    output: MessageSent,
    errors: [400, 404, 409],
  },
  'PUT /api/chats/{id}/branch': {
    right: 'work',
    summary: 'Switch to another branch of a chat',
    description:
      'Editing a message or having it answered again starts a branch. The active branch is what the model sees and what is exported.',
    body: BranchInput,
    example: { messageId: 'msg_01j9zq' },
    answer: 'The chat. The change also arrives as an event.',
    output: Chat,
    errors: [400, 404, 409],
  },
  'POST /api/chats/{id}/stop': {
    right: 'work',
    ...nothing,
    summary: 'Stop the answer',
    description: 'Keeps the text produced so far. Does nothing if no answer is running.',
    status: 204,
    answer: 'No answer is running.',
    errors: [404],
  },
  'POST /api/chats/{id}/approvals/{toolUseId}': {
    right: 'administer',
    isAct: true,
    shownFields: ['answer'],
    summary: 'Approve or deny a tool call',
    description:
      '`approve` approves this call. `chat` also approves every later call to this tool in this chat. `always` also stores the approval for this agent and tool, until the tool changes.',
    body: ApprovalInput,
    example: { answer: 'approve' },
    status: 204,
    answer: 'The decision was recorded.',
    errors: [400, 404, 409],
  },
  'GET /api/chats/{id}/approved-tools': {
    right: 'administer',
    summary: 'List the approvals for a chat',
    description:
      'Tools that the agent may call in this chat without asking, because you answered "chat". Each holds until its tool changes or the chat gets another agent. Approvals that you gave before the agent read text from outside no longer count.',
    answer: 'The approvals, sorted by tool name.',
    output: z.object({ tools: z.array(ToolGrant) }),
    errors: [404],
  },
  'DELETE /api/chats/{id}/approved-tools/{tool}': {
    right: 'administer',
    summary: 'Revoke an approval for a chat',
    description: 'The agent asks again before its next call to the tool in this chat.',
    status: 204,
    answer: 'The approval was revoked.',
    errors: [404],
  },
  'GET /api/chats/{id}/events': {
    right: 'work',
    summary: 'Follow a chat',
    description:
      'Server-sent events: first the events after `after` (or the Last-Event-ID header), then an event named `ready`, then new events as they happen. The id of an event is its number. At most 500 streams can be open at once.',
    query: z.strictObject({ after: wholeNumber.min(0).optional() }),
    answer: 'A stream that stays open.',
    contentType: 'text/event-stream',
    errors: [404, 503],
  },
  'GET /api/chats/{id}/attachments/{hash}': {
    right: 'work',
    summary: 'Read a file attached to a message',
    answer: 'The file, as it was sent.',
    contentType: 'application/octet-stream',
    errors: [404],
  },
  'GET /api/chats/{id}/context': {
    right: 'work',
    summary: 'Read the context the model gets besides the messages',
    answer: 'The context of the next answer.',
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
