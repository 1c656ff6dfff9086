import type { Chunk, PreparedDocument } from '../knowledge/document.ts';
import { contentTypeOf, familyOf } from './content-types.ts';
import { cutCode } from './cut-code.ts';
import { cutMarkdown } from './cut-markdown.ts';
import type { ChunkLimits } from './cut-passages.ts';
import { cutPlain } from './cut-plain.ts';
import { cutLines, cutTable } from './cut-records.ts';
import { decodeText } from './decode-text.ts';
import { readFrontMatter } from './front-matter.ts';
import { readableName } from './readable-name.ts';
import { readLines, type TextLines } from './text-lines.ts';

/** Another one whenever text or passages of the same file would come out otherwise. */
export const textVersion = '1';

export interface DocumentItem {
  name: string;
  content: Uint8Array | string;
  contentType?: string;
}

/** Any file as text and passages. Throws INVALID_FORMAT with a sentence for people for what cannot be read. */
export async function prepareDocument(item: DocumentItem, options: ChunkLimits): Promise<PreparedDocument> {
  const contentType = contentTypeOf(item.name, item.contentType);
  const limits = { maxTokens: Math.max(16, options.maxTokens), overlapTokens: Math.max(0, options.overlapTokens) };
  const family = familyOf(contentType);
  const body = decodeText(item.name, item.content);
  if (family === 'markdown') return prepareMarkdown(item.name, body, contentType, limits);
  const chunks = cutText(readLines(body), contentType, limits);
  return { title: readableName(item.name, family === 'plain'), contentType, tags: [], metadata: {}, body, chunks };
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

function prepareMarkdown(name: string, body: string, contentType: string, limits: ChunkLimits): PreparedDocument {
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
