import type { Chunk, KnowledgeDocument } from './document.ts';
import { partOf, toDocumentSummary, usualPartBytes } from './document-part.ts';
import type { DocumentView } from './knowledge.contract.ts';

interface ViewRequest {
  lines?: string | undefined;
  /** A document that is too long for one view starts near this passage. */
  passage?: number | undefined;
  maxBytes?: number | undefined;
}

/** As many as a user can skim. */
const maxInOutline = 200;
/** Passages shown before the requested one, for context. */
const passagesBefore = 2;

/** Returns a part of a document for reading, with the passages in it. Throws INVALID_ARGUMENTS for lines that it does not have. */
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
  // Passages overlap by at most half. A single huge line would put all passages in the range.
  let charactersLeft = 3 * maxBytes;
  const isShown = ({ startLine, endLine, text }: Chunk) => {
    if (startLine > range.end_line || endLine < range.start_line) return false;
    charactersLeft -= text.length;
    return charactersLeft >= 0;
  };
  return {
    document: toDocumentSummary(document),
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
