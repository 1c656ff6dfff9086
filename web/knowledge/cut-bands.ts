import type { Chunk } from '../../src/knowledge/document.ts';

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

/** The text in bands; the bands in a row are its lines, each once. Empty lines between passages belong to nobody and are left out. */
export function cutBands(body: string, passages: readonly Chunk[]): Band[] {
  const lines = body.split(/\r\n|\r|\n/);
  const bands: Band[] = [];
  let next = 1;
  const gap = (until: number) => {
    const text = lines.slice(next - 1, until - 1).join('\n');
    if (text.trim() !== '') bands.push({ passage: null, startLine: next, text, repeated: 0 });
    next = Math.max(next, until);
  };
  for (const passage of passages) {
    gap(passage.startLine);
    const startLine = Math.max(next, passage.startLine);
    const text = lines.slice(startLine - 1, passage.endLine).join('\n');
    bands.push({ passage, startLine, text, repeated: startLine - passage.startLine });
    next = Math.max(next, passage.endLine + 1);
  }
  gap(lines.length + 1);
  return bands;
}

export type DocumentKind = 'markdown' | 'text' | 'code';

/** How the text of a document is shown best; pages and Word files are stored as Markdown. */
export function kindOfDocument(contentType: string): DocumentKind {
  if (/markdown|html|wordprocessingml|msword/.test(contentType)) return 'markdown';
  if (contentType === 'text/plain' || contentType === 'application/pdf') return 'text';
  return 'code';
}
