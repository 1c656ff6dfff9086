const roundTops = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** Returns the end of an axis that holds the value: a round number, and so is half of it. */
export function roundTop(max: number): number {
  if (!(max > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(max));
  return (roundTops.find((top) => top * unit >= max) ?? 10) * unit;
}
