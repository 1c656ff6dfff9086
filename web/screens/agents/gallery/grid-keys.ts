const steps: Record<string, (index: number, columns: number, count: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index, columns) => index - columns,
  // From the row before the last, down reaches the last card even where the last row is short.
  ArrowDown: (index, columns, count) =>
    index + columns >= count && Math.floor(index / columns) < Math.floor((count - 1) / columns)
      ? count - 1
      : index + columns,
  Home: () => 0,
  End: (_index, _columns, count) => count - 1,
};

/** Which card a key leads to, or undefined when it leads nowhere. */
export function cardAfterKey(key: string, grid: { index: number; columns: number; count: number }): number | undefined {
  const next = steps[key]?.(grid.index, grid.columns, grid.count);
  return next !== undefined && next >= 0 && next < grid.count ? next : undefined;
}
