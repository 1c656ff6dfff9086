import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ChatEvent } from './chat.ts';
import type { ChatFeed, Inbox } from './chat-feed.ts';
import type { ChatRecord, ChatStore } from './chat-store.ts';

export interface FollowParts {
  store: Pick<ChatStore, 'events'>;
  feed: ChatFeed;
  clock: Clock;
  /** Returns the chat, after ending an answer whose process is gone. Throws NOT_FOUND. */
  look(chatId: string): Promise<ChatRecord>;
  /** Returns whether this process runs its current answer. */
  isAnsweredHere(chatId: string): boolean;
}

const pageEvents = 500;
/** How often to look at an answer of another process. */
const lookMs = 150;

/** Yields the events after `after`, then new events, until aborted or the chat is deleted. Throws NOT_FOUND. */
export async function* followChat(
  parts: FollowParts,
  chatId: string,
  { after, signal }: { after: number; signal: AbortSignal },
): AsyncGenerator<ChatEvent, void, undefined> {
  const { store, feed } = parts;
  // Opened before the first look, so that no event is missed.
  const inbox = feed.open(chatId);
  const leave = () => inbox.nudge();
  signal.addEventListener('abort', leave, { once: true });
  let last = after;
  let isFollowing = false;
  try {
    let stored = await parts.look(chatId);
    isFollowing = true;
    for (;;) {
      while (last < stored.chat.lastSeq && !signal.aborted) {
        const page = await store.events(chatId, { after: last, limit: pageEvents });
        if (page.length === 0) break;
        for (const event of page) {
          yield event;
          last = event.seq;
        }
      }
      let isWhole = true;
      while (isWhole && !signal.aborted) {
        await news(parts, { chatId, inbox, stored });
        if (signal.aborted) return;
        const { events, isNudged } = inbox.take();
        for (const event of events) {
          if (event.seq <= last) continue;
          // Another process wrote events in between.
          isWhole = event.seq === last + 1;
          if (!isWhole) break;
          yield event;
          last = event.seq;
        }
        if (events.length === 0 || isNudged) isWhole = false;
      }
      if (signal.aborted) return;
      stored = await parts.look(chatId);
    }
  } catch (error) {
    // The chat was deleted while it was followed.
    if (error instanceof HubError && error.code === 'NOT_FOUND' && isFollowing) return;
    throw error;
  } finally {
    signal.removeEventListener('abort', leave);
    feed.close(chatId, inbox);
  }
}

/** Resolves when there are new events, when it is time to look for some, or when the reader leaves. */
async function news(
  parts: FollowParts,
  { chatId, inbox, stored }: { chatId: string; inbox: Inbox; stored: ChatRecord },
): Promise<void> {
  if (!stored.answering || parts.isAnsweredHere(chatId)) return inbox.filled();
  const enough = new AbortController();
  await Promise.race([inbox.filled(), parts.clock.sleep(lookMs, enough.signal).catch(() => {})]);
  enough.abort();
}
