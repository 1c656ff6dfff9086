/** Rounds of every contestant, interleaved so that a busy minute of the machine hits all of them, and medians. */
export async function measureRounds<K extends string>(
  rounds: number,
  contestants: Record<K, () => Promise<number>>,
): Promise<Record<K, number>> {
  const names = Object.keys(contestants) as K[];
  const samples = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const value = await contestants[name]();
      // Round 0 warms up.
      if (round > 0) samples.get(name)?.push(value);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name) ?? [])])) as Record<K, number>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export interface BenchRow {
  what: string;
  floor: string;
  ratio: number;
  goal: string;
  isMet: boolean | undefined;
  detail: string;
}

export function printTable(rows: readonly BenchRow[]): void {
  const cells = [
    ['', 'what', 'against', 'ratio', 'goal', 'measured'],
    ...rows.map((row) => [mark(row.isMet), row.what, row.floor, row.ratio.toFixed(2), row.goal, row.detail]),
  ];
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...cells.map((cell) => (cell[column] ?? '').length)));
  for (const cell of cells)
    process.stdout.write(
      `${cell
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

function mark(isMet: boolean | undefined): string {
  if (isMet === undefined) return ' ';
  return isMet ? '✓' : '✗';
}
