import type { Clock } from '../base/clock.ts';
import { HubError, toHubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { ContextObjectModel } from './context-object-model.ts';
import type { Model, Usage } from './model.ts';
import type { RunEvent } from './run-events.ts';
import type { RunOptions } from './run-options.ts';
import { RunPurse } from './run-purse.ts';
import { RunRecord } from './run-record.ts';
import type { RunStore, StoredRunDetail } from './run-store.ts';
import { noUsage } from './usage.ts';

interface RunStateParts {
  id: string;
  model: Model;
  com: ContextObjectModel;
  clock: Clock;
  logger: Logger;
  store: RunStore | undefined;
  options: RunOptions;
  emit: (event: RunEvent) => void;
}

/** One run, while it lasts: how far it is, and whether it shall stop. */
export class RunState {
  readonly id: string;
  readonly model: Model;
  readonly com: ContextObjectModel;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: RunOptions;
  readonly emit: (event: RunEvent) => void;
  readonly record: RunRecord;
  /** Knows what was used together with the agents that the run called. */
  readonly purse: RunPurse;
  /** How many messages were there before the run added any. */
  readonly firstMessage: number;
  ticks = 0;
  /** Its own. */
  usage: Usage = noUsage;
  cost: number | null;
  /** Of the last answer. */
  text = '';
  /** Of the current tick, as the store shows them. */
  calls: StoredRunDetail['calls'] = [];
  /** Tools that a person approved for the rest of the run, or of the session it belongs to. */
  readonly approved: Set<string>;
  /** Ends when the question before the next one is answered. */
  approvalTurn: Promise<void> = Promise.resolve();
  /** Why the run stops where nobody asked for it. */
  failure: HubError | undefined;
  readonly #control = new AbortController();

  constructor({ id, model, com, clock, logger, store, options, emit }: RunStateParts) {
    this.id = id;
    this.model = model;
    this.com = com;
    this.clock = clock;
    this.logger = logger;
    this.options = options;
    this.approved = options.approved ?? new Set();
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
      }),
      onFailure: (error) => this.fail(error),
    });
  }

  get signal(): AbortSignal {
    return this.#control.signal;
  }

  abort(reason: string): void {
    this.#control.abort(new HubError('CANCELLED', reason));
  }

  /** Ends the run from beside the loop. */
  fail(error: unknown): void {
    this.failure ??= this.known(error);
    this.#control.abort(new HubError('CANCELLED', 'The run failed.'));
  }

  /** What may be told of an error; the whole of an unexpected one is logged. */
  known(error: unknown): HubError {
    const known = toHubError(error);
    if (known !== error) this.logger.error({ err: error, runId: this.id }, 'a run met an unexpected error');
    return known;
  }
}
