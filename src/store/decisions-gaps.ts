import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

const looks = 20;
const pauseSeconds = 0.005;

/**
 * PostgreSQL numbers a group before its transaction ends, so that a smaller number may come after a greater one. Resolves to true
 * when everybody who was writing groups has ended: who looks again then sees all that comes into gaps he saw before. No clock
 * tells that, because those of several machines differ and a commit may take its time. False where somebody writes on.
 */
export async function writersEnded(db: Kysely<Tables>): Promise<boolean> {
  let writers = await writersOf(db);
  for (let look = 0; writers.length > 0; look += 1) {
    if (look === looks) return false;
    await sql`select pg_sleep(${pauseSeconds})`.execute(db);
    const there = new Set(await writersOf(db));
    writers = writers.filter((writer) => there.has(writer));
  }
  return true;
}

/** A transaction holds this lock from its first row until everybody sees what it wrote. */
async function writersOf(db: Kysely<Tables>): Promise<string[]> {
  const query = sql<{ writer: string }>`select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'decision_groups'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()`;
  return (await query.execute(db)).rows.map(({ writer }) => writer);
}

/** The last number before the first one that is missing. */
export function withoutGaps(groups: readonly { seq: number }[], before: number): number {
  let reached = before;
  for (const { seq } of groups) {
    if (seq > reached + 1) return reached;
    reached = seq;
  }
  return reached;
}
