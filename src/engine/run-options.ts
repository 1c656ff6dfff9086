import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Tracer } from '../base/tracer.ts';
import type { Purse } from '../tools/caller.ts';
import type { OutsideSources } from '../tools/outside-text.ts';
import type { ApprovedTools } from './approved-tools.ts';
import type { Budget } from './budget.ts';
import type { ComponentHooks } from './component.ts';
import type { ContextObjectModel } from './context-object-model.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { Message } from './message.ts';
import type { Model, ModelSettings, Usage } from './model.ts';
import type { ApprovalAnswer, ApprovalRequest, RefusalKind } from './run-events.ts';
import type { CalledBy, RunStore } from './run-store.ts';
import type { RunInput } from './to-messages.ts';

export interface RunParts {
  model: Model;
  /** Conversation, system text and tools. The run adds to it; concurrent runs cannot share one. */
  com: ContextObjectModel;
  components?: readonly ComponentHooks[] | undefined;
  /** Resolves what a component passes to `com.setModel`. By default, only model objects are accepted. */
  resolveModel?: ((model: unknown) => Promise<Model>) | undefined;
  /** Stores the run's state. */
  store?: RunStore | undefined;
  tracer?: Tracer | undefined;
  logger?: Logger | undefined;
  clock?: Clock | undefined;
}

/** Counts model calls beyond the run, and decides whether one may begin. */
export interface Meter {
  /** Returns why no call to this model may begin now; undefined if one may. */
  refusal(model: Pick<Model, 'provider' | 'modelId' | 'price'>): Refusal | undefined | Promise<Refusal | undefined>;
  /** Must not throw. */
  record(call: MeteredCall): void;
}

/** Why a model call may not begin. */
export interface Refusal {
  kind: RefusalKind;
  /** To show to the user. */
  reason: string;
}

/** A model call that has ended. */
export interface MeteredCall {
  /** `provider/model`. */
  model: string;
  startedAt: number;
  endedAt: number;
  /** Null if the provider did not report it. */
  usage: Usage | null;
  /** US dollars; null if the price or the usage is unknown. */
  cost: number | null;
  /** The code of the error that ended it. */
  error: string | null;
}

export interface RunOptions {
  /** Added to the conversation. Without it, the run continues the existing conversation. */
  input?: RunInput | undefined;
  runId?: string | undefined;
  /** The agent that runs, for the store and for traces. */
  agent?: { id: string; name: string } | undefined;
  settings?: ModelSettings | undefined;
  /** The maximum number of times the model is asked; 10 by default. The calls of the last answer still run. */
  maxTicks?: number | undefined;
  /** Checked after every tick with tool calls. If one is met, the run ends as completed. */
  stopWhen?: StopCondition | readonly StopCondition[] | undefined;
  budget?: Budget | undefined;
  /** The purse of the calling run. It pays too; when it is empty, this run ends. */
  payer?: Purse | undefined;
  /** The call that started the run, for the store. */
  calledBy?: CalledBy | undefined;
  /** Asked before every model call, and told about it afterwards. */
  meter?: Meter | undefined;
  /** Finds a tool that the model calls although it was not listed. If it returns undefined, the model learns that there is no such tool. */
  findTool?: ((name: string) => ExecutableTool | undefined) | undefined;
  /** Asks the user for approval, one question at a time. Without it, calls that need approval are denied. */
  approve?: Approve | undefined;
  /** Tools that are already approved; "chat" and "always" add to it. Empty by default. */
  approved?: ApprovedTools | undefined;
  /** The approvals that the user stored for this agent. Without it, "always" lasts as long as the session. */
  grants?: StoredGrants | undefined;
  /** What to do with a call that can send or destroy something after the run has read text from outside; `ask` by default. */
  afterUntrusted?: AfterUntrusted | undefined;
  /** What the conversation has read from outside; the run adds to it. Empty by default. */
  outside?: OutsideSources | undefined;
  /** What the prompt or the caller has read from outside, which the conversation may not know yet. */
  alreadyRead?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
  /** The trace that the run belongs to. */
  traceparent?: string | undefined;
}

type AfterUntrusted = 'ask' | 'allow' | 'deny';

/** The approvals that the user stored for one agent. */
export interface StoredGrants {
  /** False if the tool has changed since. */
  has(tool: string): Promise<boolean>;
  add(tool: string): Promise<void>;
}

export type Approve = (
  request: ApprovalRequest,
  options: { signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>;

export type StopCondition = (state: StopState) => boolean | Promise<boolean>;

export interface StopState {
  tick: number;
  /** The text of the last answer. */
  text: string;
  /** The messages that the run has added so far. */
  messages: readonly Message[];
  /** The calls of the last answer. */
  calls: readonly { tool: string; input: unknown; isError: boolean }[];
  usage: Usage;
  cost: number | null;
}
