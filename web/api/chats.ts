import type { Chat, ChatOrigin } from '../../src/chats/chat.ts';
import type { ChatContext, FoundChat, NewChat } from '../../src/chats/chats.ts';
import type { ApprovalAnswer } from '../../src/engine/run-events.ts';
import { send } from './client.ts';

export interface ChatFilter {
  text: string;
  agentId: string | undefined;
  origin: ChatOrigin['kind'] | undefined;
}

export type ChatChange = {
  title?: string;
  agentId?: string;
  model?: string | null;
  arguments?: Readonly<Record<string, string>>;
};

interface Begun {
  messageId: string;
  runId: string;
}

const pageSize = 40;

export const chatsApi = {
  list: ({ text, agentId, origin }: ChatFilter, cursor: string | null, signal?: AbortSignal) => {
    const search = new URLSearchParams({
      limit: String(pageSize),
      ...(text && { text }),
      ...(agentId && { agentId }),
      ...(origin && { origin }),
      ...(cursor !== null && { cursor }),
    });
    return send<{ chats: FoundChat[]; cursor: string | null }>('GET', `/api/chats?${search}`, { signal });
  },
  get: (id: string, signal?: AbortSignal) => send<Chat>('GET', pathOf(id), { signal }),
  create: (chat: NewChat) => send<Chat>('POST', '/api/chats', { body: chat }),
  update: (id: string, change: ChatChange) => send<Chat>('PATCH', pathOf(id), { body: change }),
  remove: (id: string) => send<void>('DELETE', pathOf(id)),
  /** `replaces`: the id of a message that this is sent instead of. */
  send: (id: string, message: { text: string; replaces?: string }) =>
    send<Begun>('POST', `${pathOf(id)}/messages`, { body: message }),
  retry: (id: string) => send<Begun>('POST', `${pathOf(id)}/retry`),
  stop: (id: string) => send<void>('POST', `${pathOf(id)}/stop`),
  answer: (id: string, toolUseId: string, answer: ApprovalAnswer) =>
    send<void>('POST', `${pathOf(id)}/approvals/${encodeURIComponent(toolUseId)}`, { body: { answer } }),
  context: (id: string, signal?: AbortSignal) => send<ChatContext>('GET', `${pathOf(id)}/context`, { signal }),
};

export function chatEventsPath(id: string, after: number): string {
  return `${pathOf(id)}/events?after=${after}`;
}

export function chatExportPath(id: string, format: 'markdown' | 'json'): string {
  return `${pathOf(id)}/export?format=${format}`;
}

function pathOf(id: string): string {
  return `/api/chats/${encodeURIComponent(id)}`;
}
