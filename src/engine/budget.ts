import { HubError } from '../base/hub-error.ts';
import type { Model, Usage } from './model.ts';

/** The limits of a run, including the agents it calls in this process. The run ends after the answer that reaches a limit; the calls in that answer do not run. */
export interface Budget {
  /** Input and output tokens together. */
  maxTokens?: number | undefined;
  /** US dollars. The model's price must be known. */
  maxCost?: number | undefined;
}

/** Throws INVALID_ARGUMENTS, and NOT_CONFIGURED for a cost limit if the model's price is unknown. */
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
    `The price of ${model.provider}/${model.modelId} is unknown, so maxCost cannot be enforced. ` +
      `Set its input and output (US dollars per million tokens) in the prices of the provider: under Models in the web app, ` +
      `or in zoo.toml under [providers.${model.provider}.prices."${model.modelId}"]. Or use maxTokens.`,
  );
}

/** Returns a message about the limit that was reached; undefined if none was. */
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
