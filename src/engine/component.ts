import type { COMInput, ContextObjectModel, ExecutionMessage } from './context-object-model.ts';
import type { ModelEntry, ToolResultBlock, ToolUseBlock } from './message.ts';
import type { FinishReason, Usage } from './model.ts';

/** What a component learns about the current tick. */
export interface TickState {
  /** Starts at 1. */
  tick: number;
  /** The usage of the last answer; undefined before the first. */
  usage?: (Usage & { totalTokens: number }) | undefined;
  /** What the model saw when it gave the last answer. */
  previous?: COMInput | undefined;
  /** What the last answer and its calls added. Before the first answer: the conversation so far. */
  current?: TickOutput | undefined;
  /** Why the last answer ended. */
  stopReason?: { reason: FinishReason; description: string } | undefined;
  /** What failed, in `onError`. */
  error?: { error: Error; phase: TickPhase } | undefined;
  /** The messages that arrived since the last tick began. */
  queuedMessages: readonly ExecutionMessage[];
  /** Ends the run after this tick, as completed. */
  stop(reason: string): void;
}

interface TickOutput {
  timeline: readonly ModelEntry[];
  toolCalls?: readonly ToolUseBlock[] | undefined;
  toolResults?: readonly ToolResultBlock[] | undefined;
}

export type TickPhase = 'tick_start' | 'render' | 'model_execution' | 'tick_end' | 'complete';

/** What `onError` can return to let the run continue. */
export interface RecoveryAction {
  continue: boolean;
  /** Told to the model before the next tick. */
  recoveryMessage?: string | undefined;
  modifications?: ((com: ContextObjectModel) => void | Promise<void>) | undefined;
}

type Done = void | Promise<void>;

/**
 * A part of an agent that takes part in its runs: it adds tools and messages to the context and cleans up afterwards. A plain object with
 * these functions is one, too. An error in a hook fails the run, except in `onUnmount`, which is called at the end of every run that
 * mounted the component.
 */
export class Component<P = object, S = object> {
  props: P;
  state: S;

  constructor(props: P = {} as P) {
    this.props = props;
    // A class that uses it sets it in its own constructor.
    this.state = {} as S;
  }

  /** Called before a run starts. */
  onMount?(com: ContextObjectModel): Done;
  /** Called when all components are mounted. */
  onStart?(com: ContextObjectModel): Done;
  /** Called before the model is asked. */
  onTickStart?(com: ContextObjectModel, state: TickState): Done;
  /** Called after `onTickStart`. Adds to the context and returns nothing; what it added in an earlier tick is not added again. */
  render?(com: ContextObjectModel, state: TickState): unknown;
  /** Called after the model's answer and the results of its calls. */
  onTickEnd?(com: ContextObjectModel, state: TickState): Done;
  /** Called at once when a message is sent to the run. */
  onMessage?(com: ContextObjectModel, message: ExecutionMessage, state: TickState): Done;
  /** Called when a tick or `onComplete` fails. The run continues if one component returns `{continue: true}`. */
  onError?(
    com: ContextObjectModel,
    state: TickState,
  ): RecoveryAction | void | Promise<void> | Promise<RecoveryAction | undefined>;
  /** Called after the last tick, unless the run failed or was aborted. */
  onComplete?(com: ContextObjectModel, finalState: COMInput): Done;
  onUnmount?(com: ContextObjectModel): Done;
}

/** The functions of a component; a plain object has only these. */
export type ComponentHooks = Omit<Component, 'props' | 'state'>;
