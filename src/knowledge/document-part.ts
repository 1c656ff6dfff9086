import { z } from 'zod';
import { toIso } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Chunk, KnowledgeDocument } from './document.ts';

/** A document without its text, as tools, scripts and HTTP return it. */
export const DocumentSummary = z.object({
  id: z.string(),
  title: z.string(),
  source: z.string(),
  source_id: z.string().describe('The path or name inside the source.'),
  source_url: z.string().nullable(),
  content_type: z.string(),
  updated_at: z.string().describe('ISO 8601.'),
  indexed_at: z.string().describe('ISO 8601.'),
  version: z.string().describe('SHA-256 of the content when it was indexed.'),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  chunks: z.int().describe('Number of passages.'),
  size: z.int().describe('The length of the text in characters.'),
});
export type DocumentSummary = z.infer<typeof DocumentSummary>;

/** The default size of a part: small enough for a model to read and a client to show. */
export const usualPartBytes = 65_536;
export const largestPartBytes = 16 * 1_048_576;

/** A range of lines, such as "120-180". */
export const LineText = z
  .string()
  .regex(/^[1-9]\d{0,8}(:[1-9]\d{0,8})?(-([1-9]\d{0,8})?)?$/, 'must look like "120-180", "120-" or "120"');

/** The input of `get` on every surface. */
export const DocumentRequest = z.strictObject({
  id: z.string().min(1).max(200).describe('The id of the document.'),
  lines: LineText.optional().describe(
    'Only these lines: "120-180", "120-" (to the end) or "120" (one line). "120:5000-" begins at character 5000 of line 120.',
  ),
  passage: z.int().min(0).optional().describe('Only this passage: `passage.ordinal` of a search result.'),
  max_bytes: z
    .int()
    .min(4)
    .max(largestPartBytes)
    .optional()
    .describe('The maximum number of bytes. Longer text is cut, at the end of a line if possible. Default: 65536.'),
});
export type DocumentRequest = z.infer<typeof DocumentRequest>;

/** A document with its text, or a part of it, and the call that reads on. */
export const DocumentPart = DocumentSummary.extend({
  author: z.string().nullable(),
  created_at: z.string().describe('ISO 8601. The last change, if the source does not tell when it was created.'),
  body: z.string().describe('The requested text.'),
  range: z.object({
    start_line: z.int(),
    end_line: z.int(),
    total_lines: z.int(),
    bytes: z.int(),
    total_bytes: z.int(),
  }),
  next: z
    .object({
      id: z.string(),
      lines: z.string().exactOptional(),
      passage: z.int().exactOptional(),
      max_bytes: z.int().exactOptional(),
    })
    .nullable()
    .describe('The arguments of the call that reads on; null at the end of the document.'),
  note: z.string().exactOptional().describe('States that the text was cut, and how to read on.'),
});
export type DocumentPart = z.infer<typeof DocumentPart>;

interface Text {
  body: string;
  range: DocumentPart['range'];
  next: Omit<NonNullable<DocumentPart['next']>, 'id'> | null;
  isCut: boolean;
}

/** Returns the requested part of a document. Throws INVALID_ARGUMENTS for lines or a passage that it does not have. */
export async function partOf(
  document: KnowledgeDocument & { body: string },
  request: Omit<DocumentRequest, 'id'>,
  /** Loads all passages in order. Called only when a passage is requested. */
  passages: () => Promise<readonly Chunk[]>,
): Promise<DocumentPart> {
  const { lines, passage, max_bytes: maxBytes = usualPartBytes } = request;
  if (lines !== undefined && passage !== undefined) {
    throw new HubError('INVALID_ARGUMENTS', 'Ask for either lines or a passage, not both.');
  }
  const totals = { total_lines: countLines(document.body), total_bytes: Buffer.byteLength(document.body) };
  const { body, range, next, isCut } =
    passage === undefined
      ? cutLines(document.body, { ...parseLines(lines), maxBytes, totals })
      : cutPassage(await passages(), { passage, maxBytes, totals });
  const call = next && { id: document.id, ...next };
  const { author, created_at: createdAt } = document.metadata;
  return {
    ...toDocumentSummary(document),
    author: typeof author === 'string' ? author : null,
    created_at: typeof createdAt === 'string' ? createdAt : toIso(document.updatedAt),
    body,
    range,
    next: call,
    ...(isCut && call && { note: noteOf(range, call) }),
  };
}

type Totals = Pick<DocumentPart['range'], 'total_lines' | 'total_bytes'>;

interface LineRange {
  /** From 1. */
  from: number;
  /** UTF-16 units, from 1. */
  character: number;
  to: number | undefined;
}

