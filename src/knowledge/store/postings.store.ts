import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { cleanText } from '../../db/rows.ts';
import type { FoundPostings, SegmentList, SegmentPostings } from './knowledge-store.ts';

/** Uses a single statement, because only that sees one snapshot on both databases. */
export async function listSegments(database: Database): Promise<SegmentList> {
  const { rows } = await database.read((db) =>
    sql<{ kind: number; number: number; value: number }>`
      select 0 as kind, 0 as number, value from revisions where key = 'knowledge'
      union all select 1, id, chunks from knowledge_segments where state = 'live'
      union all select 2, doc_no, 0 from knowledge_removed
      union all select 3, doc_no, updated_at from knowledge_documents where touched = 1
      order by 1, 2`.execute(db),
  );
  const of = (kind: number) => rows.filter((row) => row.kind === kind);
  return {
    revision: of(0)[0]?.value ?? 0,
    segments: of(1).map(({ number, value }) => ({ id: number, chunks: value })),
    removed: of(2).map((row) => row.number),
    touched: of(3).map(({ number, value }) => ({ docNo: number, updatedAt: value })),
  };
}

export async function headerOf(database: Database, segment: number): Promise<Uint8Array | undefined> {
  const row = await database.read((db) =>
    db
      .selectFrom('knowledge_segments')
      .select('header')
      .where('id', '=', segment)
      .where('state', '=', 'live')
      .executeTakeFirst(),
  );
  return row?.header ?? undefined;
}

interface FoundRow {
  revision: number;
  /** Null in the single row that is returned when nothing matches. */
  segment: number | null;
  term: string;
  data: Uint8Array;
}

/** Returns the revision together with the rows. A caller with another revision must list the segments again. */
export async function findPostings(
  database: Database,
  segments: readonly number[],
  terms: readonly string[],
): Promise<FoundPostings> {
  const { isInList } = database.dialect.prepared;
  const text = `select r.value as revision, p.segment, p.term, p.data from revisions r
    left join knowledge_postings p on ${isInList('p.segment', 1, 'bigint')} and ${isInList('p.term', 2, 'text')}
    where r.key = 'knowledge'`;
  const values = [segments, terms.map(cleanText)];
  const found = await database.select<FoundRow>({ name: 'find-postings', text, values });
  const rows: SegmentPostings[] = [];
  for (const { segment, term, data } of found) if (segment !== null) rows.push({ segment, term, data });
  return { revision: found[0]?.revision ?? 0, rows };
}

/** Finds the last term of the page from the first terms of each segment, then reads the rows. Reads no other rows. */
export async function pageOfPostings(
  database: Database,
  page: { segments: readonly number[]; after: string | null; terms: number },
): Promise<SegmentPostings[]> {
  const { segments, terms } = page;
  if (segments.length === 0) return [];
  // No term is empty.
  const after = cleanText(page.after ?? '');
  return database.read(
    async (db) => {
      const firstOnes = segments.map(
        (segment) => sql`select term from (select term from knowledge_postings
        where segment = ${segment} and term > ${after} order by term limit ${terms}) as one`,
      );
      const ends = await sql<{ term: string | null }>`select max(term) as term from (
      select term from (${sql.join(firstOnes, sql` union all `)}) as each group by term order by term limit ${terms}
    ) as page`.execute(db);
      const last = ends.rows[0]?.term;
      // A merge reads page after page, and SQLite is synchronous.
      await nextTurn();
      if (last === null || last === undefined) return [];
      return db
        .selectFrom('knowledge_postings')
        .select(['segment', 'term', 'data'])
        .where('segment', 'in', segments)
        .where('term', '>', after)
        .where('term', '<=', last)
        .orderBy('term')
        .orderBy('segment')
        .execute();
    },
    { isJob: true },
  );
}
