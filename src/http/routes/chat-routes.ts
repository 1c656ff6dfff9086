import { z } from 'zod';
import { toIso } from '../../base/clock.ts';
import { slugify } from '../../base/ids.ts';
import { parseWith } from '../../base/validate.ts';
import { ApprovalInput, ChatChange, ChatQueryInput, MessageInput, NewChatInput } from '../../chats/chat-input.ts';
import { toMarkdown } from '../../chats/export-chat.ts';
import { addEvent, emptyTranscript, type Transcript } from '../../chats/transcript.ts';
import type { Hub } from '../../hub.ts';
import type { AppParts } from '../app.ts';
import { ChatBody, ChatContextBody, ChatListBody, MessageSentBody } from '../chat-schemas.ts';
import { chatStreams } from '../chat-stream.ts';
import type * as Api from '../chat-types.ts';
import { defineRoute, type Route } from '../route.ts';

const group = 'Chats';
const Nothing = z.strictObject({});

export function chatRoutes(hub: Hub, parts: AppParts): Route[] {
  return [...listRoutes(hub), ...answerRoutes(hub), ...readRoutes(hub, parts)];
}

function listRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/chats',
      group,
      summary: 'List and search chats',
      query: ChatQueryInput,
      answer: { status: 200, description: 'Newest first; with words, where they were found.', schema: ChatListBody },
      errors: [400],
      handle: async ({ context, query }) => context.json((await hub.chats.list(query)) satisfies Api.ChatListBody),
    }),
    defineRoute({
      method: 'post',
      path: '/api/chats',
      group,
      summary: 'Begin a chat',
      description:
        'A `message` is sent at once. With `origin` `{kind: "test", tool, parameters}` the parameters are checked against the saved tool of the agent, and its filled prompt is sent.',
      body: { schema: NewChatInput, example: { agentId: 'code-wizard', message: 'What can you do?' } },
      answer: { status: 201, description: 'The chat.', schema: ChatBody },
      errors: [400, 404],
      handle: async ({ context, body }) => {
        const input = parseWith(NewChatInput, body);
        return context.json((await hub.chats.create(input)) satisfies Api.ChatBody, 201);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/chats/{id}',
      group,
      summary: 'Read a chat',
      description: 'What was said comes from its events.',
      answer: { status: 200, description: 'The chat.', schema: ChatBody },
      errors: [404],
      handle: async ({ context, param }) => context.json((await hub.chats.get(param('id'))) satisfies Api.ChatBody),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/chats/{id}',
      group,
      summary: 'Rename a chat, or switch its agent, model or arguments',
      description:
        'A switch takes effect with the next message. Another agent begins without the arguments of the one before; those that it needs are given with `arguments`. Missing and unknown ones are named, and nothing is changed.',
      body: { schema: ChatChange, example: { title: 'Plans for May', model: 'openai/gpt-5' } },
      answer: { status: 200, description: 'The chat.', schema: ChatBody },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const change = parseWith(ChatChange, body);
        return context.json((await hub.chats.update(param('id'), change)) satisfies Api.ChatBody);
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/chats/{id}',
      group,
      summary: 'Delete a chat',
      description: 'Its answer is stopped first.',
      answer: { status: 204, description: 'It is gone.' },
      errors: [404],
      handle: async ({ context, param }) => {
        await hub.chats.remove(param('id'));
        return context.body(null, 204);
      },
    }),
  ];
}

