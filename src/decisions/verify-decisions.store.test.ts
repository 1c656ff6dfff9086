import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Tables } from '../db/tables.ts';
import { openDatabase } from '../store/open-store.ts';
import { packEntry } from './decision-group.ts';

describe.each(databaseKinds)('the chains of the decision log in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  async function tamper(run: (db: Kysely<Tables>) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(stores.db, silentLogger);
    await database.write(({ db }) => run(db));
    await database.close();
  }

  /** Ten rows of one writer, then four of another. */
  async function fill(): Promise<void> {
    for (let index = 0; index < 5; index += 1) {
      await Promise.all([
        stores.store.decisions.append(decision(`call_${index}`, { at: 1_000 + index * 2 })),
        stores.store.decisions.append(decision(`call_${index}`, { at: 1_001 + index * 2, kind: 'result' })),
      ]);
    }
    for (let index = 0; index < 4; index += 1)
      await stores.other.decisions.append(decision(`other_${index}`, { at: 2_000 + index }));
    // A query writes the ends of the chains at once; otherwise that takes a second.
    await stores.store.decisions.tools();
  }

  async function chainOf(callId: string): Promise<string> {
    return (await stores.store.decisions.page({ callId })).entries[0]?.chain ?? '';
  }

  it('are valid as written, one for each writer', async () => {
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 0, chains: 0, problems: [] });
    await fill();
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 14, chains: 2, problems: [] });
    expect(await chainOf('call_1')).not.toBe(await chainOf('other_1'));
    const { entries } = await stores.store.decisions.page({ limit: 50 });
    const own = entries.filter((entry) => entry.callId.startsWith('call_')).map((entry) => entry.chainNo);
    expect(own).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('are valid for any texts', async () => {
    const context = JSON.stringify({ text: '\ud800 \0 \u2028 😀 "quoted" \\ {braces}', deep: [null, 1e21] });
    const odd = {
      tool: 'half \ud800 and \0',
      decision: '\udfff',
      reasoning: 'ünï',
      context,
      agentId: 'a',
      taskId: 't',
    };
    await stores.store.decisions.append(decision('call_odd', { ...odd, persona: 'p' }));
    expect((await stores.other.decisions.verify()).problems).toEqual([]);
    expect((await stores.other.decisions.page()).entries[0]).toMatchObject({ tool: 'half � and �', decision: '�' });
  });

  const changes: [string, string][] = [
    ['letter of an entry', "entries = replace(entries, 'agent_zoo_inject', 'agent_zoo_reject')"],
    ['time of an entry', "entries = replace(entries, '1004', '1003')"],
    ['context', "entries = replace(entries, '}', ' }')"],
    ['form', "entries = '[not one\n'"],
    ['hash', "hash = 'changed'"],
    ['first time', 'first_at = first_at - 1'],
    ['last time', 'last_at = last_at + 1'],
    ['number of entries', 'row_count = row_count - 1'],
  ];
  it.each(changes)('a changed %s is found', async (_what, assignment) => {
    await fill();
    const [row] = (await stores.store.decisions.page({ callId: 'call_2', limit: 1 })).entries;
    const group = Math.floor((row?.seq ?? 0) / 1_000);
    await tamper((db) => sql`update decision_groups set ${sql.raw(assignment)} where seq = ${group}`.execute(db));
    const { problems } = await stores.store.decisions.verify();
    expect(problems[0]).toMatchObject({ chain: row?.chain, chainNo: 5, seq: group * 1_000 });
    expect(problems[0]?.message).toMatch(/numbers? 5 /);
  });

  it('an entry that was removed from its group is found', async () => {
    await fill();
    const [row] = (await stores.store.decisions.page({ callId: 'call_2', limit: 1 })).entries;
    const group = Math.floor((row?.seq ?? 0) / 1_000);
    await tamper(async (db) => {
      const { entries } = await db
        .selectFrom('decision_groups')
        .select('entries')
        .where('seq', '=', group)
        .executeTakeFirstOrThrow();
      const first = `${entries.split('\n').slice(0, 2).join('\n')}\n`;
      const less = { entries: first, row_count: 1, last_at: row?.at ? row.at - 1 : 0 };
      await db.updateTable('decision_groups').set(less).where('seq', '=', group).execute();
    });
    expect((await stores.store.decisions.verify()).problems[0]).toMatchObject({ chain: row?.chain, chainNo: 5 });
  });

  it.each([
    ['in the middle', [5], 'are missing'],
    ['at the start', [1], 'are missing'],
    ['at the end', [9], 'from number 9 to 10'],
    ['of a whole chain', [1, 3, 5, 7, 9], 'from number 1 to 10'],
  ])('missing rows %s are found', async (_where, numbers, words) => {
    await fill();
    const chain = await chainOf('call_1');
    await tamper((db) =>
      db.deleteFrom('decision_groups').where('chain', '=', chain).where('first_no', 'in', numbers).execute(),
    );
    const { problems } = await stores.store.decisions.verify();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ chain, message: expect.stringContaining(words) });
  });

  it('a chain that is not in the list is found', async () => {
    await fill();
    const chain = await chainOf('other_1');
    await tamper((db) => db.deleteFrom('decision_chains').where('chain', '=', chain).execute());
    const { problems } = await stores.store.decisions.verify();
    expect(problems).toMatchObject([{ chain, message: expect.stringContaining('not in the list') }]);
  });

  it('a row that was added at the end or in between is found', async () => {
    await fill();
    const last = (await stores.store.decisions.page({ callId: 'other_3' })).entries[0];
    const copy = (chainNo: number) =>
      tamper((db) =>
        sql`insert into decision_groups (chain, first_no, row_count, first_at, last_at, hash, entries)
          select chain, ${sql.lit(chainNo)}, row_count, first_at, last_at, hash, entries
          from decision_groups where seq = ${Math.floor((last?.seq ?? 0) / 1_000)}`.execute(db),
      );
    await copy(5);
    expect((await stores.store.decisions.verify()).problems.map((each) => each.message).join()).toContain(
      'does not match its hash',
    );
    await copy(4);
    expect((await stores.store.decisions.verify()).problems.map((each) => each.message).join()).toContain(
      'added later',
    );
  });

  it('are valid while others write', async () => {
    const writing = Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        (index % 2 === 0 ? stores.store : stores.other).decisions.append(decision(`call_${index}`)),
      ),
    );
    for (let round = 0; round < 5; round += 1) expect((await stores.store.decisions.verify()).problems).toEqual([]);
    await writing;
    expect(await stores.other.decisions.verify()).toMatchObject({ rows: 300, problems: [] });
  });

  it('continue as a new chain after rows that could not be written', async () => {
    await fill();
    await tamper((db) => db.schema.alterTable('decision_groups').renameTo('away').execute());
    await expect(stores.store.decisions.append(decision('refused'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await tamper((db) => sql`alter table away rename to decision_groups`.execute(db));
    await stores.store.decisions.append(decision('call_after'));
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 15, chains: 3, problems: [] });
  });

  it('continue as a new chain if theirs was replaced, for example by a restore', async () => {
    await fill();
    const chain = await chainOf('call_1');
    await tamper(async (db) => {
      await db.deleteFrom('decision_groups').where('chain', '=', chain).where('first_no', '>', 4).execute();
      const [second] = await db
        .selectFrom('decision_groups')
        .select('hash')
        .where('chain', '=', chain)
        .where('first_no', '=', 3)
        .execute();
      const last_hash = second?.hash ?? '';
      await db.updateTable('decision_chains').set({ last_no: 4, last_hash }).where('chain', '=', chain).execute();
    });
    await stores.store.decisions.append(decision('call_after'));
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 9, chains: 3, problems: [] });
    await tamper((db) => db.deleteFrom('decision_chains').execute());
    await tamper((db) => db.deleteFrom('decision_groups').execute());
    await stores.store.decisions.append(decision('call_later'));
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 1, chains: 1, problems: [] });
  });

  it('stay valid when retention deletes their oldest rows, and the remaining rows stay protected', async () => {
    await fill();
    expect(await stores.store.decisions.prune(1_004)).toBe(4);
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 10, chains: 2, problems: [] });
    await stores.store.decisions.append(decision('call_new', { at: 3_000 }));
    expect(await stores.store.decisions.prune(1_004)).toBe(0);
    expect(await stores.store.decisions.prune(2_002)).toBe(8);
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 3, chains: 2, problems: [] });
    await tamper((db) => sql`update decision_groups set entries = replace(entries, 'other_3', 'other_x')`.execute(db));
    expect((await stores.store.decisions.verify()).problems).toHaveLength(1);
    expect(await stores.store.decisions.prune(10_000)).toBe(3);
    await stores.store.decisions.append(decision('call_newer', { at: 20_000 }));
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 1, chains: 1, problems: [] });
  });

  it('keep every row whose predecessor is kept, even if a clock was set back', async () => {
    for (const at of [10, 30, 20, 40]) await stores.store.decisions.append(decision('call', { at }));
    expect(await stores.store.decisions.prune(25)).toBe(1);
    expect((await stores.store.decisions.verify()).problems).toEqual([]);
    expect(await stores.store.decisions.prune(35)).toBe(2);
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 1, chains: 1, problems: [] });
  });

  it('exclude rows from before chains existed, which retention still deletes', async () => {
    const old = { chain: '', first_no: 0, row_count: 1, first_at: 5, last_at: 5, hash: '' };
    const entries = packEntry(decision('old', { kind: 'result', at: 5 }));
    await tamper((db) =>
      db
        .insertInto('decision_groups')
        .values({ ...old, entries })
        .execute(),
    );
    await fill();
    expect(await stores.store.decisions.verify()).toMatchObject({ rows: 15, chains: 2, problems: [] });
    expect(await stores.store.decisions.prune(100)).toBe(1);
  });

  it('are not read further after verification is cancelled', async () => {
    await expect(stores.store.decisions.verify({ signal: AbortSignal.abort() })).rejects.toThrow();
  });

  it('keep the number of the last deleted row, so that a follower of the log gets the next one', async () => {
    const { decisions } = stores.store;
    await decisions.append(decision('call_before', { at: stores.clock.now() }));
    const { newest } = await stores.other.decisions.page();
    await decisions.prune(stores.clock.now() + 1);
    expect((await decisions.page()).entries).toEqual([]);
    await decisions.append(decision('call_after', { at: stores.clock.now() + 2 }));
    const { entries } = await stores.other.decisions.page({ after: newest ?? '' });
    expect(entries.map(({ callId }) => callId)).toEqual(['call_after']);
    expect((await decisions.page({ tool: 'agent_zoo_inject' })).entries).toHaveLength(1);
    expect(await decisions.verify()).toMatchObject({ rows: 1, problems: [] });
  });
});
