import type { ModelPrice, Usage } from './model.ts';

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}

export function subtractUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens - other.inputTokens,
    outputTokens: one.outputTokens - other.outputTokens,
    cachedInputTokens: one.cachedInputTokens - other.cachedInputTokens,
    reasoningTokens: one.reasoningTokens - other.reasoningTokens,
  };
}

/** Returns the cost in US dollars; null if the price is unknown. */
export function costOf(usage: Usage, price: ModelPrice | undefined): number | null {
  if (!price) return null;
  const fresh = usage.inputTokens - usage.cachedInputTokens;
  const cached = usage.cachedInputTokens * (price.cachedInput ?? price.input);
  return (fresh * price.input + cached + usage.outputTokens * price.output) / 1_000_000;
}
