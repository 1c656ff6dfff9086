import type { ContextObjectModel } from './context-object-model.ts';

/**
 * A part of an agent that follows its runs: it adds tools and messages to the context, and cleans up behind itself.
 * What a method before the end throws fails the run; `onUnmount` is called at the end of every run that mounted it.
 */
export class Component {
  /** Before a run begins. */
  onMount?(com: ContextObjectModel): void | Promise<void>;
  /** When all components are mounted. */
  onStart?(com: ContextObjectModel): void | Promise<void>;
  /** Before the model is asked. */
  onTickStart?(com: ContextObjectModel, tick: number): void | Promise<void>;
  /** After the model's answer and the results of its calls. */
  onTickEnd?(com: ContextObjectModel, tick: number): void | Promise<void>;
  onUnmount?(com: ContextObjectModel): void | Promise<void>;
}
