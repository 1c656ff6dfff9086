import { useSyncExternalStore } from 'react';
import { type ChatStream, type ChatView, chatStream } from './chat-stream.ts';
import { urlOf } from './client.ts';

/** Of the chats that were open last: what was shown is there at once when one comes back to it. */
const streams = new Map<string, ChatStream>();
const maxKept = 12;

export function useChatStream(id: string): ChatView {
  const stream = streamOf(id);
  return useSyncExternalStore(stream.subscribe, stream.view);
}

/** It is gone from the hub. */
export function forgetChatStream(id: string): void {
  streams.delete(id);
}

function streamOf(id: string): ChatStream {
  const known = streams.get(id);
  if (known) return known;
  const made = chatStream({
    connect: (after) => new EventSource(urlOf('GET /api/chats/{id}/events', { params: { id }, query: { after } })),
    onFrame: (run) => void requestAnimationFrame(run),
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (listener) => listen(document, 'visibilitychange', listener),
    onOnline: (listener) => listen(window, 'online', listener),
  });
  streams.set(id, made);
  for (const oldest of streams.keys()) {
    if (streams.size <= maxKept) break;
    if (oldest !== id) streams.delete(oldest);
  }
  return made;
}

function listen(target: EventTarget, type: string, listener: () => void): () => void {
  target.addEventListener(type, listener);
  return () => target.removeEventListener(type, listener);
}
