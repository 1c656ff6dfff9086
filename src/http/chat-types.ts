import type { Chat } from '../chats/chat.ts';
import type { ChatContext, FoundChat } from '../chats/chats.ts';
import type { Turn } from '../chats/transcript.ts';

/** The bodies of the routes about chats, as the web app sees them. Times are milliseconds since the epoch. */

/** `GET /api/chats?text&agentId&origin&tool&limit&cursor`. */
export interface ChatListBody {
  chats: FoundChat[];
  cursor: string | null;
}

/** `GET /api/chats/{id}`; `POST /api/chats` with a NewChat answers 201 with it, `PATCH` with `{title, agentId, model, arguments}` 200. */
export type ChatBody = Chat;

/** `POST /api/chats/{id}/messages` with `{text, replaces}` and `/retry` answer 202: the answer comes as events. */
export interface MessageSentBody {
  messageId: string;
  runId: string;
}

/** `GET /api/chats/{id}/context`. */
export type ChatContextBody = ChatContext;

/** `GET /api/chats/{id}/export?format=json`. */
export interface ChatExportBody {
  format: 'agent-zoo/chat';
  version: 1;
  chat: Chat;
  turns: readonly Turn[];
}
