import type { Chunk } from '../../../src/knowledge/document.ts';

/** Consecutive lines of a document: one passage, or the lines between two passages. */
export interface Band {
  /** Null for lines outside any passage. */
  passage: Chunk | null;
  /** Starts at 1. */
  startLine: number;
  text: string;
  /** The number of lines at the start of the passage that the previous band already shows. */
  repeated: number;
}

/**
 * Cuts a text into bands that contain each line once. Empty lines between passages are left out.
 * `firstLine` is the line number at which the text starts in its document.
 */
export function cutBands(body: string, passages: readonly Chunk[], firstLine = 1): Band[] {
  const lines = body.split(/\r\n|\r|\n/);
  const bands: Band[] = [];
  let next = firstLine;
  const textOf = (from: number, until: number) =>
    lines.slice(from - firstLine, Math.max(0, until - firstLine)).join('\n');
  const gap = (until: number) => {
    const text = textOf(next, until);
    if (text.trim() !== '') bands.push({ passage: null, startLine: next, text, repeated: 0 });
    next = Math.max(next, until);
  };
  for (const passage of passages) {
    gap(passage.startLine);
    const startLine = Math.max(next, passage.startLine);
    const text = textOf(startLine, passage.endLine + 1);
    bands.push({ passage, startLine, text, repeated: startLine - passage.startLine });
    next = Math.max(next, passage.endLine + 1);
  }
  gap(firstLine + lines.length);
  return bands;
}

export type DocumentKind = 'markdown' | 'text' | 'code';

/** Returns how to show a document. Web pages and Word files are stored as Markdown. */
export function kindOfDocument(contentType: string): DocumentKind {
  if (/markdown|html|wordprocessingml|msword/.test(contentType)) return 'markdown';
  if (contentType === 'text/plain' || contentType === 'application/pdf') return 'text';
  return 'code';
}
