import type { ChatOrigin } from '../../../src/chats/chat.ts';

/** The search parameters in the chat URL. */
export interface ChatSearch {
  /** Finds past chats by their words. */
  q?: string;
  /** Filters past chats by agent. */
  agent?: string;
  kind?: ChatOrigin['kind'];
  /** The agent for a new chat. */
  with?: string;
  /** The answer to show, by its run. */
  run?: string;
}

export function chatSearch(search: Record<string, unknown>): ChatSearch {
  const { q, agent, kind, with: newChatAgent, run } = search;
  return {
    ...(isFilled(q) && { q }),
    ...(isFilled(agent) && { agent }),
    ...((kind === 'chat' || kind === 'test' || kind === 'a2a') && { kind }),
    ...(isFilled(newChatAgent) && { with: newChatAgent }),
    ...(isFilled(run) && { run }),
  };
}

/** Returns the parameters that stay in the URL when another chat opens. */
export function keepFilters(search: Record<string, unknown>): ChatSearch {
  const { with: _with, run: _run, ...filters } = chatSearch(search);
  return filters;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
