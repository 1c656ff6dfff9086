import type { Chunk, PreparedDocument } from '../knowledge/document.ts';
import { contentTypeOf, familyOf, sniffedType } from './content-types.ts';
import { cutCode } from './cut/cut-code.ts';
import { cutMarkdown } from './cut/cut-markdown.ts';
import type { ChunkLimits } from './cut/cut-passages.ts';
import { cutPages, cutPlain } from './cut/cut-plain.ts';
import { cutLines, cutTable } from './cut/cut-records.ts';
import { cleanText, decodeText } from './read/decode-text.ts';
import { readFrontMatter } from './read/front-matter.ts';
import { readDocx } from './read/read-docx.ts';
import { readHtml } from './read/read-html.ts';
import { readPdf } from './read/read-pdf.ts';
import { readLines, type TextLines } from './text-lines.ts';

/** Must change whenever the same file would yield different text or passages. */
export const textVersion = '1';

export interface DocumentItem {
  name: string;
  content: Uint8Array | string;
  contentType?: string;
}

/** Smaller passages could not hold a sentence. */
const minTokens = 16;

/** Reads any file as text and passages. Throws INVALID_FORMAT, with a message for users, for a file that cannot be read. */
export async function prepareDocument(item: DocumentItem, options: ChunkLimits): Promise<PreparedDocument> {
  const { name, content } = item;
  const contentType = sniffedType(content) ?? contentTypeOf(name, item.contentType);
  const limits = {
    maxTokens: Math.max(minTokens, options.maxTokens),
    overlapTokens: Math.max(0, options.overlapTokens),
  };
  const family = familyOf(contentType);
  switch (family) {
    case 'pdf':
      return preparePdf(name, contentType, await readPdf(name, toBytes(content)), limits);
    case 'docx':
      return preparePage(name, contentType, await readDocx(name, toBytes(content)), limits);
    case 'html':
      return preparePage(name, contentType, await readHtml(name, decodeText(name, content)), limits);
    case 'markdown':
      return prepareMarkdown(name, contentType, decodeText(name, content), limits);
    default: {
      const body = decodeText(name, content);
      const chunks = cutText(readLines(body), contentType, limits);
      return { title: readableName(name, family === 'plain'), contentType, tags: [], metadata: {}, body, chunks };
    }
  }
}

function cutText(lines: TextLines, contentType: string, limits: ChunkLimits): Chunk[] {
  const family = familyOf(contentType);
  switch (family) {
    case 'brace':
    case 'indent':
    case 'sections':
      return cutCode(lines, contentType, family, limits);
    case 'table':
      return cutTable(lines, limits);
    case 'lines':
      return cutLines(lines, limits);
    default:
      return cutPlain(lines, limits);
  }
}

function prepareMarkdown(name: string, contentType: string, body: string, limits: ChunkLimits): PreparedDocument {
  const lines = readLines(body);
  const front = readFrontMatter(lines);
  const { title, chunks } = cutMarkdown(lines, front.lines, limits);
  return {
    title: front.title ?? title ?? readableName(name, true),
    contentType,
    tags: front.tags,
    metadata: front.metadata,
    body,
    chunks,
  };
}

function preparePage(
  name: string,
  contentType: string,
  page: { title: string | null; markdown: string },
  limits: ChunkLimits,
): PreparedDocument {
  const body = cleanText(page.markdown);
  const { title, chunks } = cutMarkdown(readLines(body), 0, limits);
  const chosen = cleanText(page.title ?? title ?? readableName(name, true));
  return { title: chosen, contentType, tags: [], metadata: {}, body, chunks };
}

function preparePdf(
  name: string,
  contentType: string,
  pdf: { title: string | null; metadata: Record<string, unknown>; pages: string[] },
  limits: ChunkLimits,
): PreparedDocument {
  const { body, chunks } = cutPages(pdf.pages, limits);
  return { title: pdf.title ?? readableName(name, true), contentType, tags: [], metadata: pdf.metadata, body, chunks };
}

function toBytes(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
}

/** Returns a title for a text without one: `docs/getting_started.md` → "Getting started". Names of source files stay unchanged. */
function readableName(name: string, isProse: boolean): string {
  const base = name.split(/[\\/]/).findLast((part) => part !== '') ?? name;
  if (!isProse) return base;
  const stem = base.replace(/\.[a-z0-9]{1,10}$/i, '');
  const words = (stem === '' ? base : stem).replace(/[_\s]+|-+(?=[^\d]|$)/g, ' ').trim();
  return words === '' ? base : words.charAt(0).toUpperCase() + words.slice(1);
}
