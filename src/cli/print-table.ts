import { type CliContext, colorsFor, printLine } from './context.ts';
import { fitText, padText, printableLine, textWidth } from './text-width.ts';

/** Rows in aligned columns, the first one bold. On a terminal the last column takes what the others leave. */
export function printTable(context: CliContext, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const { bold, dim } = colorsFor(context);
  const cells = rows.map((row) => row.map(printableLine));
  const widths = header.map((title, column) =>
    Math.max(textWidth(title), ...cells.map((row) => textWidth(row[column] ?? ''))),
  );
  const last = header.length - 1;
  const others = widths.slice(0, -1).reduce((sum, width) => sum + width + 3, 2);
  const room = context.stdout.isTTY
    ? Math.max(20, (context.stdout.columns ?? 100) - others - 1)
    : Number.POSITIVE_INFINITY;
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === last ? fitText(cell, room) : padText(cell, widths[column] ?? 0)));
  printLine(context, `  ${dim(line(header).join('   '))}`.trimEnd());
  for (const row of cells) {
    const [first = '', ...rest] = line(row);
    printLine(context, `  ${[bold(first), ...rest].join('   ')}`.trimEnd());
  }
}

/** `2026-01-31 08:15` in the zone of the terminal. */
export function shortTime(iso: string | null): string {
  if (iso === null) return '–';
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
