import { describe, expect, test } from 'vitest';
import type { CliContext } from './context.ts';
import { printEntries, printTable } from './print-table.ts';
import { textWidth } from './text-width.ts';

/** Returns the printed text, on a terminal of this width or in a file. */
function printed(print: (context: CliContext) => void, columns?: number): string {
  let text = '';
  const stdout = { isTTY: columns !== undefined, columns, write: (piece: string) => (text += piece) };
  // Printing needs only this part of the context.
  print({ env: { NO_COLOR: '1' }, stdout } as unknown as CliContext);
  return text;
}

const long = 'Looks at all that is there and says what matters first. '.repeat(3).trim();
const entries = [
  { name: 'scout', text: long, note: `(tools: ${'look_at_it, '.repeat(9)})` },
  { name: 'clerk', text: 'Writes.' },
];

describe('entries to choose from', () => {
  const show = (context: CliContext) => printEntries(context, entries);

  test('are whole in a pipe', () => {
    const [scout = '', clerk] = printed(show).split('\n');
    expect(scout).toBe(`  scout   ${long}   ${entries[0]?.note}`);
    expect(clerk).toBe('  clerk   Writes.');
  });

  test.each([40, 60, 80, 120])('fit a terminal of %i columns', (columns) => {
    const lines = printed(show, columns).trimEnd().split('\n');
    expect(Math.max(...lines.map(textWidth))).toBeLessThan(columns + 1);
    expect(lines).toHaveLength(columns < 80 ? 5 : 2);
    expect(lines.filter((line) => line.endsWith(' '))).toEqual([]);
  });
});

describe('a table', () => {
  const show = (context: CliContext) =>
    printTable(context, ['TASK', 'STATE', 'SINCE', 'TITLE'], [['task_1m7jjjzp2kq5', 'ASSIGNED', '', 'Do it']]);

  test('has a line for each row', () => {
    expect(printed(show, 80)).toBe(
      '  TASK                STATE      SINCE   TITLE\n  task_1m7jjjzp2kq5   ASSIGNED           Do it\n',
    );
  });

  test('on a narrow terminal, each cell that is not empty has its own line', () => {
    expect(printed(show, 40)).toBe('task_1m7jjjzp2kq5\n  STATE  ASSIGNED\n  TITLE  Do it\n');
  });
});
