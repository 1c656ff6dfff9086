import { inflateRawSync } from 'node:zlib';
import { HubError } from '../../base/hub-error.ts';
import { brokenFile, tooMuchText } from '../text-limits.ts';
import { decodeEntities } from './html-entities.ts';
import { toMarkdown } from './read-html.ts';

/** The maximum size of a document in bytes, without its images. XML is about five times as long as its text. */
const maxXml = 100_000_000;

/** Reads a Word document as Markdown, with its title. Throws INVALID_FORMAT. */
export async function readDocx(name: string, bytes: Uint8Array): Promise<{ title: string | null; markdown: string }> {
  // Word stores a password-protected document in another container.
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

/** Inflates every part once under a limit, because the sizes stated in a ZIP file may be false. */
function readEntries(name: string, bytes: Uint8Array): ZipEntry[] {
  const entries = readZipEntries(bytes);
  if (!entries) throw brokenFile(name, 'DOCX', 'not a ZIP file');
  let left = maxXml;
  for (const entry of entries) {
    if (entry.name.startsWith('word/media/') || entry.name.startsWith('word/embeddings/')) continue;
    left -= readEntry(name, bytes, entry, left).length;
  }
  return entries;
}

function readEntry(name: string, bytes: Uint8Array, entry: ZipEntry, maxBytes: number): Uint8Array {
  try {
    const content = readZipEntry(bytes, entry, maxBytes);
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

interface ZipEntry {
  name: string;
  method: number;
  compressedSize: number;
  size: number;
  /** The offset of its local header. */
  offset: number;
}

/** Returns the entries of a ZIP file; null if the bytes are not a ZIP file. */
function readZipEntries(bytes: Uint8Array): ZipEntry[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end < 0) return null;
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  const entries: ZipEntry[] = [];
  for (let index = 0; index < count; index += 1) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== 0x02014b50) return null;
    const nameLength = view.getUint16(at + 28, true);
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
      method: view.getUint16(at + 10, true),
      compressedSize: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true),
    });
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** Returns the content of an entry; null if it is larger than `maxBytes`, whatever size the file states. Throws when it is damaged. */
function readZipEntry(bytes: Uint8Array, entry: ZipEntry, maxBytes: number): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
  const content = bytes.subarray(start, start + entry.compressedSize);
  if (entry.method === 0) return content.length > maxBytes ? null : content;
  try {
    return inflateRawSync(content, { maxOutputLength: Math.max(1, maxBytes) });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

/** Finds the end record, which is the last one and may be followed by a comment of up to 64 KB. */
function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - 65_557);
  for (let at = view.byteLength - 22; at >= first; at -= 1) if (view.getUint32(at, true) === 0x06054b50) return at;
  return -1;
}
