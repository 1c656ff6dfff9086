import { appendFile, chmod, copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Tables } from '../db/tables.ts';
import { backupStore, restoreStore } from '../store/backup.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { hashOf } from './decision-chain.store.ts';

describe.each(databaseKinds)('the proof of the decision log in %s', (kind) => {
  let place: TestDatabase;
  let home: string;
  const clock = testClock();
  const opened: Store[] = [];
  beforeEach(async () => {
    place = await newTestDatabase(kind);
    home = await mkdtemp(join(tmpdir(), 'zoo-proof-'));
    clock.time += 1_000;
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await place.remove();
    await rm(home, { recursive: true, force: true });
  });

  /** Opens the log as a process with this home does; without a home, as an earlier version did. */
  async function open(dataDir: string | undefined = home, secret?: string): Promise<Store> {
    const store = await openStore({ db: place.db, clock, logger: silentLogger, dataDir: dataDir || undefined, secret });
    opened.push(store);
    return store;
  }

  async function close(store: Store): Promise<void> {
    opened.splice(opened.indexOf(store), 1);
    await store.close();
  }

  /** Writes six entries in groups of two, as one process. Returns its chain. */
  async function fill(name: string, dataDir?: string, secret?: string): Promise<string> {
    const store = await open(dataDir, secret);
    for (let index = 0; index < 3; index += 1)
      await Promise.all([
        store.decisions.append(decision(`${name}_${index}`, { at: clock.now() })),
        store.decisions.append(decision(`${name}_${index}`, { at: clock.now(), kind: 'result' })),
      ]);
    const { entries } = await store.decisions.page({ limit: 1 });
    await close(store);
    return entries[0]?.chain ?? '';
  }

  async function tamper(run: (db: Kysely<Tables>) => Promise<unknown>): Promise<void> {
    const database = await openDatabase(place.db, silentLogger);
    await database.write(({ db }) => run(db));
    await database.close();
  }

  async function verify(options: { keys?: string[]; anchors?: string[] } = {}, dataDir = home) {
    const store = await open(dataDir);
    const report = await store.decisions.verify(options);
    await close(store);
    return { ...report, said: report.problems.map(({ message }) => message).join('\n') };
  }

  const anchorFile = async () => {
    const name = (await readdir(join(home, 'decision-log'))).find((each) => each.endsWith('.jsonl'));
    return join(home, 'decision-log', name ?? '');
  };

  it('says what is proven: everything, for a log that was written with a key from its start', async () => {
    await fill('one');
    await fill('two');
    const { problems, proven, unproven, rows } = await verify();
    expect({ problems, unproven, rows }).toEqual({ problems: [], unproven: [], rows: 12 });
    expect(proven.join('\n')).toMatch(/^12 entries chained with a key[^\n]*\nThe ends of 2 chains are anchored/);
  });

  it('keeps the key and the anchors in files for the user only, and out of the database', async () => {
    await fill('one');
    for (const file of await readdir(join(home, 'decision-log')))
      expect([(await stat(join(home, 'decision-log', file))).mode & 0o777, file]).toEqual([0o600, file]);
    expect((await stat(join(home, 'decision-log'))).mode & 0o777).toBe(0o700);
    const key = await readFile(join(home, 'decision-log', 'key'));
    await tamper(async (db) => {
      const all = JSON.stringify([
        await db.selectFrom('decision_groups').selectAll().execute(),
        await db.selectFrom('decision_chains').selectAll().execute(),
      ]);
      for (const form of ['hex', 'base64', 'base64url'] as const) expect(all).not.toContain(key.toString(form));
    });
  });

  /** Rewrites a whole chain, as an attacker with the database but without the key could. */
  async function forge(db: Kysely<Tables>, chain: string, change: (text: string) => string): Promise<void> {
    const groups = await db
      .selectFrom('decision_groups')
      .selectAll()
      .where('chain', '=', chain)
      .orderBy('seq')
      .execute();
    let before = '';
    for (const { seq, first_no: firstNo, entries } of groups) {
      const changed = change(entries);
      before = hashOf({ before, chain, firstNo, entries: changed });
      await db.updateTable('decision_groups').set({ entries: changed, hash: before }).where('seq', '=', seq).execute();
    }
    await db.updateTable('decision_chains').set({ last_hash: before }).where('chain', '=', chain).execute();
  }
  const rename = (text: string) => text.replaceAll('one_1', 'one_x');

  it('a changed entry is found, even if all hashes of the chain were recomputed without the key', async () => {
    const chain = await fill('one');
    await tamper((db) => sql`update decision_groups set entries = replace(entries, 'one_1', 'one_x')`.execute(db));
    expect((await verify()).problems).toMatchObject([{ chain, message: expect.stringContaining('was changed') }]);
    await tamper((db) => sql`update decision_groups set entries = replace(entries, 'one_x', 'one_1')`.execute(db));
    expect((await verify()).problems).toEqual([]);
    await tamper((db) => forge(db, chain, rename));
    expect((await verify()).said).toContain(`of ${chain} is not the one that was anchored`);
    // Without anchors, too, it must not pass for a chain of this home.
    await tamper((db) => sql`update decision_groups set hash = 'k123456789.' || hash`.execute(db));
    expect((await verify()).problems.length).toBeGreaterThan(0);
  });

  it('a chain that was rewritten without a key is found, even if its process was killed before it was anchored', async () => {
    await fill('one');
    const killed = await open();
    await killed.decisions.append(decision('killed'));
    const anchors = await readFile(await anchorFile(), 'utf8');
    const [entry] = (await killed.decisions.page({ limit: 1 })).entries;
    await close(killed);
    await writeFile(await anchorFile(), anchors);
    expect((await verify()).problems).toEqual([]);
    await tamper((db) => forge(db, entry?.chain ?? '', (text) => text.replace('killed', 'forged')));
    expect((await verify()).said).toContain('has no key and no anchor');
  });

  it('a deleted chain is found', async () => {
    await fill('one');
    const chain = await fill('two');
    await tamper(async (db) => {
      await db.deleteFrom('decision_groups').where('chain', '=', chain).execute();
      await db.deleteFrom('decision_chains').where('chain', '=', chain).execute();
    });
    const { problems, said } = await verify();
    expect(problems).toHaveLength(1);
    expect(said).toMatch(new RegExp(`^The chain ${chain} is missing. It had 6 entries, anchored on 2026-`));
  });

  it('an emptied log is found', async () => {
    await fill('one');
    await fill('two');
    await tamper(async (db) => {
      for (const table of ['decision_groups', 'decision_chains', 'decision_keys', 'decision_counts'] as const)
        await db.deleteFrom(table).execute();
    });
    expect((await verify()).problems).toHaveLength(2);
  });

  it('a cut end is found', async () => {
    const chain = await fill('one');
    await tamper(async (db) => {
      await db.deleteFrom('decision_groups').where('chain', '=', chain).where('first_no', '=', 5).execute();
      const { hash } = await db
        .selectFrom('decision_groups')
        .select('hash')
        .where('first_no', '=', 3)
        .executeTakeFirstOrThrow();
      await db.updateTable('decision_chains').set({ last_no: 4, last_hash: hash }).execute();
    });
    const { problems, said } = await verify();
    expect(problems).toHaveLength(1);
    expect(said).toContain(`The end of ${chain} is missing: number 5 to 6`);
  });

  it('a cut start is found, unless the hub itself deleted what was old', async () => {
    const chain = await fill('one');
    await fill('two');
    await tamper(async (db) => {
      const first = db.selectFrom('decision_groups').selectAll().where('chain', '=', chain).orderBy('seq');
      const { seq, hash } = await first.executeTakeFirstOrThrow();
      await db.deleteFrom('decision_groups').where('seq', '=', seq).execute();
      await db
        .updateTable('decision_chains')
        .set({ first_no: 3, hash_before_first: hash })
        .where('chain', '=', chain)
        .execute();
    });
    expect((await verify()).said).toContain(`The first 2 entries of ${chain} are missing. The hub did not delete`);
    await tamper((db) => sql`update decision_chains set start_proof = 'made.up'`.execute(db));
    expect((await verify()).said).toContain('The key made deleted them, but is not on this machine');
  });

  it('retention is no tampering, whether it shortens a chain or deletes it', async () => {
    const old = clock.now();
    const chain = await fill('one');
    clock.time += 10_000;
    const store = await open();
    const running = decision('running', { at: old, kind: 'manual' });
    await store.decisions.append(running);
    await store.decisions.append({ ...running, at: clock.now() });
    expect(await store.decisions.prune(clock.now() - 1)).toBe(7);
    await close(store);
    expect(await verify()).toMatchObject({ rows: 1, problems: [], unproven: [] });
    // The chain of the first process is gone, and the other one begins later now.
    const rows = await chainRows();
    clock.time += 10_000;
    const sweeper = await open();
    await sweeper.decisions.prune(clock.now() - 1);
    await close(sweeper);
    expect(rows).toMatchObject([{ first_no: 2, start_proof: expect.stringMatching(/\./) }]);
    expect((await chainRows()).map((row) => row.chain)).not.toContain(chain);
    expect(await verify()).toMatchObject({ rows: 0, problems: [] });
    // Without the hub's record, the same chain is missing.
    await tamper((db) => db.deleteFrom('decision_cuts').execute());
    expect((await verify()).said).toContain(`The chain ${chain} is missing`);
  });

  async function chainRows() {
    const database = await openDatabase(place.db, silentLogger);
    const rows = await database.read((db) =>
      db.selectFrom('decision_chains').selectAll().orderBy('started_at').orderBy('chain').execute(),
    );
    await database.close();
    return rows;
  }

  it('a restore is no tampering, is named as such, and protects what it brought back', async () => {
    clock.time = Date.now() - 60_000;
    const chain = await fill('one');
    const file = join(home, 'copy.sqlite');
    await backupStore({ db: place.db, file });
    clock.time += 1_000;
    const lost = await fill('two');
    await restoreStore({ db: place.db, file, force: true, dataDir: home });
    clock.time = Date.now() + 1_000;
    const { problems, unproven } = await verify();
    expect(problems).toEqual([]);
    expect(unproven.join()).toMatch(/^A backup was restored on/);
    await fill('three');
    expect((await verify()).problems).toEqual([]);
    await tamper(async (db) => {
      await db.deleteFrom('decision_groups').where('chain', '=', chain).execute();
      await db.deleteFrom('decision_chains').where('chain', '=', chain).execute();
    });
    const { said } = await verify();
    expect(said).toContain(`The chain ${chain} is missing`);
    expect(said).not.toContain(lost);
  });

  it('a restore that was killed before it wrote the anchors is no tampering', async () => {
    clock.time = Date.now() - 60_000;
    await fill('one');
    const file = join(home, 'copy.sqlite');
    await backupStore({ db: place.db, file });
    await fill('two');
    const anchors = await readFile(await anchorFile(), 'utf8');
    await restoreStore({ db: place.db, file, force: true, dataDir: home });
    await writeFile(await anchorFile(), anchors);
    clock.time = Date.now() + 1_000;
    expect((await verify()).problems).toEqual([]);
  });

  it('entries that are older than the key keep their hashes, and are protected from then on', async () => {
    const chain = await fill('old', '');
    const before = await chainRows();
    expect((await verify()).unproven.join('\n')).toMatch(/6 entries chained without a key.*\n.*no anchors/);
    await fill('new');
    expect((await chainRows()).find((row) => row.chain === chain)?.last_hash).toBe(before[0]?.last_hash);
    const { problems, unproven } = await verify();
    expect(problems).toEqual([]);
    expect(unproven).toMatchObject([expect.stringMatching(/^6 entries chained without a key.*anchored on 2026-/)]);
    await tamper((db) => forge(db, chain, (text) => text.replaceAll('old_1', 'old_x')));
    expect((await verify()).said).toContain('is not the one that was anchored');
  });

  it('another home sees the order and number of entries, and with a copy of the key everything', async () => {
    const chain = await fill('one');
    const other = await mkdtemp(join(tmpdir(), 'zoo-proof-other-'));
    try {
      await fill('two', other);
      const key = join(home, 'decision-log', 'key');
      const apart = await verify({}, other);
      expect(apart.problems).toEqual([]);
      expect(apart.unproven.join()).toMatch(/6 entries chained with the key .*another machine or home/);
      await tamper((db) => sql`update decision_groups set entries = replace(entries, 'one_1', 'one_x')`.execute(db));
      expect((await verify({}, other)).problems).toEqual([]);
      expect((await verify({ keys: [key] }, other)).problems).toMatchObject([{ chain }]);
    } finally {
      for (const store of opened.splice(0)) await store.close();
      await rm(other, { recursive: true, force: true });
    }
  });

  it('homes with the same AGENT_ZOO_SECRET prove each other, and what was written before there was one', async () => {
    const secret = 'a secret of the whole team';
    await fill('one');
    await fill('two', join(home, 'there'), secret);
    const store = await open(home, secret);
    const { problems, proven } = await store.decisions.verify({});
    await close(store);
    expect({ problems, proven: proven[0] }).toEqual({
      problems: [],
      proven: expect.stringMatching(/^12 entries chained with a key/),
    });
  });

  it('what another home deleted is missing until its key shows that a hub did it', async () => {
    await fill('one');
    const other = await mkdtemp(join(tmpdir(), 'zoo-proof-other-'));
    try {
      clock.time += 10_000;
      const sweeper = await open(other);
      await sweeper.decisions.append(decision('sweeper', { at: clock.now() }));
      await sweeper.decisions.prune(clock.now() - 1);
      await close(sweeper);
      expect((await verify()).said).toMatch(/is missing.*is not on this machine: verify with a copy of it/);
      expect((await verify({ keys: [join(other, 'decision-log', 'key')] })).problems).toEqual([]);
    } finally {
      for (const store of opened.splice(0)) await store.close();
      await rm(other, { recursive: true, force: true });
    }
  });

  it('a lost key is named, and what was written with it is no longer proven', async () => {
    await fill('one');
    const key = join(home, 'decision-log', 'key');
    await copyFile(key, join(home, 'kept'));
    await rm(key);
    await fill('two');
    const { problems, unproven } = await verify();
    expect(problems).toEqual([]);
    expect(unproven.join()).toMatch(/6 entries chained with the key .*which this home used before: put a copy/);
    expect((await verify({ keys: [join(home, 'kept')] })).unproven).toEqual([]);
  });

  it('a torn line at the end, as after a crash, is skipped, and the next line is whole', async () => {
    await fill('one');
    await appendFile(await anchorFile(), '{"at":17940000');
    const chain = await fill('two');
    expect(await verify()).toMatchObject({
      problems: [],
      unproven: [expect.stringContaining('1 line of the anchors')],
    });
    await tamper(async (db) => {
      await db.deleteFrom('decision_groups').where('chain', '=', chain).execute();
      await db.deleteFrom('decision_chains').where('chain', '=', chain).execute();
    });
    expect((await verify()).said).toContain(`The chain ${chain} is missing`);
  });

  it('anchors that were kept elsewhere also count, as lines of a file or as a webhook received them', async () => {
    const chain = await fill('one');
    const elsewhere = join(home, 'elsewhere.jsonl');
    const lines = (await readFile(await anchorFile(), 'utf8')).trim().split('\n');
    const received = lines
      .filter(Boolean)
      .map((line) => JSON.stringify({ type: 'log.anchored', data: JSON.parse(line) }));
    await writeFile(elsewhere, received.join('\n'));
    await rm(await anchorFile());
    await tamper(async (db) => {
      await db.deleteFrom('decision_groups').execute();
      await db.deleteFrom('decision_chains').execute();
    });
    expect((await verify()).problems).toEqual([]);
    expect((await verify({ anchors: [elsewhere] })).said).toContain(`The chain ${chain} is missing`);
  });

  it('a home that cannot be written does not stop the log: entries are hashed, and verifying says so', async () => {
    await writeFile(join(home, 'decision-log'), 'not a folder');
    const chain = await fill('one');
    expect(chain).not.toBe('');
    await chmod(join(home, 'decision-log'), 0o600);
    await rm(join(home, 'decision-log'));
    expect((await verify()).unproven.join()).toContain('6 entries chained without a key');
  });

  it('is right while several processes write, and with what they have written in this second', async () => {
    const [one, two] = [await open(), await open()];
    const writing = Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? one : two).decisions.append(decision(`c_${index}`))),
    );
    for (let round = 0; round < 5; round += 1) expect((await one.decisions.verify()).problems).toEqual([]);
    await writing;
    expect((await two.decisions.verify()).problems).toEqual([]);
  });
});
