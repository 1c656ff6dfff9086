import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillLog } from '../../test/support/databases/fill-log.ts';
import { openLog } from '../../test/support/databases/open-log.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { systemClock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../store/open-store.ts';
import type { LogProgress } from '../tools/decision-log.ts';
import { maxSlice } from './decision-groups.store.ts';
import { indexDecisions, indexGroup } from './index-decisions.store.ts';

describe.each(databaseKinds)('indexing and verifying the whole log in %s', (kind) => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    testDatabase = await newTestDatabase(kind);
    database = await openDatabase(testDatabase.db, silentLogger);
  });
  afterEach(async () => {
    await database.close();
    await testDatabase.remove();
  });

  it.each([
    { inGroup: 1, entries: 3_000 },
    { inGroup: 8, entries: 6_000 },
    { inGroup: 900, entries: 9_000 },
  ])('works in small steps and yields to the event loop (groups of $inGroup)', async ({ inGroup, entries }) => {
    await fillLog(database, { entries, inGroup });
    const reads: { bytes: number; groups: number }[] = [];
    const decisions = openLog({
      database: recordReads(database, reads),
      clock: systemClock,
      logger: silentLogger,
    });
    const reports: (LogProgress & { turn: number })[] = [];
    const turns = countTurns();
    const onProgress = (progress: LogProgress) => reports.push({ ...progress, turn: turns.now() });

    await decisions.index({ onProgress });
    expect(reports.at(-1)).toMatchObject({ phase: 'keys', done: entries, total: entries });
    // PostgreSQL works outside this process, so it gets larger steps.
    const maxStep = Math.max(inGroup, maxSlice.groups * Math.min(inGroup, 8)) * (kind === 'sqlite' ? 1 : 8);
    for (const [index, { done, turn }] of reports.entries()) {
      const before = reports[index - 1];
      expect(done - (before?.done ?? 0)).toBeLessThanOrEqual(maxStep);
      if (before) expect(turn).toBeGreaterThan(before.turn);
    }
    const { entries: found } = await decisions.page({ tool: 'mcp__tool__3', limit: 500 });
    expect(found.length).toBeGreaterThanOrEqual(100);

    reports.length = 0;
    reads.length = 0;
    expect(await decisions.verify({ onProgress })).toMatchObject({ rows: entries, chains: 1, problems: [] });
    expect(reports.at(-1)).toMatchObject({ phase: 'verify', done: entries, total: entries });
    expect(reports.length).toBeGreaterThan(2);
    for (const [index, { turn }] of reports.entries()) {
      const before = reports[index - 1];
      if (before) expect(turn).toBeGreaterThan(before.turn);
    }
    expect(reads.reduce((sum, { groups }) => sum + groups, 0)).toBe(Math.ceil(entries / inGroup));
    for (const { bytes, groups } of reads) {
      expect(groups).toBeLessThanOrEqual(maxSlice.groups);
      if (groups > 1) expect(bytes).toBeLessThanOrEqual(maxSlice.bytes);
    }
    turns.stop();
    await decisions.close();
  });

  it('a search through many entries yields to the event loop', async () => {
    await fillLog(database, { entries: 10_000 });
    const decisions = openLog({ database, clock: systemClock, logger: silentLogger });
    await decisions.index();
    const turns = countTurns();
    const before = turns.now();
    expect((await decisions.page({ text: 'nowhere' })).entries).toEqual([]);
    expect(turns.now() - before).toBeGreaterThan(5);
    turns.stop();
    await decisions.close();
  });

  it('uses the indexes that the writer kept in memory if the groups are unchanged, then drops them', async () => {
    await fillLog(database, { entries: 24 });
    const groups = await database.read((db) =>
      db.selectFrom('decision_groups').select(['seq', 'hash']).orderBy('seq').execute(),
    );
    const head = { kind: 'result', at: 0, agentId: null, taskId: null, tool: 'remembered' } as const;
    // The last group has a different hash, as after a restore.
    const indexes = new Map(
      groups.map(({ seq, hash }, index) => [seq, indexGroup(index === 2 ? 'another' : hash, [head, head])]),
    );
    await indexDecisions(database, { writer: { chain: undefined, openSince: null, indexes } });
    expect(indexes.size).toBe(0);
    const keys = await database.read((db) => db.selectFrom('decision_keys').selectAll().execute());
    const withKey = (key: string) => keys.filter((each) => each.key === key).map((each) => each.group_seq);
    expect(withKey('tool remembered')).toEqual(groups.slice(0, 2).map(({ seq }) => seq));
    expect(withKey('tool mcp__tool__9')).toEqual([groups[2]?.seq]);
    const counts = await database.read((db) =>
      db.selectFrom('decision_counts').select(['calls', 'errors']).where('tool', '=', 'remembered').execute(),
    );
    expect(counts).toEqual([{ calls: 4, errors: 0 }]);
  });

  it('stops between two steps when asked to, and the next run continues from there', async () => {
    const entries = 80_000;
    await fillLog(database, { entries });
    const writer = { chain: undefined, openSince: null, indexes: new Map() };
    let done = 0;
    const onProgress = (progress: LogProgress) => {
      done = progress.done;
    };
    const isComplete = await indexDecisions(database, { writer, onProgress, shouldStop: () => done > 0 });
    expect(isComplete).toBe(false);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(entries);

    // A log that is closing does not wait for the whole index.
    const closing = openLog({ database, clock: systemClock, logger: silentLogger });
    const indexing = closing.index({ onProgress });
    await closing.close();
    await indexing;
    expect(done).toBeLessThan(entries);

    const decisions = openLog({ database, clock: systemClock, logger: silentLogger });
    expect((await decisions.verify()).problems).toEqual([]);
    const counts = await decisions.counts({ since: 0, until: Number.MAX_SAFE_INTEGER, stepMs: 1e12 });
    expect(counts.intervals.reduce((sum, { calls }) => sum + calls, 0)).toBe(entries / 2);
    await decisions.close();
  });
});

/** Records the size of every read that returns groups with their entries. */
function recordReads(database: Database, reads: { bytes: number; groups: number }[]): Database {
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'read') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (run: Parameters<Database['read']>[0]) => {
        const rows: unknown = await target.read(run);
        if (Array.isArray(rows) && rows.some((row) => 'entries' in Object(row))) {
          const bytes = rows.reduce((sum, { entries }) => sum + Buffer.byteLength(entries), 0);
          reads.push({ bytes, groups: rows.length });
        }
        return rows;
      };
    },
  });
}

/** Counts the turns of the event loop. */
function countTurns(): { now(): number; stop(): void } {
  let turn = 0;
  let next: NodeJS.Immediate;
  const go = () => {
    turn += 1;
    next = setImmediate(go);
  };
  go();
  return { now: () => turn, stop: () => clearImmediate(next) };
}
