import type { ChatEvent } from './chat.ts';

/** The maximum number of events buffered for a slow reader. It reads the rest from the store. */
const maxWaiting = 1_000;

/** New events of a chat, for one reader. */
export class Inbox {
  #events: ChatEvent[] = [];
  #isNudged = false;
  #wake: (() => void) | undefined;

  put(events: readonly ChatEvent[]): void {
    if (this.#events.length + events.length > maxWaiting) {
      this.#events = [];
      this.#isNudged = true;
    } else this.#events.push(...events);
    this.#wake?.();
  }

  /** Notes that there are new events in the store. */
  nudge(): void {
    this.#isNudged = true;
    this.#wake?.();
  }

  take(): { events: ChatEvent[]; isNudged: boolean } {
    const taken = { events: this.#events, isNudged: this.#isNudged };
    this.#events = [];
    this.#isNudged = false;
    return taken;
  }

  /** Resolves when there are events to take. */
  async filled(): Promise<void> {
    if (this.#events.length > 0 || this.#isNudged) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = undefined;
  }
}

/** Passes events written by this process to its readers, without reading the store again. */
export class ChatFeed {
  readonly #inboxes = new Map<string, Set<Inbox>>();

  open(chatId: string): Inbox {
    const inbox = new Inbox();
    const inboxes = this.#inboxes.get(chatId) ?? new Set();
    this.#inboxes.set(chatId, inboxes.add(inbox));
    return inbox;
  }

  close(chatId: string, inbox: Inbox): void {
    const inboxes = this.#inboxes.get(chatId);
    inboxes?.delete(inbox);
    if (inboxes?.size === 0) this.#inboxes.delete(chatId);
  }

  get chatIds(): Iterable<string> {
    return this.#inboxes.keys();
  }

  publish(chatId: string, events: readonly ChatEvent[]): void {
    for (const inbox of this.#inboxes.get(chatId) ?? []) inbox.put(events);
  }

  nudge(chatId: string): void {
    for (const inbox of this.#inboxes.get(chatId) ?? []) inbox.nudge();
  }
}
