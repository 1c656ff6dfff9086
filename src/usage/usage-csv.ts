import type { UsageReport } from './usage.ts';

const columns = ['calls', 'errors', 'inputTokens', 'outputTokens', 'cost', 'unpriced', 'p50Ms', 'p95Ms'] as const;

/** Returns reports of one interval each as CSV, with a line for each group in each interval. */
export function toCsv(by: UsageReport['by'], reports: Iterable<{ at: string; report: UsageReport }>): string {
  const lines: (string | number | null)[][] = [['time', by, ...columns]];
  for (const { at, report } of reports) {
    for (const group of report.groups) lines.push([at, group.key, ...columns.map((name) => group[name])]);
    const { rest } = report;
    if (rest) lines.push([at, `(${rest.groups} more)`, ...columns.map((name) => rest[name])]);
  }
  return lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join('');
}

/** A spreadsheet would run a text that begins like a formula. */
function toCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
