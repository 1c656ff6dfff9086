const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** "now", "5 min", "3 h", "12 d". */
export function shortDuration(ms: number): string {
  for (const [unit, length] of units) {
    if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  }
  return 'now';
}
