import type { Purse } from '../tools/caller.ts';
import { type Budget, reachedLimit } from './budget.ts';
import type { Usage } from './model.ts';
import { addUsage, noUsage } from './usage.ts';

const above = 'The budget of the run that called this one is used up. ';

/** The purse of one run: its own budget, and that of the run which called it. */
export class RunPurse implements Purse {
  readonly #budget: Budget;
  readonly #payer: Purse | undefined;
  /** Of the run and of the agents it called. */
  usage: Usage = noUsage;
  /** US dollars; null as soon as something was paid whose price is not known. */
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
    const own = reachedLimit(this.#budget, this.usage, this.cost);
    if (own !== undefined) return own;
    const reason = this.#payer?.spent();
    return reason === undefined || reason.startsWith(above) ? reason : above + reason;
  }

  get limitsCost(): boolean {
    return this.#budget.maxCost !== undefined || this.#payer?.limitsCost === true;
  }
}
