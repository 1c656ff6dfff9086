import type { Chunk, KnowledgeDocument } from './document.ts';
import { type DocumentBody, toDocumentBody } from './document-body.ts';
import { type DocumentPart, partOf, usualPartBytes } from './document-part.ts';

/** A part of a document for a person who reads it, with the passages it touches. */
export interface DocumentView {
  document: DocumentBody;
  body: string;
  range: DocumentPart['range'];
  /** What to ask for to read on; null at the end. */
  next: { lines: string } | null;
  /** Those with lines in the range. */
  passages: Chunk[];
  totalPassages: number;
  /** The first passages of the document, without their texts. */
  outline: Pick<Chunk, 'ordinal' | 'heading' | 'startLine'>[];
}

export interface ViewRequest {
  lines?: string | undefined;
  /** A document that is too long for one view begins near this passage. */
  passage?: number | undefined;
  maxBytes?: number | undefined;
}

/** A list that somebody can look through. */
const maxInOutline = 200;
/** Passages before the one that is asked for, so that it is seen in its place. */
const passagesBefore = 2;

/** Throws INVALID_ARGUMENTS for lines that the document does not have. */
export async function viewOf(
  document: KnowledgeDocument & { body: string },
  { lines, passage, maxBytes = usualPartBytes }: ViewRequest,
  passages: readonly Chunk[],
): Promise<DocumentView> {
  const near = passage === undefined ? undefined : passages[Math.max(0, passage - passagesBefore)];
  const isWhole = Buffer.byteLength(document.body) <= maxBytes;
  const from = lines ?? (near && !isWhole ? `${near.startLine}-` : undefined);
  const part = await partOf(document, { lines: from, max_bytes: maxBytes }, async () => passages);
  const { body, range, next } = part;
  // Passages overlap by half at most; of one endless line, all would be in the range.
  let charactersLeft = 3 * maxBytes;
  const isShown = ({ startLine, endLine, text }: Chunk) => {
    if (startLine > range.end_line || endLine < range.start_line) return false;
    charactersLeft -= text.length;
    return charactersLeft >= 0;
  };
  return {
    document: toDocumentBody(document),
    body,
    range,
    next: next?.lines === undefined ? null : { lines: next.lines },
    passages: passages.filter(isShown),
    totalPassages: passages.length,
    outline: passages
      .slice(0, maxInOutline)
      .map(({ ordinal, heading, startLine }) => ({ ordinal, heading, startLine })),
  };
}
