import { HubError } from '../../base/hub-error.ts';
import { brokenFile, tooMuchText } from '../text-limits.ts';
import { decodeEntities } from './html-entities.ts';
import { toMarkdown } from './read-html.ts';
import { readZipEntries, readZipEntry, type ZipEntry } from './zip-entries.ts';

/** Bytes of all parts of a document without its pictures: XML is about five times its text. */
const maxXml = 100_000_000;

/** A Word document as Markdown, and its title. Throws INVALID_FORMAT. */
export async function readDocx(name: string, bytes: Uint8Array): Promise<{ title: string | null; markdown: string }> {
  // Word keeps a document with a password in another container.
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf) {
    throw new HubError(
      'INVALID_FORMAT',
      `"${name}" is encrypted or in the old DOC format and cannot be read. Save it as DOCX without a password.`,
    );
  }
  const entries = readEntries(name, bytes);
  if (!entries.some((entry) => entry.name === 'word/document.xml')) {
    throw brokenFile(name, 'DOCX', 'word/document.xml is missing');
  }
  const title = titleOf(name, bytes, entries);
  const { default: mammoth } = await import('mammoth');
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const html = await mammoth
    .convertToHtml({ buffer: Buffer.from(bytes) }, { convertImage })
    .catch((cause: unknown) => Promise.reject(brokenFile(name, 'DOCX', cause)));
  return { title, markdown: toMarkdown(name, html.value, true) };
}

/** Every part is unfolded once under a limit, because the sizes that a ZIP file states may be lies. */
function readEntries(name: string, bytes: Uint8Array): ZipEntry[] {
  const entries = readZipEntries(bytes);
  if (!entries) throw brokenFile(name, 'DOCX', 'no ZIP file');
  let left = maxXml;
  for (const entry of entries) {
    if (entry.name.startsWith('word/media/') || entry.name.startsWith('word/embeddings/')) continue;
    left -= readEntry(name, bytes, entry, left).length;
  }
  return entries;
}

function readEntry(name: string, bytes: Uint8Array, entry: ZipEntry, most: number): Uint8Array {
  try {
    const content = readZipEntry(bytes, entry, most);
    if (content === null) throw tooMuchText(name);
    return content;
  } catch (cause) {
    throw cause instanceof HubError ? cause : brokenFile(name, 'DOCX', cause);
  }
}

function titleOf(name: string, bytes: Uint8Array, entries: readonly ZipEntry[]): string | null {
  const entry = entries.find((each) => each.name === 'docProps/core.xml');
  if (!entry) return null;
  const xml = new TextDecoder().decode(readEntry(name, bytes, entry, maxXml));
  const title = /<dc:title[^>]{0,200}>([^<]{1,500})<\/dc:title>/.exec(xml)?.[1] ?? '';
  return decodeEntities(title).replace(/\s+/g, ' ').trim() || null;
}
