import type { Usage } from '../../../src/engine/model.ts';
import { dollars } from '../../../src/usage/budgets.ts';

export function tokenWords({ inputTokens, outputTokens }: Usage): string {
  return `${shortCount(inputTokens)} in, ${shortCount(outputTokens)} out`;
}

/** Returns "950", "12.3k" or "1.2M". */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Returns a cost in US dollars, or a dash if the model's price is unknown. */
export function costWords(cost: number | null): string {
  return cost === null ? '–' : dollars(cost);
}
