import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { OutsideSources } from '../tools/outside-text.ts';
import { type ApprovedTools, SessionApprovals } from './approved-tools.ts';
import { ContextObjectModel } from './context-object-model.ts';
import type { Message } from './message.ts';
import type { Model, Usage } from './model.ts';
import type { RunEvent, RunResult } from './run-events.ts';
import type { RunOptions, RunParts } from './run-options.ts';
import { type Run, runTicks, type StartedRun, startTicks } from './run-ticks.ts';
import { type RunInput, toMessages } from './to-messages.ts';
import { addUsage, noUsage } from './usage.ts';

export interface ChatSessionOptions
  extends Pick<
      RunOptions,
      'agent' | 'settings' | 'maxTicks' | 'budget' | 'approved' | 'grants' | 'afterUntrusted' | 'findTool' | 'meter'
    >,
    Pick<RunParts, 'store' | 'tracer' | 'logger' | 'clock'> {
  /** A new id by default. */
  contextId?: string | undefined;
  model: Model;
  /** System text, tools and earlier messages. The session adds to it; nobody else may use it meanwhile. */
  com: ContextObjectModel;
  /** What the conversation has read from outside so far, in earlier sessions. */
  outside?: readonly string[] | undefined;
  /** What the agent's prompt contains from outside. */
  alreadyRead?: readonly string[] | undefined;
  /** Adds to each message before the model sees it. */
  prepare?: PrepareQuestion | undefined;
  /** Called after every answer, successful or not. */
  onResult?: ((result: RunResult) => void) | undefined;
  /** Called once, when the session is closed. */
  onClose?: (() => void) | undefined;
}

/** Returns the question with what belongs to it, such as the agent's rules. Adds nothing when called again with its result. */
export type PrepareQuestion = (
  question: Message,
  options: { conversation: readonly Message[]; mentionsIn?: string | undefined },
) => Message;

export interface SendOptions
  extends Pick<
    RunOptions,
    'runId' | 'signal' | 'approve' | 'traceparent' | 'maxTicks' | 'budget' | 'payer' | 'calledBy' | 'alreadyRead'
  > {
  /** The text whose `@rule:NAME` and `@ref:NAME` count, if it is not the message: values that a caller filled in name nothing. */
  mentionsIn?: string | undefined;
}

/**
 * A conversation with an agent: one context that each message continues, even after an answer that failed or was stopped. The agent
 * gives one answer at a time. A message that comes meanwhile is refused with CONFLICT, because only its sender knows whether to wait
 * or to stop the answer. `budget` and `maxTicks` apply to each answer; an approval for the
 * conversation lasts until the session is closed, unless `approved` stores it.
 */
export class ChatSession {
  readonly contextId: string;
  /** The model that answers the next message. */
  model: Model;
  /** The total usage of all answers. */
  usage: Usage = noUsage;
  readonly #options: ChatSessionOptions;
  readonly #clock: Clock;
  readonly #approved: ApprovedTools;
  readonly #outside: OutsideSources;
  #com: ContextObjectModel;
  #running: StartedRun | undefined;
  #isClosed = false;

  constructor(options: ChatSessionOptions) {
    const { contextId, clock = systemClock, model, com } = options;
    this.contextId = contextId ?? newId('ctx', clock.now());
    this.model = model;
    this.#options = options;
    this.#clock = clock;
    this.#com = com;
    this.#approved = options.approved ?? new SessionApprovals();
    this.#outside = new OutsideSources(options.outside);
  }

  /** All messages except system messages, in order. Empty once the session is closed. */
  get messages(): readonly Message[] {
    return this.#com.messages;
  }

  /** The sources of the text from outside that this conversation has read. */
  get outside(): readonly string[] {
    return this.#outside.sources;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns a message as the model will see it. `history` are earlier messages that the session does not know yet. */
  question(text: string, options: { history?: readonly Message[]; mentionsIn?: string | undefined } = {}): Message {
    const { history = [], mentionsIn } = options;
    const question: Message = { role: 'user', content: [{ type: 'text', text }] };
    const { prepare } = this.#options;
    return prepare ? prepare(question, { conversation: [...this.messages, ...history], mentionsIn }) : question;
  }

  /** Sends a message. Throws CONFLICT during an answer and after `close`, and the errors of `runTicks`. */
  send(input: RunInput, options: SendOptions = {}): Run {
    return this.#begin(input, options, runTicks);
  }

  /** Sends a message and calls `onEvent` synchronously with each event. */
  ask(input: RunInput, options: SendOptions, onEvent: (event: RunEvent) => void): StartedRun {
    return this.#begin(input, options, (parts, given) => startTicks(parts, given, onEvent));
  }

  #begin<R extends StartedRun>(
    input: RunInput,
    options: SendOptions,
    start: (parts: RunParts, options: RunOptions) => R,
  ): R {
    if (this.isClosed) throw new HubError('CONFLICT', `The session ${this.contextId} is closed. Open a new one.`);
    if (this.#running) {
      const message = `The session ${this.contextId} is still answering. Wait for the answer, or stop it first.`;
      throw new HubError('CONFLICT', message);
    }
    const {
      agent,
      settings,
      findTool,
      meter,
      grants,
      afterUntrusted,
      alreadyRead = [],
      store,
      tracer,
      logger,
    } = this.#options;
    const run = start(
      { model: this.model, com: this.#com, store, tracer, logger, clock: this.#clock },
      {
        input: this.#prepared(input, options.mentionsIn),
        runId: options.runId,
        agent,
        settings,
        maxTicks: options.maxTicks ?? this.#options.maxTicks,
        budget: { ...this.#options.budget, ...options.budget },
        payer: options.payer,
        calledBy: options.calledBy,
        findTool,
        meter,
        approve: options.approve,
        approved: this.#approved,
        grants,
        afterUntrusted,
        outside: this.#outside,
        alreadyRead: [...alreadyRead, ...(options.alreadyRead ?? [])],
        signal: options.signal,
        traceparent: options.traceparent,
      },
    );
    this.#running = run;
    void run.result.then((result) => {
      this.#running = undefined;
      this.usage = addUsage(this.usage, result.usage);
      this.#options.onResult?.(result);
    });
    return run;
  }

  #prepared(input: RunInput, mentionsIn: string | undefined): RunInput {
    const { prepare } = this.#options;
    if (!prepare) return input;
    const messages = toMessages(input);
    const last = messages.at(-1);
    if (last?.role !== 'user') return input;
    const before = messages.slice(0, -1);
    return { messages: [...before, prepare(last, { conversation: [...this.messages, ...before], mentionsIn })] };
  }

  /** Stops the current answer and releases messages and tools. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#running?.abort('The session was closed.');
    await this.#running?.result;
    for (const { metadata } of this.#com.getTools()) this.#com.removeTool(metadata.name);
    this.#com = new ContextObjectModel();
    this.#options.onClose?.();
  }
}
