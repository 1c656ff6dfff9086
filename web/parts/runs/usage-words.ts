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

/** Returns the cost of one run or answer in US dollars, or a dash if the model's price is unknown. */
export function costWords(cost: number | null): string {
  return cost === null ? '–' : dollars(cost);
}

/** As `costWords`, in cents at most: costs in a column line up. */
export function centWords(cost: number | null): string {
  return cost !== null && cost > 0 && cost < 0.01 ? '<$0.01' : costWords(cost);
}

/** Returns a price in US dollars, which has as many digits as it needs. */
export function priceWords(price: number): string {
  return `$${price.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 })}`;
}
