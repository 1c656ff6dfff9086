import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';

/** A sign-in that takes longer must be started again. */
const maxAgeMs = 10 * 60_000;
/** The oldest ones are dropped, so that nobody can fill the database by starting sign-ins. */
const maxPending = 100;

interface PendingParts {
  database: Database;
  clock: Clock;
}

/** Stores a sign-in that waits for the browser, which may return to any process. */
export async function addPendingSignIn(
  { database, clock }: PendingParts,
  stateHash: string,
  sealed: string,
): Promise<void> {
  const now = timeOf({ database, clock });
  await database.write(async ({ db }) => {
    await sql`delete from pending_sign_ins where expires_at <= ${now}`.execute(db);
    await sql`delete from pending_sign_ins where state_hash in (
      select state_hash from pending_sign_ins order by expires_at desc limit 1000 offset ${maxPending - 1})`.execute(
      db,
    );
    await sql`insert into pending_sign_ins (state_hash, expires_at, sealed)
      values (${stateHash}, ${now} + ${maxAgeMs}, ${sealed})`.execute(db);
  });
}

/**
 * Removes and returns it in one statement, so that it is valid once. Returns undefined if it is unknown or has expired. An unknown one
 * is only looked up, because anybody may ask, and writes wait for each other.
 */
export async function takePendingSignIn(
  { database, clock }: PendingParts,
  stateHash: string,
): Promise<string | undefined> {
  const now = timeOf({ database, clock });
  const known = await database.read((db) =>
    db.selectFrom('pending_sign_ins').select('state_hash').where('state_hash', '=', stateHash).executeTakeFirst(),
  );
  if (!known) return undefined;
  return database.write(async ({ db }) => {
    const { rows } = await sql<{ sealed: string; remainingMs: number }>`delete from pending_sign_ins
      where state_hash = ${stateHash} returning sealed, expires_at - ${now} as "remainingMs"`.execute(db);
    const [row] = rows;
    return row && row.remainingMs > 0 ? row.sealed : undefined;
  });
}

function timeOf({ database, clock }: PendingParts) {
  return database.dialect.now ?? sql<number>`${clock.now()}`;
}

declare module '../db/tables.ts' {
  interface Tables {
    pending_sign_ins: { state_hash: string; expires_at: number; sealed: string };
  }
}
