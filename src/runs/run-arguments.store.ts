import type { Kysely } from 'kysely';
import type { Write } from '../db/database.ts';
import { cleanText } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type { Redact } from '../tools/redact/redact.ts';

type Arguments = Readonly<Record<string, string>>;

/** Stores the arguments of the prompt that a run begins with. Most runs have none, and no row. */
export async function addArguments(
  db: Write['db'],
  redact: Redact,
  { id, arguments: given = {} }: { id: string; arguments?: Arguments | undefined },
): Promise<void> {
  if (Object.keys(given).length === 0) return;
  const row = { run_id: id, arguments: redact(cleanText(JSON.stringify(given))) };
  await db.insertInto('run_arguments').values(row).execute();
}

/** Returns undefined for a run without arguments, and for one that an earlier version stored. */
export async function readArguments(db: Kysely<Tables>, id: string): Promise<Record<string, string> | undefined> {
  const row = await db.selectFrom('run_arguments').select('arguments').where('run_id', '=', id).executeTakeFirst();
  // `addArguments` wrote it.
  return row && JSON.parse(row.arguments);
}

export async function deleteArguments(db: Write['db'], runIds: readonly string[]): Promise<void> {
  await db.deleteFrom('run_arguments').where('run_id', 'in', runIds).execute();
}

declare module '../db/tables.ts' {
  interface Tables {
    run_arguments: {
      run_id: string;
      /** JSON. */
      arguments: string;
    };
  }
}
