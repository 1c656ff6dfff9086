import { hash } from 'node:crypto';
import { HubError } from '../../base/hub-error.ts';
import { sizeName } from '../../base/size-name.ts';
import { type Attachment, type AttachmentInput, attachmentLimits, isImage } from './attachment.ts';

/** An attachment with its content. */
export interface AttachedFile extends Attachment {
  data: Uint8Array;
  /** What the model sees; null for images. */
  text: string | null;
}

export interface AttachmentParts {
  /** Reads a document as text. Throws INVALID_FORMAT. */
  readText(name: string, data: Uint8Array): Promise<{ text: string; mimeType: string }>;
  /** Returns files that the chat already has, by hash. */
  stored(hashes: readonly string[]): Promise<ReadonlyMap<string, Omit<AttachedFile, 'name'>>>;
}

/** Reads the files of a message. Throws INVALID_ARGUMENTS for a file that is unknown, too large or of another kind. */
export async function readAttachments(
  parts: AttachmentParts,
  inputs: readonly AttachmentInput[],
): Promise<AttachedFile[]> {
  const known = await parts.stored(inputs.flatMap((input) => ('hash' in input ? [input.hash] : [])));
  const files: AttachedFile[] = [];
  for (const input of inputs) {
    if ('data' in input) {
      files.push(await readNew(parts, input.name, decode(input.name, input.data)));
      continue;
    }
    const file = known.get(input.hash);
    if (!file) throw refused(`This chat has no attachment "${input.name}" any more. Attach the file again.`);
    files.push({ ...file, name: input.name });
  }
  const bytes = files.reduce((total, file) => total + file.bytes, 0);
  if (bytes > attachmentLimits.totalBytes)
    throw refused(
      `The attachments are ${sizeName(bytes)} in total. The maximum for a message is ${sizeName(attachmentLimits.totalBytes)}. Send some in another message.`,
    );
  // The same file twice is one attachment.
  return [...new Map(files.map((file) => [file.hash, file])).values()];
}

async function readNew(parts: AttachmentParts, name: string, data: Uint8Array): Promise<AttachedFile> {
  if (data.length === 0) throw refused(`"${name}" is empty. Attach another file.`);
  const picture = pictureType(data);
  const max = picture ? attachmentLimits.imageBytes : attachmentLimits.fileBytes;
  if (data.length > max) {
    const what = picture ? 'an image' : 'a file';
    throw refused(`"${name}" is ${sizeName(data.length)}. The maximum for ${what} is ${sizeName(max)}.`);
  }
  const file = { hash: hash('sha256', data, 'hex'), name, bytes: data.length, data };
  if (picture) return { ...file, mimeType: picture, text: null };
  const { text, mimeType } = await readText(parts, name, data);
  if (text.trim() === '') throw refused(`"${name}" contains no text. Attach another file.`);
  if (text.length > attachmentLimits.textCharacters)
    throw refused(
      `"${name}" has ${text.length.toLocaleString('en')} characters of text. The maximum is ${attachmentLimits.textCharacters.toLocaleString('en')}. Attach a part of it, or add it to the knowledge base.`,
    );
  return { ...file, mimeType, text };
}

async function readText({ readText: read }: AttachmentParts, name: string, data: Uint8Array) {
  try {
    return await read(name, data);
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'INVALID_FORMAT') throw error;
    // For a PDF, the error says what is wrong. Any other file is not text.
    if (isPdf(data)) throw refused(error.message, error);
    throw refused(`"${name}" cannot be attached. Attach images (PNG, JPEG, GIF, WebP), PDF or text files.`, error);
  }
}

function decode(name: string, data: string): Uint8Array {
  const bytes = Buffer.from(data, 'base64');
  // Node skips what is not base64.
  if (bytes.toString('base64').length !== data.length) throw refused(`The content of "${name}" is not base64.`);
  return new Uint8Array(bytes);
}

/** Tells by the first bytes, because the name is the sender's. */
function pictureType(data: Uint8Array): string | undefined {
  const head = Buffer.from(data.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

function isPdf(data: Uint8Array): boolean {
  return Buffer.from(data.subarray(0, 5)).toString('latin1') === '%PDF-';
}

function refused(message: string, cause?: unknown): HubError {
  return new HubError('INVALID_ARGUMENTS', message, { cause });
}

/** Names the attachments as sources of text from outside: what they say was not written by the user. */
export function sourcesOf(files: readonly Attachment[]): string[] {
  return files.map((file) => `${isImage(file) ? 'image' : 'attachment'} "${file.name}"`);
}
