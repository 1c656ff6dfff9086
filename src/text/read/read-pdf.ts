import { HubError } from '../../base/hub-error.ts';
import { brokenFile, maxPages, maxText, tooMuchText } from '../text-limits.ts';
import { cleanText } from './decode-text.ts';

export interface ReadPdf {
  title: string | null;
  metadata: Record<string, unknown>;
  /** The text of each page, in order. */
  pages: string[];
}

/** Reads the text of a PDF file. Throws INVALID_FORMAT. */
export async function readPdf(name: string, bytes: Uint8Array): Promise<ReadPdf> {
  const { getDocumentProxy } = await import('unpdf');
  // Copied, because the PDF reader detaches the buffer.
  const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 }).catch((cause: unknown) =>
    Promise.reject(openingError(name, cause)),
  );
  try {
    if (pdf.numPages > maxPages) {
      throw new HubError(
        'INVALID_FORMAT',
        `"${name}" has ${pdf.numPages} pages and was not read. The maximum is ${maxPages}. Split it into smaller files.`,
      );
    }
    const { info } = await pdf.getMetadata();
    const details = info as Record<string, unknown>; // Arbitrary keys from the file.
    const pages: string[] = [];
    let size = 0;
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      const text = cleanText(pageText(items.filter((item) => 'str' in item)));
      page.cleanup();
      pages.push(text);
      size += text.length;
      if (size > maxText) throw tooMuchText(name);
    }
    if (pages.every((page) => page.trim() === '')) {
      throw new HubError(
        'INVALID_FORMAT',
        `"${name}" has no text: its pages are scanned images. Run text recognition (OCR) on it first.`,
      );
    }
    return { title: titleOf(details.Title), metadata: metadataOf(details, pdf.numPages), pages };
  } catch (cause) {
    throw cause instanceof HubError ? cause : brokenFile(name, 'PDF', cause);
  } finally {
    await pdf.loadingTask.destroy();
  }
}

interface TextItem {
  str: string;
  hasEOL: boolean;
  height: number;
  transform: number[];
}

/** Keeps lines as set. A gap of more than one and three quarter lines begins a paragraph. */
function pageText(items: readonly TextItem[]): string {
  const parts: string[] = [];
  let lastY: number | undefined;
  let lastHeight = 0;
  let isLineStart = true;
  for (const item of items) {
    const y = item.transform[5] ?? 0;
    if (item.str !== '') {
      if (isLineStart && lastY !== undefined && Math.abs(lastY - y) > Math.max(lastHeight, item.height) * 1.75)
        parts.push('\n');
      parts.push(item.str);
      isLineStart = false;
      lastY = y;
      lastHeight = item.height;
    }
    if (item.hasEOL) {
      parts.push('\n');
      isLineStart = true;
    }
  }
  return parts
    .join('')
    .replace(/[^\S\n]+\n/g, '\n')
    .trim();
}

function titleOf(title: unknown): string | null {
  if (typeof title !== 'string') return null;
  const clean = cleanText(title)
    .replace(/\s+/g, ' ')
    .replace(/^Microsoft \w+ - /, '')
    .trim()
    .slice(0, 500);
  return clean === '' || /^untitled/i.test(clean) ? null : clean;
}

function metadataOf(info: Record<string, unknown>, pages: number): Record<string, unknown> {
  const author = typeof info.Author === 'string' ? cleanText(info.Author).trim().slice(0, 500) : '';
  return author === '' ? { pages } : { pages, author };
}

function openingError(name: string, cause: unknown): HubError {
  if (!(cause instanceof Error) || cause.name !== 'PasswordException') return brokenFile(name, 'PDF', cause);
  return new HubError('INVALID_FORMAT', `"${name}" is encrypted and cannot be read. Save it without a password.`, {
    cause,
  });
}