function answerRoutes(hub: Hub): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/chats/{id}/messages',
      group,
      summary: 'Send a message',
      description:
        'The answer comes as events. `replaces` edits an earlier message: it and all that came after are put aside.',
      body: { schema: MessageInput, example: { text: 'And in French?' } },
      answer: { status: 202, description: 'It is kept, and the answer has begun.', schema: MessageSentBody },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const message = parseWith(MessageInput, body);
        return context.json((await hub.chats.send(param('id'), message)) satisfies Api.MessageSentBody, 202);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/chats/{id}/retry',
      group,
      summary: 'Answer the last message again',
      body: { schema: Nothing, isOptional: true, example: {} },
      answer: { status: 202, description: 'The answer has begun.', schema: MessageSentBody },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        parseWith(Nothing, body ?? {});
        return context.json((await hub.chats.retry(param('id'))) satisfies Api.MessageSentBody, 202);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/chats/{id}/stop',
      group,
      summary: 'Stop the answer',
      description: 'What was said of it stays. Does nothing when none is under way.',
      body: { schema: Nothing, isOptional: true, example: {} },
      answer: { status: 204, description: 'The answer has ended.' },
      errors: [404],
      handle: async ({ context, param, body }) => {
        parseWith(Nothing, body ?? {});
        await hub.chats.stop(param('id'));
        return context.body(null, 204);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/chats/{id}/approvals/{toolUseId}',
      group,
      summary: 'Answer whether a tool may be called',
      description: '`always` holds for every later call of the tool in this chat.',
      body: { schema: ApprovalInput, example: { answer: 'approve' } },
      answer: { status: 204, description: 'The answer counts.' },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const { answer } = parseWith(ApprovalInput, body);
        await hub.chats.answer(param('id'), param('toolUseId'), answer);
        return context.body(null, 204);
      },
    }),
  ];
}

function readRoutes(hub: Hub, parts: AppParts): Route[] {
  const openStream = chatStreams();
  return [
    defineRoute({
      method: 'get',
      path: '/api/chats/{id}/events',
      group,
      summary: 'Follow a chat',
      description:
        'Server-sent events: what happened after `after` (or the Last-Event-ID header), an event named `ready`, then what happens. The id of an event is its number. At most 500 streams are open at once.',
      query: z.strictObject({ after: z.coerce.number().int().min(0).optional() }),
      answer: { status: 200, description: 'A stream that stays open.', contentType: 'text/event-stream' },
      errors: [404, 503],
      handle: async ({ context, param, query }) => {
        const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
        const { chats } = hub;
        const { id, lastSeq } = await chats.get(param('id'));
        if (context.req.method === 'HEAD') return new Response(null, { headers });
        const after = lastEventId(context.req.header('last-event-id')) ?? query.after ?? 0;
        const { closing } = parts.events;
        return new Response(openStream({ chats, chatId: id, after, lastSeq, clock: hub.clock, closing }), { headers });
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/chats/{id}/context',
      group,
      summary: 'See what the model is given beside the messages',
      answer: { status: 200, description: 'As the next answer would get it.', schema: ChatContextBody },
      errors: [404],
      handle: async ({ context, param }) =>
        context.json((await hub.chats.context(param('id'))) satisfies Api.ChatContextBody),
    }),
    defineRoute({
      method: 'get',
      path: '/api/chats/{id}/export',
      group,
      summary: 'Export a chat as a file',
      query: z.strictObject({ format: z.enum(['markdown', 'json']).default('markdown') }),
      answer: { status: 200, description: 'The file.', contentType: 'text/markdown' },
      errors: [400, 404],
      handle: async ({ context, param, query }) => {
        const { chats } = hub;
        const chat = await chats.get(param('id'));
        const transcript = await read(chats, chat);
        const day = toIso(hub.clock.now()).slice(0, 10);
        const name = `chat-${slugify(chat.title) || chat.id}-${day}.${query.format === 'json' ? 'json' : 'md'}`;
        context.header('content-disposition', `attachment; filename="${name}"`);
        if (query.format === 'markdown')
          return context.body(toMarkdown(chat, transcript), 200, { 'content-type': 'text/markdown; charset=utf-8' });
        const { turns } = transcript;
        return context.json({ format: 'agent-zoo/chat', version: 1, chat, turns } satisfies Api.ChatExportBody);
      },
    }),
  ];
}

function lastEventId(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

async function read(chats: Hub['chats'], chat: Api.ChatBody): Promise<Transcript> {
  let transcript = emptyTranscript();
  if (chat.lastSeq === 0) return transcript;
  const enough = new AbortController();
  for await (const event of chats.events(chat.id, { signal: enough.signal })) {
    transcript = addEvent(transcript, event);
    if (event.seq >= chat.lastSeq) break;
  }
  enough.abort();
  return transcript;
}
