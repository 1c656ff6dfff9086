import type { Clock } from '../base/clock.ts';
import { toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Meter, MeteredCall, Refusal } from '../engine/run-options.ts';
import type { SettingStore } from '../settings/settings.ts';
import {
  amountOf,
  appliesTo,
  Budget,
  type BudgetState,
  budgetLevel,
  budgetName,
  budgetPrefix,
  spentOf,
} from './budgets.ts';
import { bucketOf, hourMs, type Spender, type UsageEntry, type UsageStore } from './usage.ts';

/** Calls are written together, because a write for each would cost more than it tells. */
const waitMs = 500;
/** Calls that could not be stored are written again after this time. */
const retryMs = 5_000;

export interface UsageMeterParts {
  store: { readonly usage: UsageStore; readonly settings: SettingStore };
  clock: Clock;
  logger: Logger;
}

/** Counts the model calls of this process and enforces the budgets of the hub. */
export class UsageMeter {
  readonly #parts: UsageMeterParts;
  #pending = new Map<string, UsageEntry>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** How close the budgets were when this process last wrote. */
  #levels = '';

  constructor(parts: UsageMeterParts) {
    this.#parts = parts;
  }

  for(spender: Spender): Meter {
    return {
      refusal: (model) => this.#refusal(spender, model),
      record: (call) => this.#record(spender, call),
    };
  }

  /** Returns all budgets with what has been used of them. */
  async budgets(): Promise<BudgetState[]> {
    await this.flush();
    return this.#read();
  }

  async #read(): Promise<BudgetState[]> {
    const { settings } = this.#parts.store;
    const all = (await settings.list(budgetPrefix, Budget)).map(({ key, value, version }) => {
      return { ...value, id: key.slice(budgetPrefix.length), version };
    });
    const spent = await this.#spent(all);
    return spent.map(({ budget, used, unpriced, since, until }) => {
      return { ...budget, used, unpriced, since: toIso(since), resetsAt: toIso(until) };
    });
  }

  /** Resolves when every call so far is stored. A failure is logged, and the calls are kept for the next time. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Stores every call so far, for the last time. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.flush();
  }

  async #refusal(spender: Spender, model: Parameters<Meter['refusal']>[0]): Promise<Refusal | undefined> {
    const all = await this.#parts.store.settings.list(budgetPrefix, Budget);
    const strict = all.map(({ value }) => value).filter((each) => each.action === 'stop' && appliesTo(each, spender));
    if (strict.length === 0) return undefined;
    await this.flush();
    for (const { budget, used, until } of await this.#spent(strict)) {
      if (used >= budget.limit) return { kind: 'used-up', reason: usedUp(budget, { used, until }) };
      if (budget.unit === 'cost' && !model.price) {
        const reason = `The price of ${model.provider}/${model.modelId} is unknown, so the ${budgetName(budget)} cannot be kept. The owner of the hub can set it under Models (0 if the model is free), or choose a budget in tokens under Usage.`;
        return { kind: 'unknown-price', reason };
      }
    }
    return undefined;
  }

  #spent<B extends Budget>(budgets: readonly B[]) {
    const { clock, store } = this.#parts;
    return spentOf(budgets, { usage: store.usage, now: clock.now() });
  }

  #record(spender: Spender, call: MeteredCall): void {
    const { usage, cost } = call;
    const hour = Math.floor(call.endedAt / hourMs);
    const bucket = bucketOf(call.endedAt - call.startedAt);
    const key = JSON.stringify([hour, spender.agentId, call.model, spender.client, spender.memberId, bucket]);
    const entry = this.#pending.get(key) ?? { ...spender, ...nothing, hour, model: call.model, bucket };
    this.#pending.set(key, entry);
    entry.calls += 1;
    if (call.error !== null) entry.errors += 1;
    if (usage && cost === null) entry.unpriced += 1;
    entry.cost += cost ?? 0;
    entry.inputTokens += usage?.inputTokens ?? 0;
    entry.outputTokens += usage?.outputTokens ?? 0;
    entry.cachedTokens += usage?.cachedInputTokens ?? 0;
    entry.reasoningTokens += usage?.reasoningTokens ?? 0;
    this.#flushIn(waitMs);
  }

  #flushIn(ms: number): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), ms).unref();
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return;
    const entries = this.#pending;
    this.#pending = new Map();
    try {
      await this.#parts.store.usage.add([...entries.values()]);
    } catch (error) {
      if (error instanceof HubError && error.details?.mayHaveRun === true) {
        // It may have been stored, so writing it again could count it twice.
        this.#parts.logger.warn({ err: error }, 'it is unknown whether the latest model usage was stored');
        return;
      }
      this.#parts.logger.warn({ err: error }, 'model usage could not be stored yet');
      this.#flushIn(retryMs);
      for (const [key, entry] of entries) {
        const newer = this.#pending.get(key);
        this.#pending.set(key, newer ? sumOf(entry, newer) : entry);
      }
      return;
    }
    await this.#announce();
  }

  /** Tells the inbox when a budget is nearly used up, or used up. */
  async #announce(): Promise<void> {
    try {
      const levels = (await this.#read()).flatMap((budget) => {
        const level = budgetLevel(budget);
        return level === 'fine' ? [] : [`${budget.id} ${level} ${budget.since}`];
      });
      const before = this.#levels;
      this.#levels = levels.join();
      if (this.#levels !== before) await this.#parts.store.usage.announceBudgets();
    } catch (error) {
      this.#parts.logger.warn({ err: error }, 'the levels of the budgets could not be announced');
    }
  }
}

const nothing = {
  calls: 0,
  errors: 0,
  unpriced: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
};

function sumOf(one: UsageEntry, other: UsageEntry): UsageEntry {
  const sum = { ...one };
  for (const name of Object.keys(nothing) as (keyof typeof nothing)[]) sum[name] += other[name];
  return sum;
}

function usedUp(budget: Budget, { used, until }: { used: number; until: number }): string {
  const begins = toIso(until).slice(0, 10);
  return `The ${budgetName(budget)} is used up: ${amountOf(budget, used)} of ${amountOf(budget, budget.limit)}. It resets on ${begins} at 00:00 UTC. The owner of the hub can raise it under Usage.`;
}
