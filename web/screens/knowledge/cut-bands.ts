import type { Chunk } from '../../../src/knowledge/document.ts';

/** A run of lines of a document: one passage, or what lies between two. */
export interface Band {
  /** Null for lines that no passage has. */
  passage: Chunk | null;
  /** From 1. */
  startLine: number;
  text: string;
  /** Lines at the start of the passage that the band before it already shows. */
  repeated: number;
}

/**
 * The text in bands; the bands in a row are its lines, each once. Empty lines between passages belong to nobody and are
 * left out. The text may be a part of a document, and then `firstLine` is where it begins.
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

/** How the text of a document is shown best; pages and Word files are stored as Markdown. */
export function kindOfDocument(contentType: string): DocumentKind {
  if (/markdown|html|wordprocessingml|msword/.test(contentType)) return 'markdown';
  if (contentType === 'text/plain' || contentType === 'application/pdf') return 'text';
  return 'code';
}
