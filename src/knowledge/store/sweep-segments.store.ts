import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

/** Rows that one transaction deletes. */
const stepRows = 1000;
const stepDocuments = 50;

/**
 * A segment that was left open is marked first, so that its process cannot add to it any more; then its rows go, and
 * its own row goes last: whoever is killed in between leaves the mark for the next one.
 */
export async function discardOpenSegments(database: Database, olderThan: number): Promise<number> {
  const discarded = await database.write(({ db }) =>
    db
      .updateTable('knowledge_segments')
      .set({ state: 'dead' })
      .where('state', '=', 'open')
      .where('opened_at', '<', olderThan)
      .returning('id')
      .execute(),
  );
  await sweepDeadSegments(database);
  return discarded.length;
}

export async function sweepDeadSegments(database: Database): Promise<void> {
  const dead = await database.read((db) =>
    db
      .selectFrom('knowledge_segments')
      .select(['id', 'first_doc_no', 'documents'])
      .where('state', '=', 'dead')
      .orderBy('id')
      .execute(),
  );
  for (const segment of dead) {
    while ((await deletePostings(database, segment.id)) === stepRows);
    const numbers = { from: segment.first_doc_no, to: segment.first_doc_no + segment.documents };
    while (segment.documents > 0 && (await deleteTexts(database, numbers)) === stepDocuments);
    await database.write(({ db }) =>
      db.deleteFrom('knowledge_segments').where('id', '=', segment.id).where('state', '=', 'dead').execute(),
    );
  }
}

function deletePostings(database: Database, segment: number): Promise<number> {
  return database.write(
    async ({ db }) => {
      const result = await db
        .deleteFrom('knowledge_postings')
        .where('segment', '=', segment)
        .where('term', 'in', (each) =>
          each
            .selectFrom('knowledge_postings')
            .select('term')
            .where('segment', '=', segment)
            .orderBy('term')
            .limit(stepRows),
        )
        .executeTakeFirst();
      return Number(result.numDeletedRows);
    },
    { isJob: true },
  );
}

/** A segment that was never published has no documents; the check costs little and nothing seen can ever be lost. */
function deleteTexts(database: Database, numbers: { from: number; to: number }): Promise<number> {
  return database.write(
    async ({ db }) => {
      const { rows } = await sql<{ doc_no: number }>`delete from knowledge_texts where doc_no in (
      select doc_no from knowledge_texts as texts where doc_no >= ${numbers.from} and doc_no < ${numbers.to}
        and not exists (select 1 from knowledge_documents as seen where seen.doc_no = texts.doc_no)
      order by doc_no limit ${stepDocuments}) returning doc_no`.execute(db);
      if (rows.length > 0) {
        const docNos = rows.map((row) => row.doc_no);
        await db.deleteFrom('knowledge_chunks').where('doc_no', 'in', docNos).execute();
      }
      return rows.length;
    },
    { isJob: true },
  );
}
