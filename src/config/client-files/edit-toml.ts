import { type Entry, tomlTable } from '../../base/entry-text.ts';

/**
 * Replaces the table of an entry, or appends it, and keeps everything else as it is. Works line by line: the caller checks that the
 * result means what it should.
 */
export function setTomlEntry(text: string, entry: Entry): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const table = tomlTable(entry).replaceAll('\n', newline);
  const lines = text.split(/(?<=\n)/);
  const blocks = blocksOf(lines, entry);
  const [first] = blocks;
  if (!first) {
    const end = text === '' || text.endsWith('\n') ? '' : newline;
    return `${text}${end}${text.trim() === '' ? '' : newline}${table}`;
  }
  const isReplaced = (index: number) => blocks.some(({ start, end }) => index >= start && index < end);
  return lines.map((line, index) => (index === first.start ? table : isReplaced(index) ? '' : line)).join('');
}

/** The table of the entry and the tables below it. Comments and empty lines at the end belong to what follows. */
function blocksOf(lines: readonly string[], { section, name }: Entry): { start: number; end: number }[] {
  const key = (word: string) => `(?:${escaped(word)}|"${escaped(word)}"|'${escaped(word)}')`;
  const header = new RegExp(`^\\s*\\[\\s*${key(section)}\\s*\\.\\s*${key(name)}\\s*(?:\\.[^\\]]*)?\\]`);
  return lines.flatMap((line, start) => {
    if (!header.test(line)) return [];
    const next = lines.findIndex((each, index) => index > start && /^\s*\[/.test(each));
    let end = next === -1 ? lines.length : next;
    while (end > start + 1 && /^\s*(?:#.*)?\s*$/.test(lines[end - 1] ?? '')) end -= 1;
    return [{ start, end }];
  });
}

function escaped(text: string): string {
  return text.replace(/[^\w-]/g, '\\$&');
}
