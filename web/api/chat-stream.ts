import type { ChatEvent } from '../../src/chats/chat-event.ts';
import { addEvent, emptyTranscript, type Transcript } from '../../src/chats/transcript.ts';

export interface ChatView {
  transcript: Transcript;
  /** `loading` until what happened before is there; `lost` while nothing new can arrive. */
  state: 'loading' | 'live' | 'lost';
}

export interface ChatStream {
  view: () => ChatView;
  subscribe: (listener: () => void) => () => void;
}

export interface ChatStreamParts {
  connect: (after: number) => EventSource;
  /** Runs it before the next picture is drawn. */
  onFrame: (run: () => void) => void;
  /** Whether somebody can see the page; and when that changes. */
  isVisible: () => boolean;
  onVisibility: (listener: () => void) => () => void;
  onOnline: (listener: () => void) => () => void;
}

const longestWaitMs = 10_000;

/**
 * The events of one chat, folded as they come. Listeners hear of them once for each picture, however fast they come. It is
 * connected while somebody listens, and goes on after the newest event it has: nothing is lost or told twice.
 */
export function chatStream(parts: ChatStreamParts): ChatStream {
  const listeners = new Set<() => void>();
  let view: ChatView = { transcript: emptyTranscript(), state: 'loading' };
  /** Ahead of the view until the next picture. */
  let next = view;
  let isDrawing = false;
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let stopListening: (() => void)[] = [];

  const draw = () => {
    isDrawing = false;
    if (view === next) return;
    view = next;
    for (const listener of listeners) listener();
  };
  const change = (part: Partial<ChatView>) => {
    next = { ...next, ...part };
    // What happened before is shown whole, not as if it were said now.
    if (isDrawing || next.state === 'loading') return;
    isDrawing = true;
    parts.onFrame(draw);
  };

  const disconnect = () => {
    clearTimeout(timer);
    source?.close();
    source = null;
  };
  const connect = () => {
    disconnect();
    source = parts.connect(next.transcript.lastSeq);
    source.addEventListener('message', ({ data }) => {
      const event = parseEvent(data);
      if (event) change({ transcript: addEvent(next.transcript, event) });
    });
    source.addEventListener('ready', () => {
      failures = 0;
      change({ state: 'live' });
    });
    source.addEventListener('error', () => {
      // The browser's own retry gives up after an answer that is not a stream, so the retry is ours.
      disconnect();
      failures += 1;
      if (next.state === 'live') change({ state: 'lost' });
      timer = setTimeout(connect, Math.min(longestWaitMs, 250 * 2 ** failures));
    });
  };
  const onOnline = () => {
    if (source === null && parts.isVisible()) connect();
  };
  // A browser opens few connections to one place: pages nobody looks at give theirs back.
  const onVisibility = () => {
    disconnect();
    if (parts.isVisible()) connect();
  };

  return {
    view: () => view,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        stopListening = [parts.onVisibility(onVisibility), parts.onOnline(onOnline)];
        if (parts.isVisible()) connect();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        disconnect();
        for (const stop of stopListening) stop();
      };
    },
  };
}

function parseEvent(data: unknown): ChatEvent | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    // Written by the hub that served this page.
    return JSON.parse(data) as ChatEvent;
  } catch {
    return undefined;
  }
}
