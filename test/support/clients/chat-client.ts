import type { ChatEvent } from '../../../src/chats/chat.ts';
import { addEvent, emptyTranscript, type Transcript } from '../../../src/chats/transcript.ts';

/** Reads a chat's events over HTTP, like a page. */
export interface ChatReader {
  /** The events in the order of arrival. */
  events: ChatEvent[];
  /** The transcript that the events result in. */
  readonly transcript: Transcript;
  /** Resolves when the condition is true; rejects if the stream ends first. */
  until(isReached: (events: readonly ChatEvent[]) => boolean): Promise<void>;
  /** Resolves with the event named `ready`. */
  ready: Promise<void>;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** Starts reading at once. */
export async function readChat(url: string, chatId: string, headers: Record<string, string> = {}): Promise<ChatReader> {
  const left = new AbortController();
  const [path, query = ''] = chatId.split('?');
  const address = `${url}/api/chats/${path}/events${query ? `?${query}` : ''}`;
  const response = await fetch(address, { headers, signal: left.signal });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const events: ChatEvent[] = [];
  const decoder = new TextDecoder();
  const waiting = new Set<() => void>();
  const isReady = Promise.withResolvers<void>();
  let isOver = false;
  const ended = (async () => {
    try {
      let rest = '';
      for await (const piece of response.body ?? []) {
        rest += decoder.decode(piece, { stream: true });
        const blocks = rest.split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) take(block);
        for (const wake of waiting) wake();
      }
    } catch {
      // Closed by the test, or the server is gone.
    }
    isOver = true;
    for (const wake of waiting) wake();
  })();
  function take(block: string): void {
    if (block.startsWith('event: ready')) isReady.resolve();
    const data = /^data: (.*)$/m.exec(block)?.[1];
    if (data === undefined || block.startsWith('event:')) return;
    const event: ChatEvent = JSON.parse(data);
    if (!block.startsWith(`id: ${event.seq}\n`)) throw new Error(`an event without its number: ${block}`);
    events.push(event);
  }
  return {
    events,
    get transcript() {
      return events.reduce(addEvent, emptyTranscript());
    },
    ready: isReady.promise,
    async until(isReached) {
      while (!isReached(events)) {
        if (isOver) throw new Error(`the stream ended: ${JSON.stringify(events.map(({ type }) => type))}`);
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
      }
    },
    ended,
    async close() {
      left.abort();
      await ended;
    },
  };
}

export function isFinished(runId?: string): (events: readonly ChatEvent[]) => boolean {
  return (events) =>
    events.some((event) => event.type === 'answer.finished' && (runId === undefined || event.runId === runId));
}

export function textSeen(text: string): (events: readonly ChatEvent[]) => boolean {
  return (events) =>
    events
      .map((event) => (event.type === 'text' ? event.delta : ''))
      .join('')
      .includes(text);
}

/** The text of the newest answer. */
export function answerText({ turns }: Transcript): string {
  const parts = turns.at(-1)?.answers.at(-1)?.parts ?? [];
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
