import type { ContextObjectModel } from './context-object-model.ts';

/**
 * A part of an agent that takes part in its runs: it adds tools and messages to the context and cleans up afterwards.
 * An error in a hook fails the run, except in `onUnmount`, which is called at the end of every run that mounted the component.
 */
export class Component {
  /** Called before a run starts. */
  onMount?(com: ContextObjectModel): void | Promise<void>;
  /** Called when all components are mounted. */
  onStart?(com: ContextObjectModel): void | Promise<void>;
  /** Called before the model is asked. */
  onTickStart?(com: ContextObjectModel, tick: number): void | Promise<void>;
  /** Called after the model's answer and the results of its calls. */
  onTickEnd?(com: ContextObjectModel, tick: number): void | Promise<void>;
  onUnmount?(com: ContextObjectModel): void | Promise<void>;
}
