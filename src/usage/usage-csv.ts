import type { UsageDimension, UsageReport } from './usage.ts';

const columns = ['calls', 'errors', 'inputTokens', 'outputTokens', 'cost', 'unpriced', 'p50Ms', 'p95Ms'] as const;

/** Returns the groups of a report as CSV. */
export function toCsv(by: UsageDimension, { groups, total }: UsageReport): string {
  const lines = [
    [by, ...columns],
    ...groups.map((group) => [group.key, ...columns.map((name) => group[name])]),
    ['total', ...columns.map((name) => total[name])],
  ];
  return lines.map((line) => `${line.map(toCell).join(',')}\r\n`).join('');
}

/** A spreadsheet would run a text that begins like a formula. */
function toCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
