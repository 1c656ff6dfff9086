/**
 * One ranking of two: the scores of each are scaled to 0 to 1 over its own candidates and added, `alpha` being the
 * weight of the second. What only one ranking has counts as the last of the other. Keeps no order.
 */
export function fuse<K>(first: ReadonlyMap<K, number>, second: ReadonlyMap<K, number>, alpha: number): Map<K, number> {
  const scaledFirst = scale(first);
  const scaledSecond = scale(second);
  const fused = new Map<K, number>();
  for (const key of new Set([...first.keys(), ...second.keys()])) {
    fused.set(key, (1 - alpha) * (scaledFirst.get(key) ?? 0) + alpha * (scaledSecond.get(key) ?? 0));
  }
  return fused;
}

/** From 0 for the least to 1 for the most. Equal scores are all 1: each is the best. */
export function scale<K>(scores: ReadonlyMap<K, number>): Map<K, number> {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const score of scores.values()) {
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  return new Map([...scores].map(([key, score]) => [key, most > least ? (score - least) / (most - least) : 1]));
}
