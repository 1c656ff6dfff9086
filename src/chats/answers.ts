import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { ChatEvent } from './chat.ts';
import type { AnsweringProcess, ChatStore, KeptChat } from './chat-store.ts';
import { recoverAnswer } from './recover-answer.ts';
import type { RunningAnswer } from './running-answer.ts';

export interface AnswersParts {
  store: ChatStore;
  clock: Clock;
  logger: Logger;
  publish(chatId: string, events: readonly ChatEvent[]): void;
}

interface BeginAnswer {
  start: () => Promise<RunningAnswer>;
  onDone: () => void;
}

/** How often it is looked whether another process asks for something. */
const requestsMs = 250;
const pageEvents = 500;

/**
 * The answers under way in this process, and the end of answers whose process is gone,
 * told by whoever notices.
 */
export class Answers {
  readonly #parts: AnswersParts;
  readonly #running = new Map<string, RunningAnswer>();
  /** Chats whose answer is about to begin. */
  readonly #beginning = new Set<string>();
  readonly #closing = new AbortController();
  #caring: Promise<void> | undefined;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /** Begins an answer and keeps it until it is done. What happens meanwhile knows that the chat is answered here. */
  async begin(chatId: string, { start, onDone }: BeginAnswer): Promise<void> {
    this.#beginning.add(chatId);
    try {
      const answer = await start();
      this.#running.set(chatId, answer);
      void answer.done.then((isKept) => this.#end(answer, { isKept, onDone }));
    } finally {
      this.#beginning.delete(chatId);
    }
    this.#caring ??= this.#care().finally(() => {
      this.#caring = undefined;
    });
  }

  of(chatId: string): RunningAnswer | undefined {
    return this.#running.get(chatId);
  }

  /** Of those that are answered here. */
  get chatIds(): string[] {
    return [...this.#running.keys(), ...this.#beginning];
  }

  isAnsweredHere(chatId: string): boolean {
    return this.#running.has(chatId) || this.#beginning.has(chatId);
  }

  /** The chat as it is, after an answer whose process is gone was ended. Throws NOT_FOUND. */
  async look(chatId: string): Promise<KeptChat> {
    const { store } = this.#parts;
    for (;;) {
      const kept = await store.get(chatId);
      if (!kept.answering || !this.isGone(chatId, kept.answering)) return kept;
      await this.#interrupt(kept, kept.answering);
    }
  }

  /** Also of an answer of this process that nothing runs for any more, because its end could not be kept. */
  isGone(chatId: string, { place, runId }: AnsweringProcess): boolean {
    if (place === 'here') return this.of(chatId)?.runId !== runId && !this.#beginning.has(chatId);
    return place === 'gone';
  }

  async close(): Promise<void> {
    for (const answer of this.#running.values()) answer.abort('The hub was closed.');
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#closing.abort();
    await this.#caring;
  }

  async #end(answer: RunningAnswer, { isKept, onDone }: { isKept: boolean; onDone: () => void }): Promise<void> {
    const { chatId } = answer;
    // The next answer may have begun since this one was kept.
    if (this.of(chatId) === answer) this.#running.delete(chatId);
    onDone();
    if (isKept) return;
    try {
      await this.look(chatId);
    } catch (error) {
      this.#parts.logger.warn({ err: error, chatId }, 'the end of an answer could not be kept yet');
    }
  }

  /** Exactly one of those who notice writes it. */
  async #interrupt({ chat }: KeptChat, answering: AnsweringProcess): Promise<void> {
    const { store, publish } = this.#parts;
    const { runId, messageId, startSeq } = answering;
    const events: ChatEvent[] = [];
    for (;;) {
      const page = await store.events(chat.id, { after: events.at(-1)?.seq ?? startSeq - 1, limit: pageEvents });
      events.push(...page);
      if (page.length < pageEvents) break;
    }
    const kept = (await store.messages(chat.id)).filter((each) => each.messageId === messageId);
    const said = kept.slice(1).map(({ message }) => message);
    const { messages, usage, cost } = recoverAnswer(events, said);
    const reason = 'The process that answered has ended before the answer did.';
    try {
      const shown = await store.finish(chat.id, {
        runId,
        events: [{ type: 'answer.finished', runId, status: 'interrupted', reason, usage, cost, error: null }],
        messages,
        usage,
        cost,
        state: 'interrupted',
      });
      publish(chat.id, shown);
    } catch (error) {
      // Somebody else was quicker.
      if (!(error instanceof HubError) || error.code !== 'CONFLICT') throw error;
    }
  }

  /** While there are answers: hears what other processes ask of them. */
  async #care(): Promise<void> {
    const { clock, logger } = this.#parts;
    while (this.#running.size > 0 && !this.#closing.signal.aborted) {
      await clock.sleep(requestsMs, this.#closing.signal).catch(() => {});
      if (this.#running.size === 0) return;
      try {
        await this.#hearRequests();
      } catch (error) {
        logger.warn({ err: error }, 'the store could not be asked about answers under way');
      }
    }
  }

  async #hearRequests(): Promise<void> {
    const { stops, approvals } = await this.#parts.store.requests();
    const byRun = new Map([...this.#running.values()].map((answer) => [answer.runId, answer]));
    for (const runId of stops) byRun.get(runId)?.abort('The answer was stopped.');
    for (const approval of approvals) byRun.get(approval.runId)?.give(approval);
  }
}
