import { type CliContext, colorsFor, printLine } from './context.ts';
import { fitText, padText, printableLine, textWidth } from './text-width.ts';

/**
 * Prints rows in aligned columns, the first one bold. On a terminal, the last column is cut to fit. A narrow terminal gets one
 * cell per line.
 */
export function printTable(context: CliContext, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const { bold, dim } = colorsFor(context);
  const cells = rows.map((row) => row.map(printableLine));
  if (isNarrow(context)) {
    const labels = Math.max(...header.slice(1).map(textWidth));
    for (const [first = '', ...rest] of cells) {
      printLine(context, bold(first));
      for (const [index, cell] of rest.entries())
        if (cell !== '') printLine(context, `  ${dim(padText(header[index + 1] ?? '', labels))}  ${cell}`);
    }
    return;
  }
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

interface Entry {
  name: string;
  text: string;
  /** Shown dimmed after the text. */
  note?: string;
}

/** The minimum width of a text. */
const minWidth = 24;

/** Prints one entry per line. Text and note are cut to fit a terminal, and complete in a pipe. */
export function printEntries(context: CliContext, entries: readonly Entry[]): void {
  const { bold, dim } = colorsFor(context);
  const cells = entries.map(({ name, text, note = '' }) => ({
    name,
    text: printableLine(text),
    note: printableLine(note),
  }));
  const columns = context.stdout.isTTY ? (context.stdout.columns ?? 100) : Number.POSITIVE_INFINITY;
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(textWidth));
  const names = widest(cells.map(({ name }) => name));
  const notes = Math.min(40, widest(cells.map(({ note }) => note)));
  const isTooNarrow = isNarrow(context) || columns - names - Math.min(minWidth, notes) - 9 < minWidth;
  if (isTooNarrow) {
    for (const { name, text, note } of cells) {
      printLine(context, bold(name));
      if (text !== '') printLine(context, `  ${fitText(text, columns - 3)}`);
      if (note !== '') printLine(context, `  ${dim(fitText(note, columns - 3))}`);
    }
    return;
  }
  const texts = cells.map(({ text }) => fitText(text, Math.max(minWidth, columns - names - notes - 9)));
  const width = widest(texts);
  for (const [index, { name, note }] of cells.entries()) {
    const padding = ' '.repeat(names - textWidth(name));
    const rest = fitText(note, Math.max(minWidth, columns - names - width - 9));
    const text = padText(texts[index] ?? '', width);
    printLine(context, `  ${bold(name)}${padding}   ${text}   ${rest === '' ? '' : dim(rest)}`.trimEnd());
  }
}

function isNarrow({ stdout }: CliContext): boolean {
  return stdout.isTTY && (stdout.columns ?? 100) < 60;
}

/** Formats a time as `2026-01-31 08:15` in local time. */
export function shortTime(iso: string | null): string {
  if (iso === null) return '–';
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
