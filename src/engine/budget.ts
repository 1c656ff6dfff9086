import { HubError } from '../base/hub-error.ts';
import type { Model, Usage } from './model.ts';

/** What a run may use, with the agents it calls in this process. It ends after the answer that reached a limit; the calls of that answer are not carried out. */
export interface Budget {
  /** Input and output tokens together. */
  maxTokens?: number | undefined;
  /** US dollars. The model's price must be known. */
  maxCost?: number | undefined;
}

/** Throws INVALID_ARGUMENTS, and NOT_CONFIGURED for a limit in dollars where the price is not known. */
export function checkBudget(
  budget: Budget,
  { limitsCost }: { limitsCost: boolean },
  model: Pick<Model, 'provider' | 'modelId' | 'price'>,
): void {
  for (const key of ['maxTokens', 'maxCost'] as const) {
    const limit = budget[key];
    if (limit !== undefined && !(limit > 0)) {
      throw new HubError('INVALID_ARGUMENTS', `budget.${key} must be a number above 0.`);
    }
  }
  if (!limitsCost || model.price) return;
  throw new HubError(
    'NOT_CONFIGURED',
    `The price of ${model.provider}/${model.modelId} is not known, so maxCost cannot be kept. ` +
      `Set input and output (US dollars for a million tokens) in the prices of the provider, ` +
      `in zoo.toml under [providers.${model.provider}.prices."${model.modelId}"], or use maxTokens.`,
  );
}

/** Says which limit was reached; undefined while there is something left. */
export function reachedLimit(budget: Budget, usage: Usage, cost: number | null): string | undefined {
  const tokens = usage.inputTokens + usage.outputTokens;
  if (budget.maxTokens !== undefined && tokens >= budget.maxTokens) {
    return `The run used ${tokens} of ${budget.maxTokens} tokens.`;
  }
  if (budget.maxCost !== undefined && cost !== null && cost >= budget.maxCost) {
    return `The run cost $${cost.toFixed(4)} of $${budget.maxCost}.`;
  }
  return undefined;
}
