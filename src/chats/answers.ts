import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { ChatEvent } from './chat.ts';
import type { AnsweringProcess, ChatRecord, ChatStore } from './chat-store.ts';
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

/** How often to look for requests from other processes. */
const requestsMs = 250;
const pageEvents = 500;

/**
 * The answers in progress in this process. Also ends answers whose process is gone.
 */
export class Answers {
  readonly #parts: AnswersParts;
  readonly #running = new Map<string, RunningAnswer>();
  /** Chats whose answer is about to start. */
  readonly #beginning = new Set<string>();
  readonly #closing = new AbortController();
  #caring: Promise<void> | undefined;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /** Starts an answer and tracks it until it is done. */
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

  /** Returns the running answer of a chat in this process. */
  get chatIds(): string[] {
    return [...this.#running.keys(), ...this.#beginning];
  }

  isAnsweredHere(chatId: string): boolean {
    return this.#running.has(chatId) || this.#beginning.has(chatId);
  }

  /** Returns the chat, after ending an answer whose process is gone. Throws NOT_FOUND. */
  async look(chatId: string): Promise<ChatRecord> {
    const { store } = this.#parts;
    for (;;) {
      const found = await store.get(chatId);
      if (!found.answering || !this.isGone(chatId, found.answering)) return found;
      await this.#interrupt(found, found.answering);
    }
  }

  /** Returns whether no process runs the answer any more. In this process, that happens if its end could not be stored. */
  isGone(chatId: string, { state, runId }: AnsweringProcess): boolean {
    if (state === 'here') return this.of(chatId)?.runId !== runId && !this.#beginning.has(chatId);
    return state === 'gone';
  }

  async close(): Promise<void> {
    for (const answer of this.#running.values()) answer.abort('The hub was closed.');
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#closing.abort();
    await this.#caring;
  }

  async #end(answer: RunningAnswer, { isKept, onDone }: { isKept: boolean; onDone: () => void }): Promise<void> {
    const { chatId } = answer;
    // The next answer may have started since this one was stored.
    if (this.of(chatId) === answer) this.#running.delete(chatId);
    onDone();
    if (isKept) return;
    try {
      await this.look(chatId);
    } catch (error) {
      this.#parts.logger.warn({ err: error, chatId }, 'the end of an answer could not be stored yet');
    }
  }

  /** Ends the answer. If several processes try, exactly one writes the end. */
  async #interrupt({ chat }: ChatRecord, answering: AnsweringProcess): Promise<void> {
    const { store, publish } = this.#parts;
    const { runId, messageId, startSeq } = answering;
    const events: ChatEvent[] = [];
    for (;;) {
      const page = await store.events(chat.id, { after: events.at(-1)?.seq ?? startSeq - 1, limit: pageEvents });
      events.push(...page);
      if (page.length < pageEvents) break;
    }
    const stored = (await store.messages(chat.id)).filter((each) => each.messageId === messageId);
    const answerMessages = stored.slice(1).map(({ message }) => message);
    const { messages, usage, cost } = recoverAnswer(events, answerMessages);
    const reason = 'The process ended before the answer was complete.';
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
      // Another process was faster.
      if (!(error instanceof HubError) || error.code !== 'CONFLICT') throw error;
    }
  }

  /** Looks for requests from other processes as long as answers are running. */
  async #care(): Promise<void> {
    const { clock, logger } = this.#parts;
    while (this.#running.size > 0 && !this.#closing.signal.aborted) {
      await clock.sleep(requestsMs, this.#closing.signal).catch(() => {});
      if (this.#running.size === 0) return;
      try {
        await this.#hearRequests();
      } catch (error) {
        logger.warn({ err: error }, 'cannot read the answers in progress from the store');
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
