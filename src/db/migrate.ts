import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { HubError } from '../base/hub-error.ts';
import type { WaitingStep } from './database.ts';
import { contracts, migrations } from './migrations/migrations.ts';
import { olderProcesses } from './serving-versions.ts';
import type { Tables } from './tables.ts';

/** Every process refuses a database with a step in here that it does not know. */
export const migrationTable = 'zoo_migrations';
/** Steps that add and break nothing. A process ignores those that it does not know: a newer version made them, and may serve beside it. */
export const additionTable = 'zoo_additions';
/** From this number on, every migration is an addition. */
const firstAddition = '0025';

export type Steps = Readonly<Record<string, Migration>>;

/** The names of the steps that a database has behind it. */
export interface AppliedSteps {
  migrations: readonly string[];
  additions: readonly string[];
}

/** The names of the steps that a database lacks. */
export interface PendingSteps {
  migrations: string[];
  /** These wait until no process of an older version is left. */
  contracts: string[];
}

const ownSteps = { migrations, contracts };

/** Compares the applied steps with those of this version. Throws INVALID_CONFIG for a database that only a newer version can use. */
export function compareMigrations(applied: AppliedSteps, location: string, steps = ownSteps): PendingSteps {
  const known = { ...steps.migrations, ...steps.contracts };
  const unknown = applied.migrations.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    throw new HubError(
      'INVALID_CONFIG',
      `The database ${location} was created by a newer version of Agent Zoo. Update Agent Zoo, or use another database.`,
      { details: { place: location, unknown } },
    );
  }
  const done = new Set([...applied.migrations, ...applied.additions]);
  const lacking = (of: Steps) => Object.keys(of).filter((name) => !done.has(name));
  return { migrations: lacking(steps.migrations), contracts: lacking(steps.contracts) };
}

/** Throws INVALID_CONFIG if a newer version added tables or columns, which this version would leave out of a copy. */
export function refuseUnknownAdditions({ additions }: AppliedSteps, location: string): void {
  const unknown = additions.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return;
  throw new HubError(
    'INVALID_CONFIG',
    `A newer version of Agent Zoo has extended the database ${location}, and this version would not copy all of it. Use the newer version.`,
    { details: { place: location, unknown } },
  );
}

export interface MigrateOptions {
  /** Runs contract steps although processes of an older version may still run. */
  isForced?: boolean;
  /** Tests set their own. */
  steps?: { migrations: Steps; contracts: Steps };
}

export const waitingSentence =
  'a table change is waiting for processes of older versions to stop; once they have, restart one process or run "zoo migrate"';

/** Brings the tables up to date. Call it in a transaction that keeps other processes from migrating at the same time. */
export async function migrate(
  transaction: Kysely<Tables>,
  location: string,
  options: MigrateOptions = {},
): Promise<WaitingStep[]> {
  const { waiting } = await runSteps(transaction, { ...options, location, maxAdditions: Number.POSITIVE_INFINITY });
  return waiting;
}

/**
 * Brings the tables up to date in several transactions, each as `migrate` needs it. Every addition has one of its own, so that it
 * locks nothing while the next one waits for another table. An empty database needs only one.
 */
export async function migrateInParts(
  inTransaction: (run: (transaction: Kysely<Tables>) => Promise<MigratedPart>) => Promise<MigratedPart>,
  location: string,
  options: MigrateOptions = {},
): Promise<WaitingStep[]> {
  for (;;) {
    const part = await inTransaction((transaction) => runSteps(transaction, { ...options, location, maxAdditions: 1 }));
    if (part.isLast) return part.waiting;
  }
}

export interface MigratedPart {
  waiting: WaitingStep[];
  /** Whether no more steps follow. */
  isLast: boolean;
}

interface StepsToRun extends MigrateOptions {
  location: string;
  /** How many additions may run, unless the database is empty. */
  maxAdditions: number;
}

async function runSteps(
  transaction: Kysely<Tables>,
  { location, maxAdditions, isForced = false, steps = ownSteps }: StepsToRun,
): Promise<MigratedPart> {
  const existing = new Set((await transaction.introspection.getTables()).map(({ name }) => name));
  const isNew = !existing.has(migrationTable);
  for (const table of [migrationTable, additionTable])
    if (!existing.has(table)) await createStepTable(transaction, table);
  const pending = compareMigrations(await appliedMigrations(transaction), location, steps);
  const waiting: WaitingStep[] = [];
  let additions = 0;
  for (const name of [...pending.migrations, ...pending.contracts].toSorted()) {
    if (additions >= maxAdditions && !isNew) return { waiting, isLast: false };
    const isContract = Object.hasOwn(steps.contracts, name);
    if (isContract && !isNew && !isForced) {
      const waitsFor = await olderProcesses(transaction, name);
      if (waitsFor.length > 0) {
        waiting.push({ name, waitsFor });
        continue;
      }
    }
    const isAddition = !isContract && name >= firstAddition;
    if (isAddition) additions += 1;
    const timestamp = new Date().toISOString();
    const table = sql.table(isAddition ? additionTable : migrationTable);
    await sql`insert into ${table} (name, timestamp) values (${name}, ${timestamp})`.execute(transaction);
    await (isContract ? steps.contracts : steps.migrations)[name]?.up(transaction);
  }
  return { waiting, isLast: true };
}

export async function appliedMigrations(db: Kysely<Tables>): Promise<AppliedSteps> {
  const { rows } = await sql<{ name: string; is_addition: number }>`
    select name, 0 as is_addition from ${sql.table(migrationTable)}
    union all select name, 1 from ${sql.table(additionTable)}`.execute(db);
  const names = (isAddition: number) => rows.filter((row) => row.is_addition === isAddition).map(({ name }) => name);
  return { migrations: names(0), additions: names(1) };
}

/** The form that the first version gave to its table. */
async function createStepTable(db: Kysely<Tables>, name: string): Promise<void> {
  await db.schema
    .createTable(name)
    .addColumn('name', 'varchar(255)', (column) => column.notNull().primaryKey())
    .addColumn('timestamp', 'varchar(255)', (column) => column.notNull())
    .execute();
}
