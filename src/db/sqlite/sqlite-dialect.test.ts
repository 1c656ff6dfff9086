import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeSqliteDialect } from './sqlite-dialect.ts';

describe('statements that are prepared once', () => {
  let db: Kysely<{ animals: { id: number; name: string } }>;
  beforeEach(async () => {
    db = new Kysely({ dialect: nodeSqliteDialect(new DatabaseSync(':memory:')) });
    await sql`create table animals (id integer primary key, name text)`.execute(db);
    for (const [index, name] of ['ant', 'bee', 'cat'].entries())
      await db.insertInto('animals').values({ id: index, name }).execute();
  });
  afterEach(() => db.destroy());

  const all = () => db.selectFrom('animals').selectAll().orderBy('id');
  const names = async () => (await all().execute()).map(({ name }) => name);

  it('run again with other values', async () => {
    const named = (name: string) => db.selectFrom('animals').select('id').where('name', '=', name).execute();
    expect([await named('ant'), await named('cat'), await named('dog')]).toEqual([[{ id: 0 }], [{ id: 2 }], []]);
  });

  it('see a table that was altered in the meantime', async () => {
    expect(Object.keys((await all().execute())[0] ?? {})).toEqual(['id', 'name']);
    await sql`alter table animals add column legs integer default 4`.execute(db);
    expect((await all().execute())[0]).toEqual({ id: 0, name: 'ant', legs: 4 });
  });

  it('do not disturb an iteration over the same rows', async () => {
    const seen: string[] = [];
    for await (const { name } of all().stream()) {
      seen.push(name);
      if (seen.length === 1) break;
    }
    for await (const { name } of all().stream()) seen.push(name);
    expect(seen).toEqual(['ant', 'ant', 'bee', 'cat']);
    expect(await names()).toEqual(['ant', 'bee', 'cat']);
  });

  it('still work after one of them failed', async () => {
    const add = () => db.insertInto('animals').values({ id: 0, name: 'again' }).execute();
    await expect(add()).rejects.toThrow('UNIQUE');
    await db.deleteFrom('animals').where('id', '=', 0).execute();
    await add();
    expect(await names()).toEqual(['again', 'bee', 'cat']);
  });

  it('are cached up to a limit', async () => {
    for (let index = 0; index < 500; index += 1) await sql.raw(`select ${index}`).execute(db);
    expect(await names()).toEqual(['ant', 'bee', 'cat']);
  });
});
