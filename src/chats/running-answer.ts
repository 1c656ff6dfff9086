import { HubError, toHubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Budget } from '../engine/budget.ts';
import type { SendOptions } from '../engine/chat-session.ts';
import { toRunError } from '../engine/end-run.ts';
import type { Message } from '../engine/message.ts';
import type { ApprovalAnswer, RunEvent, RunResult } from '../engine/run-events.ts';
import type { Run } from '../engine/run-ticks.ts';
import { noUsage } from '../engine/usage.ts';
import type { Purse, RunCall } from '../tools/caller.ts';
import type { ChatEvent, ChatEventBody } from './chat.ts';
import type { ChatStore, GivenApproval } from './chat-store.ts';
import type { OpenSession } from './open-sessions.ts';

export interface RunningAnswerParts {
  store: Pick<ChatStore, 'append' | 'finish'>;
  publish(chatId: string, events: readonly ChatEvent[]): void;
  logger: Logger;
  /** Returns the position from which a growing text may be the beginning of a secret. */
  openFrom?: ((text: string) => number) | undefined;
}

export interface RunningAnswerOptions {
  chatId: string;
  runId: string;
  /** The user's message as the model sees it. */
  question: Message;
  budget: Budget | undefined;
  payer: Purse | undefined;
  /** The call of the calling run. */
  calledBy: RunCall | undefined;
  alreadyRead: readonly string[] | undefined;
  openSession: OpenSession;
  /** An approval counts as denied after this time, so that its session does not stay open forever. Undefined if nobody can approve. */
  maxWaitMs: number | undefined;
}

/**
 * An answer that runs in this process. Each event is stored before it is shown. Text that arrives during a write is stored with the
 * next one, so that text is never held back to wait for more.
 */
export class RunningAnswer {
  readonly runId: string;
  readonly chatId: string;
  /** Never rejects. Resolves to false if the end could not be stored. */
  readonly done: Promise<boolean>;
  readonly #parts: RunningAnswerParts;
  readonly #sessions: OpenSession;
  readonly #stop = new AbortController();
  readonly #questions = new Map<string, (answer: ApprovalAnswer) => void>();
  readonly #applied = new Set<number>();
  #pending: ChatEventBody[] = [];
  #waiting: Extract<ChatEventBody, { delta: string }> | undefined;
  #writing: Promise<void> | undefined;
  #failure: unknown;
  /** The index of the first session message that is not stored yet. */
  #storedMessages = 0;
  /** The text of the current tick. */
  #tickText = '';

  constructor(parts: RunningAnswerParts, options: RunningAnswerOptions) {
    this.#parts = parts;
    this.runId = options.runId;
    this.chatId = options.chatId;
    this.#sessions = options.openSession;
    this.done = this.#run(options);
  }

  abort(reason: string): void {
    this.#stop.abort(new HubError('CANCELLED', reason));
  }

  /** Passes on the user's decision, from this or another process. Each question is decided once. */
  give({ seq, toolUseId, answer }: GivenApproval): void {
    if (this.#applied.has(seq)) return;
    const resolve = this.#questions.get(toolUseId);
    if (!resolve) return;
    this.#applied.add(seq);
    this.#questions.delete(toolUseId);
    resolve(answer);
  }

  async #run(options: RunningAnswerOptions): Promise<boolean> {
    try {
      const run = this.#send(options);
      if (run instanceof HubError) {
        await this.#finish(refused(run));
        return true;
      }
      for await (const event of run.events) {
        const shown = this.#toChatEvent(event);
        if (shown) this.#take(shown);
      }
      this.#release();
      const result = await run.result;
      this.#showKeptPart(result);
      await this.#writing;
      if (this.#failure !== undefined) throw this.#failure;
      await this.#finish(result);
      return true;
    } catch (error) {
      const { chatId, runId } = this;
      this.#parts.logger.warn({ err: error, chatId, runId }, 'an answer in a chat could not be stored');
      // The session knows more than the store, so the next message starts from the store.
      this.#sessions.lastSeq = -1;
      return false;
    }
  }

  /** Returns the error if the session rejects the message, for example because of its budget. */
  #send({ question, budget, payer, calledBy, alreadyRead, maxWaitMs }: RunningAnswerOptions): Run | HubError {
    const { session, history, promptMessages } = this.#sessions;
    const before = history.length > 0 ? promptMessages + history.length : session.messages.length;
    this.#storedMessages = before + 1;
    const options: SendOptions = {
      runId: this.runId,
      budget,
      payer,
      calledBy,
      alreadyRead,
      signal: this.#stop.signal,
      ...(maxWaitMs !== undefined && { approve: ({ toolUseId }) => this.#ask(toolUseId, maxWaitMs) }),
    };
    try {
      const run = session.send({ messages: [...history, question] }, options);
      this.#sessions.history = [];
      return run;
    } catch (error) {
      return toHubError(error);
    } finally {
      this.#sessions.isAwaited = false;
    }
  }

  #ask(toolUseId: string, maxWaitMs: number): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#questions.delete(toolUseId);
        resolve('deny');
      }, maxWaitMs).unref();
      this.#stop.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
      this.#questions.set(toolUseId, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }

