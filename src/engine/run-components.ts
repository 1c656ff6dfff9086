import { untilAborted } from '../base/abort.ts';
import { HubError, toHubError } from '../base/hub-error.ts';
import type { ComponentHooks, RecoveryAction, TickPhase, TickState } from './component.ts';
import type { ExecutionMessage } from './context-object-model.ts';
import type { ToolResultBlock, ToolUseBlock } from './message.ts';
import type { FinishReason, Usage } from './model.ts';
import type { RunState } from './run-state.ts';

/** An answer that a tick has taken, for the components. */
export interface TickAnswer {
  reason: FinishReason;
  description: string;
  usage: Usage;
  calls: readonly ToolUseBlock[];
  results: readonly ToolResultBlock[];
}

/** The components of one run: calls their hooks, and keeps what they learn about the ticks. */
export class RunComponents {
  readonly #run: RunState;
  readonly #components: readonly ComponentHooks[];
  readonly #mounted: ComponentHooks[] = [];
  #state: TickState;
  #phase: TickPhase = 'tick_start';
  /** The number of entries that the model had seen before the last answer. */
  #seen = 0;
  /** Why a component ended the run. */
  #stopped: string | undefined;

  constructor(run: RunState, components: readonly ComponentHooks[]) {
    this.#run = run;
    this.#components = components;
    this.#state = { tick: 0, queuedMessages: [], stop: (reason) => this.#stop(reason) };
  }

  get isEmpty(): boolean {
    return this.#components.length === 0;
  }

  async mount(): Promise<void> {
    const { com } = this.#run;
    com.attach({ abort: (reason) => this.#run.abort(reason), deliver: (message) => void this.#deliver(message) });
    for (const component of this.#components) {
      this.#mounted.push(component);
      await this.#hook(() => component.onMount?.(com));
    }
    for (const component of this.#components) await this.#hook(() => component.onStart?.(com));
  }

  async startTick(tick: number): Promise<void> {
    if (this.isEmpty) return;
    const { com } = this.#run;
    this.#phase = 'tick_start';
    const current = this.#state.current ?? { timeline: com.toInput().timeline };
    this.#state = { ...this.#state, tick, current, queuedMessages: com.takeQueuedMessages() };
    for (const component of this.#components) await this.#hook(() => component.onTickStart?.(com, this.#state));
    this.#phase = 'render';
    for (const component of this.#components) await this.#render(component);
    this.#phase = 'model_execution';
    const previous = com.toInput();
    this.#seen = previous.timeline.length;
    this.#state = { ...this.#state, previous };
  }

  async endTick({ reason, description, usage, calls, results }: TickAnswer): Promise<void> {
    if (this.isEmpty) return;
    const { com } = this.#run;
    this.#phase = 'tick_end';
    this.#state = {
      ...this.#state,
      usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens },
      current: { timeline: com.toInput().timeline.slice(this.#seen), toolCalls: calls, toolResults: results },
      stopReason: { reason, description },
    };
    for (const component of this.#components) await this.#hook(() => component.onTickEnd?.(com, this.#state));
  }

  /** Why a component ended the run; undefined if none did. */
  get stopped(): string | undefined {
    return this.#stopped;
  }

  async complete(): Promise<void> {
    if (this.isEmpty) return;
    const { com } = this.#run;
    this.#phase = 'complete';
    for (const component of this.#components) await this.#hook(() => component.onComplete?.(com, com.toInput()));
  }

  /** Tells the components about a failure. Returns true if the run can continue. An aborted run cannot. */
  async recover(error: unknown): Promise<boolean> {
    const { com, signal } = this.#run;
    if (this.isEmpty || signal.aborted) return false;
    const known = toHubError(error);
    // A component is part of the program, so it may see what users do not.
    const shown = known.code === 'INTERNAL_ERROR' && known.cause instanceof Error ? known.cause : known;
    const state: TickState = { ...this.#state, error: { error: shown, phase: this.#phase } };
    let recovery: RecoveryAction | undefined;
    for (const component of this.#components) {
      const returned = await untilAborted(signal, async () => component.onError?.(com, state));
      if (returned?.continue) recovery ??= returned;
    }
    if (!recovery) return false;
    await this.#hook(() => recovery.modifications?.(com));
    const { recoveryMessage } = recovery;
    if (recoveryMessage !== undefined) {
      const event = { type: 'system_event', event: 'error_recovery', data: { recoveryMessage } };
      com.addTimelineEntry({
        kind: 'event',
        message: { role: 'event', content: [event] },
        tags: ['error_recovery'],
      });
    }
    return true;
  }

  async unmount(): Promise<void> {
    const { com, logger, id } = this.#run;
    com.attach(undefined);
    for (const component of this.#mounted.reverse()) {
      try {
        await component.onUnmount?.(com);
      } catch (error) {
        logger.error({ err: error, runId: id }, 'a component failed to clean up');
      }
    }
  }

  async #render(component: ComponentHooks): Promise<void> {
    const { com } = this.#run;
    const returned = await this.#hook(() => com.render(async () => component.render?.(com, this.#state)));
    if (returned === undefined || returned === null || returned === false) return;
    const name = component.constructor === Object ? 'A component' : `Component ${component.constructor.name}`;
    throw new HubError(
      'INVALID_ARGUMENTS',
      `${name} returned something from render(). JSX is not supported: add messages with com.addMessage() and tools with com.addTool(), and return nothing.`,
    );
  }

  async #deliver(message: ExecutionMessage): Promise<void> {
    try {
      for (const component of this.#mounted) {
        await this.#hook(() => component.onMessage?.(this.#run.com, message, this.#state));
      }
    } catch (error) {
      if (!this.#run.signal.aborted) this.#run.fail(error);
    }
  }

  #stop(reason: string): void {
    this.#stopped ??= reason;
  }

  #hook<T>(work: () => T | Promise<T>): Promise<T> {
    return untilAborted(this.#run.signal, work);
  }
}
