import type { DiffLine } from '../../src/agents/diff-lines.ts';

export interface DiffHunk {
  /** Unchanged lines left out before this hunk. */
  skipped: number;
  lines: DiffLine[];
}

/** Groups changed lines with some unchanged context. The last hunk may be empty and only count skipped lines. */
export function toHunks(lines: readonly DiffLine[], context = 3): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let skipped = 0;
  let lastChange = Number.NEGATIVE_INFINITY;
  const nextChange = new Array<number>(lines.length);
  for (let index = lines.length - 1, next = Number.POSITIVE_INFINITY; index >= 0; index -= 1) {
    if (lines[index]?.kind !== 'same') next = index;
    nextChange[index] = next;
  }
  for (const [index, line] of lines.entries()) {
    if (line.kind !== 'same') lastChange = index;
    const near = index - lastChange <= context || (nextChange[index] ?? 0) - index <= context;
    if (!near) {
      skipped += 1;
      continue;
    }
    const current = hunks.at(-1);
    if (skipped > 0 || !current) hunks.push({ skipped, lines: [line] });
    else current.lines.push(line);
    skipped = 0;
  }
  if (skipped > 0) hunks.push({ skipped, lines: [] });
  return hunks;
}