  /** Holds back text that may end in part of a secret, because only whole secrets are recognized and removed. */
  #take(event: ChatEventBody): void {
    const { openFrom } = this.#parts;
    if (!openFrom || (event.type !== 'text' && event.type !== 'reasoning')) {
      this.#release();
      this.#add(event);
      return;
    }
    if (this.#waiting?.type !== event.type) this.#release();
    const delta = (this.#waiting?.delta ?? '') + event.delta;
    const from = openFrom(delta);
    this.#waiting = from < delta.length ? { ...event, delta: delta.slice(from) } : undefined;
    if (from > 0) this.#add({ ...event, delta: delta.slice(0, from) });
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) this.#add(waiting);
  }

  #add(event: ChatEventBody): void {
    if (this.#failure !== undefined) return;
    if (event.type === 'text') this.#tickText += event.delta;
    else if (event.type === 'tick.started' || event.type === 'tick.retried') this.#tickText = '';
    const last = this.#pending.at(-1);
    const isMore = (event.type === 'text' || event.type === 'reasoning') && last?.type === event.type;
    if (isMore) this.#pending[this.#pending.length - 1] = { ...event, delta: last.delta + event.delta };
    else this.#pending.push(event);
    this.#writing ??= this.#write();
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    const { store, publish } = this.#parts;
    try {
      while (this.#pending.length > 0) {
        const events = this.#pending;
        this.#pending = [];
        const { runId } = this;
        publish(this.chatId, await store.append(this.chatId, { runId, events, messages: this.#newMessages() }));
      }
    } catch (error) {
      // Events that are not stored must not be shown.
      this.#failure = error;
      this.#pending = [];
      this.abort(`The answer could not be stored: ${toHubError(error).message}`);
    } finally {
      this.#writing = undefined;
    }
  }

  /** Adds the partial text of an answer that kept being cut off, because each retry had set it aside. */
  #showKeptPart({ status, text }: RunResult): void {
    if (status === 'failed' && this.#tickText === '' && text !== '') {
      this.#add({ type: 'text', runId: this.runId, delta: text });
    }
  }

  #newMessages(): Message[] {
    const { messages } = this.#sessions.session;
    const fresh = messages.slice(this.#storedMessages);
    this.#storedMessages = messages.length;
    return fresh;
  }

  async #finish(result: Ended): Promise<void> {
    const { status, reason, refusal, error } = result;
    // Includes the usage of called agents, because the user pays for all of it.
    const { usage, cost } = result.together;
    const { runId, chatId } = this;
    const shown = await this.#parts.store.finish(chatId, {
      runId,
      events: [{ type: 'answer.finished', runId, status, reason, ...(refusal && { refusal }), usage, cost, error }],
      messages: this.#newMessages(),
      usage,
      cost,
      state: 'idle',
    });
    this.#sessions.lastSeq = shown.at(-1)?.seq ?? this.#sessions.lastSeq;
    this.#parts.publish(chatId, shown);
  }

  /** Returns undefined for events that a chat does not store: it has its own events for start and end. */
  #toChatEvent(event: RunEvent): ChatEventBody | undefined {
    const { runId } = this;
    switch (event.type) {
      case 'run.started':
      case 'run.finished':
        return undefined;
      case 'tick.finished': {
        const { type, tick, usage, cost } = event;
        return { type, runId, tick, usage, cost };
      }
      default:
        return { ...event, runId };
    }
  }
}

type Ended = Pick<RunResult, 'status' | 'reason' | 'refusal' | 'together' | 'error'>;

function refused(error: HubError): Ended {
  const together = { usage: noUsage, cost: 0 };
  return { status: 'failed', reason: error.message, together, error: toRunError(error) };
}
