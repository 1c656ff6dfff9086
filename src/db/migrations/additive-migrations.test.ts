import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breakingChanges, readSchema } from '../../../test/support/databases/schema-changes.ts';
import { databaseKinds, newTestDatabase } from '../../../test/support/databases/test-database.ts';
import {
  appliedMigrations,
  compareMigrations,
  type MigratedPart,
  migrate,
  migrateInParts,
  refuseUnknownAdditions,
  type Steps,
} from '../migrate.ts';
import { parsePostgresUrl } from '../postgres/postgres-address.ts';
import { processVersion, servingProcesses } from '../serving-versions.ts';
import { nodeSqliteDialect } from '../sqlite/sqlite-dialect.ts';
import type { Tables } from '../tables.ts';
import { contracts, migrations } from './migrations.ts';

const names = Object.keys(migrations);
const released: Steps = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0025'));

function step(up: (db: Kysely<unknown>) => Promise<unknown>): Migration {
  return { up: async (db) => void (await up(db)) };
}

it('migrations and contract steps are numbered in one line, in order', () => {
  expect(names).toEqual(names.toSorted());
  const numbers = [...names, ...Object.keys(contracts)].map((name) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const name of Object.keys(contracts)) expect(name > '0025').toBe(true);
});

describe.each(databaseKinds)('%s with the tables of the last release', (kind) => {
  let db: Kysely<Tables>;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    const test = await newTestDatabase(kind, { isEmpty: true });
    remove = test.remove;
    db =
      'url' in test.db
        ? new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool(parsePostgresUrl(test.db.url).config) }) })
        : new Kysely({ dialect: nodeSqliteDialect(new DatabaseSync(test.db.path)) });
    await run({ migrations: released, contracts: {} });
  });
  afterEach(async () => {
    await db.destroy();
    await remove();
  });

  const run = (steps: { migrations: Steps; contracts: Steps }, isForced = false) =>
    db.transaction().execute((transaction) => migrate(transaction, 'here', { steps, isForced }));

  it('is extended by every later migration without breaking processes of the release', async () => {
    const before = await readSchema(db, kind);
    for (const name of names.filter((each) => each >= '0025')) {
      const own = await readSchema(db, kind);
      await db.transaction().execute((transaction) => migrations[name]?.up(transaction) ?? Promise.resolve());
      expect({ name, problems: breakingChanges(own, await readSchema(db, kind)) }).toEqual({ name, problems: [] });
    }
    expect(breakingChanges(before, await readSchema(db, kind))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['a dropped table', 'drop table workspaces', 'the table workspaces is gone'],
    ['a renamed column', 'alter table chats rename column title to name', 'the column chats.title is gone'],
    ['a unique index', 'create unique index one_title on chats (title)', 'a new rule for chats'],
    [
      'a column that must be written',
      kind === 'postgres'
        ? 'alter table chats add column mood text not null'
        : 'drop table workspaces; create table workspaces (folder text primary key, agent_id text not null, chosen_at bigint not null, mood text not null)',
      'is not null and has no default',
    ],
    [
      'another type',
      kind === 'postgres'
        ? 'alter table chats alter column title drop not null'
        : 'drop table workspaces; create table workspaces (folder text primary key, agent_id text, chosen_at bigint not null)',
      'was "text not null" and is "text"',
    ],
  ])('is found to be broken by %s', async (_what, statements, problem) => {
    const before = await readSchema(db, kind);
    for (const statement of statements.split('; ')) await sql.raw(statement).execute(db);
    expect(breakingChanges(before, await readSchema(db, kind)).join('\n')).toContain(problem);
  });

  it('looks the same to processes of the release after an upgrade', async () => {
    await run({ migrations, contracts: {} });
    const { rows } = await sql<{ name: string }>`select name from zoo_migrations`.execute(db);
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(released));
    const { additions } = await appliedMigrations(db);
    expect(additions.toSorted()).toEqual(names.filter((name) => name >= '0025'));
  });

  it('may be extended by a version that this one does not know, but is not copied then', async () => {
    await run({ migrations: { ...migrations, '9998-more': step(async () => {}) }, contracts: {} });
    const applied = await appliedMigrations(db);
    expect(compareMigrations(applied, 'here')).toEqual({ migrations: [], contracts: [] });
    expect(await run({ migrations, contracts: {} })).toEqual([]);
    expect(() => refuseUnknownAdditions(applied, 'here')).toThrow('Use the newer version');
  });

  const contract = { '9998-no-workspaces': step((each) => sql`drop table workspaces`.execute(each)) };
  const withContract = { migrations: { ...migrations, '9999-more': step(async () => {}) }, contracts: contract };
  const hasWorkspaces = async () => (await readSchema(db, kind)).tables.has('workspaces');

  it.each<[string, (now: number) => Promise<unknown>, string]>([
    [
      'holds something',
      (now) => sql`insert into leases (name, holder, since, until) values ('other', 'other', 1, ${now})`.execute(db),
      'other (an earlier version)',
    ],
    [
      'serves',
      (now) =>
        sql`insert into hub_presence (hub, started_at, seen_at, version) values ('h', 1, ${now}, ${processVersion})`.execute(
          db,
        ),
      `(${processVersion})`,
    ],
  ])('keeps what a contract step removes while an older process %s', async (_what, appear, words) => {
    await run({ migrations, contracts: {} });
    await appear(Date.now());
    expect(await run(withContract)).toMatchObject([
      { name: '9998-no-workspaces', waitsFor: [expect.stringContaining(words)] },
    ]);
    expect(await hasWorkspaces()).toBe(true);
    expect((await appliedMigrations(db)).additions).toContain('9999-more');
    await sql`update leases set until = 1`.execute(db);
    await sql`update hub_presence set seen_at = 1`.execute(db);
    expect(await run(withContract)).toEqual([]);
    expect(await hasWorkspaces()).toBe(false);
    // From now on, it is a database of a newer version for the others.
    const applied = await appliedMigrations(db);
    expect(() => compareMigrations(applied, 'here')).toThrow('newer version');
  });

  it('has a transaction for each addition, also around a contract step that waits', async () => {
    await run({ migrations, contracts: {} });
    await sql`insert into leases (name, holder, since, until) values ('other', 'other', 1, ${Date.now()})`.execute(db);
    const steps = { ...withContract, migrations: { ...withContract.migrations, '9997-less': step(async () => {}) } };
    const added: string[][] = [];
    const inTransaction = async (runPart: (transaction: Kysely<Tables>) => Promise<MigratedPart>) => {
      const { additions: before } = await appliedMigrations(db);
      const part = await db.transaction().execute(runPart);
      const { additions } = await appliedMigrations(db);
      added.push(additions.filter((name) => !before.includes(name)));
      return part;
    };
    const waiting = [{ name: '9998-no-workspaces' }];
    expect(await migrateInParts(inTransaction, 'here', { steps })).toMatchObject(waiting);
    expect(added).toEqual([['9997-less'], ['9999-more']]);
    expect(await migrateInParts(inTransaction, 'here', { steps })).toMatchObject(waiting);
    expect(await hasWorkspaces()).toBe(true);
    await sql`update leases set until = 1`.execute(db);
    expect(await migrateInParts(inTransaction, 'here', { steps })).toEqual([]);
    expect(await hasWorkspaces()).toBe(false);
  });

  it('loses it at once when it is told to, or when no other process knows the step less', async () => {
    await run({ migrations, contracts: {} });
    const now = Date.now();
    await sql`insert into leases (name, holder, since, until, version) values ('new', 'new', 1, ${now}, '9.0.0+9998')`.execute(
      db,
    );
    expect(await servingProcesses(db)).toEqual([{ who: 'new', version: '9.0.0+9998' }]);
    const later = {
      ...withContract,
      contracts: { '9999-no-marks': step((each) => sql`drop table marks`.execute(each)), ...contract },
    };
    expect(await run({ ...later, migrations })).toMatchObject([{ name: '9999-no-marks' }]);
    expect(await hasWorkspaces()).toBe(false);
    expect(await run({ ...later, migrations }, true)).toEqual([]);
    expect((await readSchema(db, kind)).tables.has('marks')).toBe(false);
  });
});

describe('an empty database', () => {
  it('goes through contract steps without waiting', async () => {
    const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(new DatabaseSync(':memory:')) });
    const contract = { '9998-no-workspaces': step((each) => sql`drop table workspaces`.execute(each)) };
    await db
      .transaction()
      .execute((transaction) => migrate(transaction, 'here', { steps: { migrations, contracts: contract } }));
    expect((await readSchema(db, 'sqlite')).tables.has('workspaces')).toBe(false);
    await db.destroy();
  });
});
