import { z } from 'zod';
import { defaultJsonLimits, type JsonLimits } from '../../base/json.ts';

/** The limits of one message. */
export const attachmentLimits = {
  files: 10,
  /** Providers refuse larger images. */
  imageBytes: 5 * 1024 * 1024,
  fileBytes: 10 * 1024 * 1024,
  totalBytes: 15 * 1024 * 1024,
  /** Of one file, as the model sees it. */
  textCharacters: 400_000,
};

/** For requests with attachments, which are base64. */
export const attachmentBodyLimits: JsonLimits = {
  ...defaultJsonLimits,
  maxCharacters: Math.ceil((attachmentLimits.totalBytes * 4) / 3) + defaultJsonLimits.maxCharacters,
};

/** A file in a message. */
export const Attachment = z.object({
  /** The SHA-256 of its content, by which the content is stored once. */
  hash: z.string(),
  name: z.string(),
  mimeType: z.string(),
  bytes: z.int(),
});
export type Attachment = z.infer<typeof Attachment>;

const name = z.string().trim().min(1).max(200);

/** A new file, or one that the chat already has. */
export const AttachmentInput = z.union([
  z.strictObject({
    name,
    data: z
      .string()
      .max(Math.ceil(attachmentLimits.fileBytes / 3) * 4, 'must be at most 10 MB')
      .describe('The content as base64.'),
  }),
  z.strictObject({ name, hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex') }),
]);
export type AttachmentInput = z.infer<typeof AttachmentInput>;

export const attachmentInputs = z
  .array(AttachmentInput)
  .max(attachmentLimits.files, `must have at most ${attachmentLimits.files} files`)
  .describe(
    'Images (PNG, JPEG, GIF, WebP), PDF and text files. The model gets images as images and everything else as text.',
  );

export function isImage({ mimeType }: Pick<Attachment, 'mimeType'>): boolean {
  return mimeType.startsWith('image/');
}
