import { type Clock, toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { slugify } from '../base/ids.ts';
import { senderOf } from '../callers/callers.ts';
import { implement, type Route } from '../http/route.ts';
import { isImage } from './attachments/attachment.ts';
import type { Chat } from './chat.ts';
import type { ChatGrantStore } from './chat-grants.ts';
import { chatStreams } from './chat-stream.routes.ts';
import { chatsContract } from './chats.contract.ts';
import type { Chats } from './chats.ts';
import { toJson, toMarkdown } from './export-chat.ts';
import { addEvent, emptyTranscript, type Transcript } from './transcript.ts';

interface ChatParts {
  chats: Chats;
  store: { readonly chatGrants: ChatGrantStore };
  clock: Clock;
  /** Aborted when the server closes. */
  closing: AbortSignal;
}

export function chatRoutes({ chats, clock, closing, store }: ChatParts): Route[] {
  const openStream = chatStreams();
  return implement(chatsContract)({
    'GET /api/chats': ({ query }) => chats.list(query),
    'POST /api/chats': ({ body, caller }) => chats.create(body, senderOf(caller)),
    'GET /api/chats/{id}': ({ params }) => chats.get(params.id),
    'PATCH /api/chats/{id}': ({ params, body }) => chats.update(params.id, body),
    'DELETE /api/chats/{id}': ({ params }) => chats.remove(params.id),
    'POST /api/chats/{id}/messages': ({ params, body, caller }) =>
      chats.send(params.id, { ...body, ...senderOf(caller) }),
    'POST /api/chats/{id}/retry': ({ params, body, caller }) =>
      chats.retry(params.id, { ...body, ...senderOf(caller) }),
    'PUT /api/chats/{id}/branch': ({ params, body }) => chats.chooseBranch(params.id, body.messageId),
    'POST /api/chats/{id}/stop': ({ params }) => chats.stop(params.id),
    'POST /api/chats/{id}/approvals/{toolUseId}': ({ params: { id, toolUseId }, body }) =>
      chats.answer(id, toolUseId, body.answer),
    'GET /api/chats/{id}/approved-tools': async ({ params }) => {
      const { id } = await chats.get(params.id);
      return { tools: await store.chatGrants.list(id) };
    },
    'DELETE /api/chats/{id}/approved-tools/{tool}': async ({ params: { id, tool } }) => {
      if (await store.chatGrants.remove(id, tool)) return;
      const message = `The tool "${tool.slice(0, 80)}" is not approved for the chat "${id.slice(0, 80)}".`;
      throw new HubError('NOT_FOUND', message);
    },
    'GET /api/chats/{id}/events': async ({ context, caller, params, query }) => {
      const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
      const { id, lastSeq } = await chats.get(params.id);
      if (context.req.method === 'HEAD') return new Response(null, { headers });
      const after = lastEventId(context.req.header('last-event-id')) ?? query.after ?? 0;
      return new Response(openStream({ chats, chatId: id, caller, after, lastSeq, clock, closing }), { headers });
    },
    'GET /api/chats/{id}/attachments/{hash}': async ({ params }) => {
      const { data, mimeType } = await chats.attachment(params.id, params.hash);
      return new Response(new Uint8Array(data), { headers: fileHeaders(mimeType) });
    },
    'GET /api/chats/{id}/context': ({ params }) => chats.context(params.id),
    'GET /api/chats/{id}/export': async ({ context, params, query }) => {
      const chat = await chats.get(params.id);
      const transcript = await read(chats, chat);
      const day = toIso(clock.now()).slice(0, 10);
      const name = `chat-${slugify(chat.title) || chat.id}-${day}.${query.format === 'json' ? 'json' : 'md'}`;
      context.header('content-disposition', `attachment; filename="${name}"`);
      if (query.format === 'markdown')
        return context.body(toMarkdown(chat, transcript), 200, { 'content-type': 'text/markdown; charset=utf-8' });
      return context.json(await toJson(chats, chat, transcript));
    },
  });
}

/** Only images are shown in the browser. No file can run anything there. */
function fileHeaders(mimeType: string): Record<string, string> {
  const isShown = isImage({ mimeType });
  return {
    'content-type': isShown ? mimeType : 'application/octet-stream',
    'content-disposition': isShown ? 'inline' : 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=86400, immutable',
  };
}

function lastEventId(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

async function read(chats: Chats, chat: Chat): Promise<Transcript> {
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
