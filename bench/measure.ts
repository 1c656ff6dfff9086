import { readFileSync } from 'node:fs';

/** Runs rounds of every contestant, interleaved so that a busy machine affects all of them, and returns the medians. */
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

/** Returns the value that this share of the values does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the CPU time of a process so far, or NaN if the system does not report it. */
export function cpuMillisecondsOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    // User and system time, in hundredths of a second.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return Number.NaN;
  }
}

export function rate(perSecond: number): string {
  return `${(perSecond / 1000).toFixed(1)}k/s`;
}

export interface BenchRow {
  what: string;
  floor: string;
  ratio: number;
  goal: string;
  isMet: boolean | undefined;
  detail: string;
}

/** A row without a goal explains another row. */
export function toRow(
  row: Omit<BenchRow, 'isMet' | 'goal'> & { goal?: number | undefined; isAtLeast: boolean },
): BenchRow {
  const { isAtLeast, goal, ...rest } = row;
  if (goal === undefined) return { ...rest, goal: '–', isMet: undefined };
  const isMet = isAtLeast ? row.ratio >= goal : row.ratio <= goal;
  return { ...rest, goal: `${isAtLeast ? '≥' : '≤'} ${goal}`, isMet };
}

export function printTable(rows: readonly BenchRow[]): void {
  printCells([
    ['', 'what', 'against', 'ratio', 'goal', 'measured'],
    ...rows.map((row) => [mark(row.isMet), row.what, row.floor, row.ratio.toFixed(2), row.goal, row.detail]),
  ]);
}

export function printCells(cells: readonly (readonly string[])[]): void {
  const columns = Math.max(...cells.map((cell) => cell.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...cells.map((cell) => (cell[column] ?? '').length)),
  );
  for (const cell of cells)
    process.stdout.write(
      `${cell
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

export function mark(isMet: boolean | undefined): string {
  if (isMet === undefined) return ' ';
  return isMet ? '✓' : '✗';
}
