import type { ChatOrigin } from '../../../src/chats/chat.ts';

/** What stands in the address of the chats. */
export interface ChatSearch {
  /** Words of past chats. */
  q?: string;
  /** Of these only. */
  agent?: string;
  kind?: ChatOrigin['kind'];
  /** The agent of a new chat. */
  with?: string;
}

export function chatSearch(search: Record<string, unknown>): ChatSearch {
  const { q, agent, kind, with: agentOfNew } = search;
  return {
    ...(isFilled(q) && { q }),
    ...(isFilled(agent) && { agent }),
    ...((kind === 'chat' || kind === 'test' || kind === 'a2a') && { kind }),
    ...(isFilled(agentOfNew) && { with: agentOfNew }),
  };
}

/** What stays in the address from one chat to the next. */
export function keepFilters(search: Record<string, unknown>): ChatSearch {
  const { with: _with, ...filters } = chatSearch(search);
  return filters;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