function parseLines(lines: string | undefined): LineRange {
  if (lines === undefined) return { from: 1, character: 1, to: undefined };
  const [start = '', end] = lines.split('-');
  const [from, character = 1] = start.split(':').map(Number);
  const to = end === undefined ? from : end === '' ? undefined : Number(end);
  return { from: from ?? 1, character, to };
}

function cutLines(
  body: string,
  { from, character, to, maxBytes, totals }: LineRange & { maxBytes: number; totals: Totals },
): Text {
  const last = Math.min(to ?? totals.total_lines, totals.total_lines);
  if (from > totals.total_lines || last < from) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `lines: the document has no lines ${from}${to === undefined ? '' : ` to ${to}`}. It has ${totals.total_lines} lines.`,
    );
  }
  const lineStart = startOfLine(body, from);
  const start = beforePair(body, Math.min(lineStart + character - 1, endOfLine(body, lineStart)));
  const wanted = startOfLine(body, last + 1);
  const end = cutAt(body, { start, wanted, maxBytes });
  const text = body.slice(start, end);
  const isCut = end < wanted;
  const ended = from + countLines(text) - 1;
  const isWholeLine = text.endsWith('\n');
  const range = {
    start_line: from,
    end_line: isWholeLine ? ended - 1 : ended,
    ...totals,
    bytes: Buffer.byteLength(text),
  };
  if (end >= body.length) return { body: text, range, next: null, isCut };
  const rest = isCut && to !== undefined ? String(last) : '';
  const at = isWholeLine ? `${ended}` : `${ended}:${end - body.lastIndexOf('\n', end - 1)}`;
  return { body: text, range, next: { lines: `${at}-${rest}` }, isCut };
}

function cutPassage(
  passages: readonly Chunk[],
  { passage, maxBytes, totals }: { passage: number; maxBytes: number; totals: Totals },
): Text {
  const found = passages[passage];
  if (!found) {
    const available = passages.length === 0 ? 'It has none.' : `Available: 0 to ${passages.length - 1}.`;
    throw new HubError('INVALID_ARGUMENTS', `passage: the document has no passage ${passage}. ${available}`);
  }
  const end = cutAt(found.text, { start: 0, wanted: found.text.length, maxBytes });
  const body = found.text.slice(0, end);
  const range = {
    start_line: found.startLine,
    end_line: end < found.text.length ? found.startLine + countLines(body) - 1 : found.endLine,
    ...totals,
    bytes: Buffer.byteLength(body),
  };
  if (end < found.text.length) {
    return { body, range, next: { passage, max_bytes: Buffer.byteLength(found.text) }, isCut: true };
  }
  return { body, range, next: passages[passage + 1] ? { passage: passage + 1 } : null, isCut: false };
}

/** Returns where to cut so that the text fits: after a line if possible, else after a character. Always advances by at least one character. */
function cutAt(body: string, { start, wanted, maxBytes }: { start: number; wanted: number; maxBytes: number }): number {
  let bytes = 0;
  let afterLine = start;
  let at = start;
  while (at < wanted) {
    const code = body.codePointAt(at) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes + size > maxBytes && at > start) return afterLine > start ? afterLine : at;
    bytes += size;
    at += size === 4 ? 2 : 1;
    if (code === 10) afterLine = at;
  }
  return wanted;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Returns the end of the text for a line after the last one. */
function startOfLine(body: string, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = body.indexOf('\n', start);
    if (end < 0) return body.length;
    start = end + 1;
  }
  return start;
}

function endOfLine(body: string, start: number): number {
  const end = body.indexOf('\n', start);
  return end < 0 ? body.length : end;
}

/** Moves an offset between the halves of a surrogate pair to before the pair. */
function beforePair(body: string, at: number): number {
  const isLow = (body.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && (body.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at;
}

function noteOf(range: DocumentPart['range'], next: NonNullable<DocumentPart['next']>): string {
  const { start_line, end_line, total_lines, bytes, total_bytes } = range;
  const count = (value: number) => value.toLocaleString('en');
  return `Cut: these are lines ${count(start_line)} to ${count(end_line)} of ${count(total_lines)}, ${count(bytes)} of ${count(total_bytes)} bytes. To read on, call get with ${JSON.stringify(next)}.`;
}

export function toDocumentSummary(document: KnowledgeDocument): DocumentSummary {
  const { id, title, source, sourceId, url, contentType, hash, updatedAt, indexedAt } = document;
  const { tags, metadata, chunks, size } = document;
  return {
    id,
    title,
    source,
    source_id: sourceId,
    source_url: url,
    content_type: contentType,
    updated_at: toIso(updatedAt),
    indexed_at: toIso(indexedAt),
    version: hash,
    tags,
    metadata,
    chunks,
    size,
  };
}
