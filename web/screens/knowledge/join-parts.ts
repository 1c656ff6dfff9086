import type { DocumentView } from '../../../src/knowledge/knowledge.contract.ts';

/** The loaded text of a document, joined from its parts. */
export interface LoadedText extends Omit<DocumentView, 'next'> {
  isWhole: boolean;
}

/** Joins consecutive parts. Returns undefined without parts. */
export function joinParts(parts: readonly DocumentView[]): LoadedText | undefined {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return undefined;
  // A passage at a boundary is in both parts.
  const passages = new Map(parts.flatMap((part) => part.passages.map((passage) => [passage.ordinal, passage])));
  return {
    document: last.document,
    body: parts.map((part) => part.body).join(''),
    range: {
      ...last.range,
      start_line: first.range.start_line,
      bytes: parts.reduce((sum, part) => sum + part.range.bytes, 0),
    },
    passages: [...passages.values()].sort((a, b) => a.ordinal - b.ordinal),
    totalPassages: last.totalPassages,
    outline: last.outline,
    isWhole: first.range.start_line === 1 && last.next === null,
  };
}
