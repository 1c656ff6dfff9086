import type { ChatEvent } from '../../src/chats/chat.ts';
import { addEvent, emptyTranscript, type Transcript } from '../../src/chats/transcript.ts';

export interface ChatView {
  transcript: Transcript;
  /** `loading` until past events have arrived; `lost` while disconnected. */
  state: 'loading' | 'live' | 'lost';
}

export interface ChatStream {
  view: () => ChatView;
  subscribe: (listener: () => void) => () => void;
}

export interface ChatStreamParts {
  connect: (after: number) => EventSource;
  /** Runs a function before the next frame. */
  onFrame: (run: () => void) => void;
  /** Whether the page is visible. */
  isVisible: () => boolean;
  onVisibility: (listener: () => void) => () => void;
  onOnline: (listener: () => void) => () => void;
}

const maxWaitMs = 10_000;

/**
 * Folds the events of one chat into a transcript. Listeners run at most once per frame. The stream is connected while it
 * has listeners and resumes after its newest event, so no event is lost or repeated.
 */
export function chatStream(parts: ChatStreamParts): ChatStream {
  const listeners = new Set<() => void>();
  let view: ChatView = { transcript: emptyTranscript(), state: 'loading' };
  /** Ahead of `view` until the next frame. */
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
    // Past events appear all at once, not one by one.
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
      // The browser stops retrying after a reply that is not a stream, so we retry.
      disconnect();
      failures += 1;
      if (next.state === 'live') change({ state: 'lost' });
      timer = setTimeout(connect, Math.min(maxWaitMs, 250 * 2 ** failures));
    });
  };
  const onOnline = () => {
    if (source === null && parts.isVisible()) connect();
  };
  // Browsers limit connections per host: hidden pages close theirs.
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
