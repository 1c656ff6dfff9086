import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { newId } from '../base/ids.ts';
import { ContextObjectModel } from './context-object-model.ts';
import type { Message } from './message.ts';
import type { Model, Usage } from './model.ts';
import type { RunEvent, RunResult } from './run-events.ts';
import type { RunOptions, RunParts } from './run-options.ts';
import { type Run, runTicks, type StartedRun, startTicks } from './run-ticks.ts';
import type { RunInput } from './to-messages.ts';
import { addUsage, noUsage } from './usage.ts';

export interface ChatSessionOptions
  extends Pick<RunOptions, 'agent' | 'settings' | 'maxTicks' | 'budget' | 'approved' | 'findTool'>,
    Pick<RunParts, 'store' | 'tracer' | 'logger' | 'clock'> {
  /** Of its own where it is not given. */
  contextId?: string | undefined;
  model: Model;
  /** System text, tools, and what was said before. The session adds to it; nobody else may use it meanwhile. */
  com: ContextObjectModel;
  /** Hears of every answer, however it ended. */
  onResult?: ((result: RunResult) => void) | undefined;
  /** Once, when the session is closed. */
  onClose?: (() => void) | undefined;
}

export type SendOptions = Pick<
  RunOptions,
  'runId' | 'signal' | 'approve' | 'traceparent' | 'maxTicks' | 'budget' | 'payer'
>;

/**
 * A conversation with an agent: one context that each message continues, also after an answer that failed or was stopped. One
 * answer at a time: a message that comes meanwhile is refused with CONFLICT, because only its sender knows whether it
 * should wait, or the answer be stopped. `budget` and `maxTicks` hold for each answer; what a person approved with
 * "always" holds until the session is closed.
 */
export class ChatSession {
  readonly contextId: string;
  /** Answers the next message. */
  model: Model;
  /** Of all answers together. */
  usage: Usage = noUsage;
  readonly #options: ChatSessionOptions;
  readonly #clock: Clock;
  readonly #approved: Set<string>;
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
    this.#approved = options.approved ?? new Set();
  }

  /** All but the system messages, in order. None once it is closed. */
  get messages(): readonly Message[] {
    return this.#com.messages;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Throws CONFLICT while an answer is under way and after `close`, and as `runTicks` does. */
  send(input: RunInput, options: SendOptions = {}): Run {
    return this.#begin(input, options, runTicks);
  }

  /** The same for those who hear of events as they happen. */
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
    const { agent, settings, findTool, store, tracer, logger } = this.#options;
    const run = start(
      { model: this.model, com: this.#com, store, tracer, logger, clock: this.#clock },
      {
        input,
        runId: options.runId,
        agent,
        settings,
        maxTicks: options.maxTicks ?? this.#options.maxTicks,
        budget: { ...this.#options.budget, ...options.budget },
        payer: options.payer,
        findTool,
        approve: options.approve,
        approved: this.#approved,
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

  /** Stops the answer under way and lets go of messages and tools. A second call does nothing. */
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
