import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  /** Line numbers from 1; null where the line is not on that side. */
  before: number | null;
  after: number | null;
}

/** Beyond this many changed lines the whole text counts as replaced: the cost stays bounded for any input. */
const maxChanges = 2_000;

/** Returns the lines of two texts as one list, in reading order. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [removed, added] = [splitLines(before), splitLines(after)];
  const parts = diffArrays(removed, added, { maxEditLength: maxChanges }) ?? [
    { value: removed, added: false, removed: true },
    { value: added, added: true, removed: false },
  ];
  const [beforeLines, afterLines] = [counter(), counter()];
  return parts.flatMap(({ value, ...part }) =>
    value.map((text): DiffLine => {
      if (part.added) return { kind: 'added', text, before: null, after: afterLines() };
      if (part.removed) return { kind: 'removed', text, before: beforeLines(), after: null };
      return { kind: 'same', text, before: beforeLines(), after: afterLines() };
    }),
  );
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.kind === 'added') added += 1;
    else if (line.kind === 'removed') removed += 1;
  }
  return { added, removed };
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/\r\n|\n|\r/);
}

function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    return count;
  };
}
