import type { Purse } from '../tools/caller.ts';
import { type Budget, reachedLimit } from './budget.ts';
import type { Usage } from './model.ts';
import { addUsage, noUsage } from './usage.ts';

const payerPrefix = 'The budget of the run that called this one is used up. ';

/** The purse of one run: enforces its own budget and that of the calling run. */
export class RunPurse implements Purse {
  readonly #budget: Budget;
  readonly #payer: Purse | undefined;
  /** The usage of the run and of the agents it called. */
  usage: Usage = noUsage;
  /** US dollars; null once something with an unknown price was paid. */
  cost: number | null;

  constructor({ budget, payer, cost }: { budget: Budget; payer: Purse | undefined; cost: number | null }) {
    this.#budget = budget;
    this.#payer = payer;
    this.cost = cost;
  }

  pay(usage: Usage, cost: number | null): void {
    this.usage = addUsage(this.usage, usage);
    this.cost = this.cost === null || cost === null ? null : this.cost + cost;
    this.#payer?.pay(usage, cost);
  }

  spent(): string | undefined {
    const ownLimit = reachedLimit(this.#budget, this.usage, this.cost);
    if (ownLimit !== undefined) return ownLimit;
    const reason = this.#payer?.spent();
    return reason === undefined || reason.startsWith(payerPrefix) ? reason : payerPrefix + reason;
  }

  get limitsCost(): boolean {
    return this.#budget.maxCost !== undefined || this.#payer?.limitsCost === true;
  }
}
