import type { Clock } from '../base/clock.ts';
import { HubError, toHubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { newBoundary, OutsideSources } from '../tools/outside-text.ts';
import { type ApprovedTools, SessionApprovals } from './approved-tools.ts';
import type { ContextObjectModel } from './context-object-model.ts';
import { asModel, type Model, type Usage } from './model.ts';
import type { RunEvent } from './run-events.ts';
import type { RunOptions } from './run-options.ts';
import { RunPurse } from './run-purse.ts';
import { RunRecord } from './run-record.ts';
import type { RunStore, StoredRunDetail, TakenStep } from './run-store.ts';
import { addUsage, costOf, noUsage, subtractUsage } from './usage.ts';

/** Distributes over the kinds of steps. */
type UnnumberedStep = TakenStep extends infer Step ? (Step extends TakenStep ? Omit<Step, 'step'> : never) : never;

interface RunStateParts {
  id: string;
  model: Model;
  com: ContextObjectModel;
  clock: Clock;
  logger: Logger;
  store: RunStore | undefined;
  resolveModel: ((model: unknown) => Promise<Model>) | undefined;
  options: RunOptions;
  emit: (event: RunEvent) => void;
}

/** The state of a running run: its progress, and whether it must stop. */
export class RunState {
  readonly id: string;
  /** The model that the run was started with. */
  readonly ownModel: Model;
  /** What a component set, as it was given. */
  wantedModel: unknown;
  readonly resolveModel: (model: unknown) => Promise<Model>;
  readonly com: ContextObjectModel;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: RunOptions;
  readonly emit: (event: RunEvent) => void;
  readonly record: RunRecord;
  /** Counts the usage of the run and of the agents that it called. */
  readonly purse: RunPurse;
  /** The number of messages before the run. */
  readonly firstMessage: number;
  ticks = 0;
  /** The run's own usage, without the agents that it called. */
  usage: Usage = noUsage;
  cost: number | null;
  /** The text of the last answer. */
  text = '';
  /** The calls of the current tick, as stored. */
  calls: StoredRunDetail['calls'] = [];
  readonly #steps: TakenStep[] = [];
  /** Tools that the user approved for the rest of the run or session. */
  readonly approved: ApprovedTools;
  /** What the conversation has read from outside. */
  readonly outside: OutsideSources;
  /** Marks the text from outside that this run reads. */
  readonly boundary = newBoundary();
  /** Resolves when the last approval question is answered; the next question waits for it. */
  approvalTurn: Promise<void> = Promise.resolve();
  /** Why the run stops although nobody aborted it. */
  failure: HubError | undefined;
  readonly #control = new AbortController();
  #model: Model;
  /** The usage and cost of the models before this one. */
  #before: { usage: Usage; cost: number | null } = { usage: noUsage, cost: 0 };

  constructor({ id, model, com, clock, logger, store, resolveModel, options, emit }: RunStateParts) {
    this.id = id;
    this.ownModel = model;
    this.#model = model;
    this.resolveModel = resolveModel ?? asModel;
    this.com = com;
    this.clock = clock;
    this.logger = logger;
    this.options = options;
    this.approved = options.approved ?? new SessionApprovals();
    this.outside = options.outside ?? new OutsideSources();
    this.emit = emit;
    this.cost = model.price ? 0 : null;
    this.purse = new RunPurse({ budget: options.budget ?? {}, payer: options.payer, cost: this.cost });
    this.firstMessage = com.messages.length;
    this.record = new RunRecord({
      store,
      clock,
      id,
      progress: () => ({
        ticks: this.ticks,
        usage: this.usage,
        cost: this.cost,
        messages: com.messages.slice(),
        calls: this.calls.map((call) => ({ ...call })),
        steps: this.#steps.slice(),
        outside: this.outside.sources,
      }),
      onFailure: (error) => this.fail(error),
    });
  }

  /** Records a step that has ended. */
  addStep(step: UnnumberedStep): void {
    if (this.record.isStored) this.#steps.push({ ...step, step: this.#steps.length + 1 });
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  get model(): Model {
    return this.#model;
  }

  switchTo(model: Model): void {
    this.#before = { usage: this.usage, cost: isNothing(this.usage) ? 0 : this.cost };
    this.#model = model;
    if (!isNothing(this.usage)) return;
    this.cost = model.price ? 0 : null;
    if (isNothing(this.purse.usage)) this.purse.cost = this.cost;
  }

  pay(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
    const cost = costOf(subtractUsage(this.usage, this.#before.usage), this.#model.price);
    this.cost = cost === null || this.#before.cost === null ? null : this.#before.cost + cost;
    this.purse.pay(usage, costOf(usage, this.#model.price));
  }

  abort(reason: string): void {
    this.#control.abort(new HubError('CANCELLED', reason));
  }

  /** Ends the run from outside the loop. */
  fail(error: unknown): void {
    this.failure ??= this.known(error);
    this.#control.abort(new HubError('CANCELLED', 'The run failed.'));
  }

  /** Returns an error that may be shown; logs the details of an unexpected one. */
  known(error: unknown): HubError {
    const known = toHubError(error);
    if (known !== error) this.logger.error({ err: error, runId: this.id }, 'unexpected error in a run');
    return known;
  }
}

function isNothing({ inputTokens, outputTokens }: Usage): boolean {
  return inputTokens + outputTokens === 0;
}
