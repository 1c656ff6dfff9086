import { type Kysely, sql } from 'kysely';
import type { Write } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { Deletion } from '../../runs/messages.store.ts';
import type { Redact } from '../../tools/redact/redact.ts';
import type { AttachedFile } from './read-attachment.ts';

interface AddedFiles {
  chatId: string;
  files: readonly AttachedFile[];
  at: number;
  redact: Redact;
}

/** Stores the files of a message, identical content only once. Call `lockDeletion` first, so that no content is deleted meanwhile. */
export async function addAttachments(db: Write['db'], { chatId, files, at, redact }: AddedFiles): Promise<void> {
  for (const { hash, mimeType, bytes, data, text } of files) {
    const row = { hash, mime_type: mimeType, bytes, data, text: text === null ? null : redact(text), created_at: at };
    await db
      .insertInto('attachments')
      .values(row)
      .onConflict((each) => each.column('hash').doNothing())
      .execute();
    await db
      .insertInto('chat_attachments')
      .values({ chat_id: chatId, hash })
      .onConflict((each) => each.columns(['chat_id', 'hash']).doNothing())
      .execute();
  }
}

/** Shares files of another chat with a chat; hashes that the other chat lacks are ignored. Call `lockDeletion` first. */
export async function shareAttachments(
  db: Write['db'],
  { chatId, from, hashes }: { chatId: string; from: string; hashes: readonly string[] },
): Promise<void> {
  if (hashes.length === 0) return;
  const shared = db
    .selectFrom('chat_attachments')
    .select([sql.val(chatId).as('chat_id'), 'hash'])
    .where('chat_id', '=', from)
    .where('hash', 'in', hashes);
  await db.insertInto('chat_attachments').columns(['chat_id', 'hash']).expression(shared).execute();
}

/** Returns the files with these hashes that belong to a chat. */
export async function attachmentsOf(
  db: Kysely<Tables>,
  chatId: string,
  hashes: readonly string[],
): Promise<Map<string, Omit<AttachedFile, 'name'>>> {
  if (hashes.length === 0) return new Map();
  const rows = await db
    .selectFrom('attachments')
    .innerJoin('chat_attachments', 'chat_attachments.hash', 'attachments.hash')
    .select(['attachments.hash as hash', 'mime_type', 'bytes', 'data', 'text'])
    .where('chat_id', '=', chatId)
    .where('attachments.hash', 'in', hashes)
    .execute();
  return new Map(
    rows.map(({ hash, mime_type, bytes, data, text }) => [hash, { hash, mimeType: mime_type, bytes, data, text }]),
  );
}

/** Deletes the attachments of chats, and the content that no other chat uses. Call `lockDeletion` first. */
export async function deleteAttachments({ db }: Deletion, chatIds: readonly string[]): Promise<void> {
  const links = await db.deleteFrom('chat_attachments').where('chat_id', 'in', chatIds).returning('hash').execute();
  const hashes = [...new Set(links.map(({ hash }) => hash))];
  if (hashes.length === 0) return;
  await db
    .deleteFrom('attachments')
    .where('hash', 'in', hashes)
    .where('hash', 'not in', db.selectFrom('chat_attachments').select('hash').where('hash', 'in', hashes))
    .execute();
}

declare module '../../db/tables.ts' {
  interface Tables {
    attachments: AttachmentRow;
    chat_attachments: ChatAttachmentRow;
  }
}

/** The content of files in messages. */
interface AttachmentRow {
  /** The SHA-256 of the data. */
  hash: string;
  mime_type: string;
  bytes: number;
  data: Uint8Array;
  /** What the model sees; null for images. */
  text: string | null;
  created_at: number;
}

interface ChatAttachmentRow {
  chat_id: string;
  hash: string;
}
