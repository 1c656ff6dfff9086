import { sql } from 'kysely';
import { HubError } from '../../base/hub-error.ts';
import type { Write } from '../../db/database.ts';
import { cleanText, slices } from '../../db/rows.ts';
import { toDocumentRow } from './document-rows.store.ts';
import type { KnowledgeStore, Publication } from './knowledge-store.ts';
import { notOpen } from './segments.store.ts';

/** Keeps statements far below SQLite's limit of 32,766 values. */
const maxRows = 200;

/** Publishes a segment. Like every write here, it first bumps `knowledge`, which serializes writers on both databases. */
export async function publishSegment(write: Write, publication: Publication, indexedAt: number): Promise<void> {
  await write.bump('knowledge');
  const segment = await write.db
    .updateTable('knowledge_segments')
    .set({ state: 'live', header: publication.header, chunks: publication.chunks })
    .where('id', '=', publication.segment)
    .where('state', '=', 'open')
    .returning(['first_doc_no', 'documents'])
    .executeTakeFirst();
  if (!segment) throw notOpen(publication.segment);
  if (publication.replaces) await replaceSegments(write, publication.replaces);
  await removeByIds(write, publication.removedIds ?? []);
  for (const documents of slices(publication.documents, maxRows)) {
    const rows = documents.map((document) => toDocumentRow(document, indexedAt));
    const ids = rows.map((row) => row.id);
    const replaced = await write.db.selectFrom('knowledge_documents').select('doc_no').where('id', 'in', ids).execute();
    if (replaced.length > 0) await removeByIds(write, ids);
    await write.db.insertInto('knowledge_documents').values(rows).execute();
  }
  await removeUnpublished(write, segment);
}

export async function removeDocuments(write: Write, ids: readonly string[]): Promise<void> {
  await write.bump('knowledge');
  await removeByIds(write, ids);
}

export async function touchDocuments(
  write: Write,
  touched: Parameters<KnowledgeStore['touchDocuments']>[0],
): Promise<void> {
  await write.bump('knowledge');
  for (const group of slices(touched, maxRows)) {
    const rows = group.map(
      ({ id, version, updatedAt }) =>
        sql`(cast(${id} as text), cast(${cleanText(version)} as text), cast(${Math.trunc(updatedAt)} as bigint))`,
    );
    await sql`update knowledge_documents set version = new.column2, updated_at = new.column3,
        touched = case when updated_at = new.column3 then touched else 1 end
      from (values ${sql.join(rows)}) as new where id = new.column1`.execute(write.db);
  }
}

/** Marks the merged segments as dead. Their postings are deleted later, in steps. */
async function replaceSegments(write: Write, replaces: NonNullable<Publication['replaces']>): Promise<void> {
  const { segments, droppedDocNos } = replaces;
  for (const id of segments) {
    const { numUpdatedRows } = await write.db
      .updateTable('knowledge_segments')
      .set({ state: 'dead', documents: 0, header: null })
      .where('id', '=', id)
      .where('state', '=', 'live')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      throw new HubError('CONFLICT', `The index segment ${id} was replaced by another process. Start the merge again.`);
    }
  }
  for (const docNos of slices(droppedDocNos, maxRows)) {
    await write.db.deleteFrom('knowledge_removed').where('doc_no', 'in', docNos).execute();
  }
}

async function removeByIds(write: Write, ids: readonly string[]): Promise<void> {
  for (const group of slices(ids, maxRows)) {
    const rows = await write.db
      .deleteFrom('knowledge_documents')
      .where('id', 'in', group)
      .returning('doc_no')
      .execute();
    await removeVersions(
      write,
      rows.map((row) => row.doc_no),
    );
  }
}

async function removeVersions(write: Write, docNos: readonly number[]): Promise<void> {
  for (const group of slices(docNos, maxRows)) {
    await write.db.deleteFrom('knowledge_chunks').where('doc_no', 'in', group).execute();
    await write.db.deleteFrom('knowledge_texts').where('doc_no', 'in', group).execute();
    await write.db
      .insertInto('knowledge_removed')
      .values(group.map((docNo) => ({ doc_no: docNo })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Removes texts of the segment that no published document refers to. They only exist in its postings. */
async function removeUnpublished(write: Write, segment: { first_doc_no: number; documents: number }): Promise<void> {
  if (segment.documents === 0) return;
  const rows = await write.db
    .selectFrom('knowledge_texts as texts')
    .select('texts.doc_no')
    .where('texts.doc_no', '>=', segment.first_doc_no)
    .where('texts.doc_no', '<', segment.first_doc_no + segment.documents)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('knowledge_documents as seen').select('seen.id').whereRef('seen.doc_no', '=', 'texts.doc_no'),
        ),
      ),
    )
    .execute();
  await removeVersions(
    write,
    rows.map((row) => row.doc_no),
  );
}
