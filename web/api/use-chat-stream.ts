import { useSyncExternalStore } from 'react';
import { type ChatStream, type ChatView, chatStream } from './chat-stream.ts';
import { urlOf } from './client.ts';

/** Streams of the most recent chats, so that returning to one shows it at once. */
const streams = new Map<string, ChatStream>();
const maxStreams = 12;

export function useChatStream(id: string): ChatView {
  const stream = streamOf(id);
  return useSyncExternalStore(stream.subscribe, stream.view);
}

/** Drops the stream of a deleted chat. */
export function forgetChatStream(id: string): void {
  streams.delete(id);
}

function streamOf(id: string): ChatStream {
  const known = streams.get(id);
  if (known) return known;
  const stream = chatStream({
    connect: (after) => new EventSource(urlOf('GET /api/chats/{id}/events', { params: { id }, query: { after } })),
    onFrame: (run) => void requestAnimationFrame(run),
    isVisible: () => document.visibilityState === 'visible',
    onVisibility: (listener) => listen(document, 'visibilitychange', listener),
    onOnline: (listener) => listen(window, 'online', listener),
  });
  streams.set(id, stream);
  for (const oldest of streams.keys()) {
    if (streams.size <= maxStreams) break;
    if (oldest !== id) streams.delete(oldest);
  }
  return stream;
}

function listen(target: EventTarget, type: string, listener: () => void): () => void {
  target.addEventListener(type, listener);
  return () => target.removeEventListener(type, listener);
}
