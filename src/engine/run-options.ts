import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Tracer } from '../base/tracer.ts';
import type { Purse } from '../tools/caller.ts';
import type { Budget } from './budget.ts';
import type { Component } from './component.ts';
import type { ContextObjectModel } from './context-object-model.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { Message } from './message.ts';
import type { Model, ModelSettings, Usage } from './model.ts';
import type { ApprovalAnswer, ApprovalRequest } from './run-events.ts';
import type { RunStore } from './run-store.ts';
import type { RunInput } from './to-messages.ts';

export interface RunParts {
  model: Model;
  /** Conversation, system text and tools. The run adds to it; two runs at a time cannot share one. */
  com: ContextObjectModel;
  components?: readonly Component[] | undefined;
  /** Where the run's state is kept. */
  store?: RunStore | undefined;
  tracer?: Tracer | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
}

export interface RunOptions {
  /** Added to the conversation. Without one, the run goes on from what the context holds. */
  input?: RunInput | undefined;
  runId?: string | undefined;
  /** Whose run it is, for the store and for traces. */
  agent?: { id: string; name: string } | undefined;
  settings?: ModelSettings | undefined;
  /** How often the model is asked at most; 10. The calls of the last answer are still carried out. */
  maxTicks?: number | undefined;
  /** Looked at after every tick with tool calls; one that holds ends the run as completed. */
  stopWhen?: StopCondition | readonly StopCondition[] | undefined;
  budget?: Budget | undefined;
  /** Of the run that called this one: it pays, too, and when it is empty this run ends. */
  payer?: Purse | undefined;
  /** What a call gets of a tool that the model was not told of; without it, or for undefined, that there is none. */
  findTool?: ((name: string) => ExecutableTool | undefined) | undefined;
  /** Asks a person, one question at a time. Without it, calls that need approval are denied. */
  approve?: Approve | undefined;
  /** Tools that need no further question; "always" adds to it. Its own where it is not given. */
  approved?: Set<string> | undefined;
  signal?: AbortSignal | undefined;
  /** The trace that the run is a part of. */
  traceparent?: string | undefined;
}

export type Approve = (
  request: ApprovalRequest,
  options: { signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>;

export type StopCondition = (state: StopState) => boolean | Promise<boolean>;

export interface StopState {
  tick: number;
  /** Of the last answer. */
  text: string;
  /** What the run added to the conversation so far. */
  messages: readonly Message[];
  /** Of the last answer. */
  calls: readonly { tool: string; input: unknown; isError: boolean }[];
  usage: Usage;
  cost: number | null;
}
