import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../test/support/databases/open-log.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Database, PreparedQuery } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { openDatabase } from '../store/open-store.ts';
import type { DecisionEntry, DecisionQuery } from '../tools/decision-log.ts';
import type { StoredDecisions } from './decisions.store.ts';

const total = 6_000;

describe.each(databaseKinds)('each query to a long decision log in %s uses an index', (kind) => {
  let place: TestDatabase;
  let database: Database;
  let decisions: StoredDecisions;
  const plans: string[] = [];

  beforeAll(async () => {
    place = await newTestDatabase(kind);
    database = await openDatabase(place.db, silentLogger);
    await fill(database);
    if (kind === 'postgres')
      await database.read((db) => sql`vacuum analyze decision_groups, decision_keys`.execute(db));
    const explained = {
      ...database,
      kind: database.kind,
      dialect: database.dialect,
      read: (run: (db: Kysely<Tables>) => Promise<unknown>) => explainReads(database, run),
      select: (query: PreparedQuery) => database.select(query),
    };
    // Private fields of a class are not copied; this test needs only these.
    decisions = openLog({
      database: explained as unknown as Database,
      clock: testClock(),
      logger: silentLogger,
    });
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  /** Runs each statement and records its query plan. */
  function explainReads(inner: Database, run: (db: Kysely<Tables>) => Promise<unknown>): Promise<unknown> {
    return inner.read(async (db) => {
      const explaining = db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => result,
      });
      const executor = explaining.getExecutor();
      const execute = executor.executeQuery.bind(executor);
      executor.executeQuery = async (query, ...rest) => {
        const words = kind === 'sqlite' ? 'explain query plan ' : 'explain ';
        const { rows } = await execute({ ...query, sql: words + query.sql }, ...rest);
        // One text column, with any name.
        plans.push(rows.map((row) => Object.values(row as object).at(-1)).join('\n'));
        // The result is passed on unchanged, whatever its row type.
        return (await execute(query, ...rest)) as never;
      };
      return run(explaining);
    });
  }

  const byKey = kind === 'sqlite' ? /SEARCH decision_keys USING PRIMARY KEY/ : /decision_keys_key/;
  const byNumber = kind === 'sqlite' ? /SEARCH decision_groups USING INTEGER PRIMARY KEY/ : /decision_groups_pkey/;
  const questions: [string, DecisionQuery, RegExp][] = [
    ['the first page', {}, byNumber],
    ['the next page', { cursor: `b${(40_000).toString(36)}` }, byNumber],
    ['a tool', { tool: 'tool_7' }, byKey],
    ['a member', { agentId: 'member-3' }, byKey],
    ['a task', { taskId: 'task-3' }, byKey],
    ['errors', { kind: 'error' }, byKey],
    ['manual entries', { kind: 'manual' }, byKey],
    ['errors of a member', { kind: 'error', agentId: 'member-3' }, byKey],
    ['errors of a tool', { kind: 'error', tool: 'tool_7' }, byKey],
    ['errors of both', { kind: 'error', agentId: 'member-3', tool: 'tool_7' }, byKey],
    ['results', { kind: 'result' }, byNumber],
    ['a time', { since: 50_000, until: 51_000 }, byNumber],
    ['a member in a time', { agentId: 'member-3', since: 50_000 }, byKey],
    ['a text', { text: 'nowhere' }, byNumber],
  ];
  it.each(questions)('%s', async (_name, query, index) => {
    plans.length = 0;
    await decisions.page(query);
    expect(plans.some((plan) => index.test(plan))).toBe(true);
    for (const plan of plans)
      expect(plan).not.toMatch(/Seq Scan on decision_(groups|keys)|SCAN decision_(groups|keys)/);
  });

  it('the last call of a member, and the tools', async () => {
    plans.length = 0;
    await decisions.lastCalls(['member-1', 'member-2']);
    await decisions.tools();
    expect(plans.some((plan) => byKey.test(plan))).toBe(true);
    expect(plans.at(-1)).toContain('decision_counts_by_tool');
    for (const plan of plans)
      expect(plan).not.toMatch(/Seq Scan on decision_(groups|keys)|SCAN decision_(groups|keys)/);
  });
});

async function fill(database: Database): Promise<void> {
  const log = openLog({ database, clock: testClock(), logger: silentLogger });
  for (let start = 1; start <= total; start += 4)
    await Promise.all([0, 1, 2, 3].map((index) => log.append(entryAt(start + index))));
  await log.close();
}

function entryAt(number: number): DecisionEntry {
  const common = number % 2 === 0 ? 'result' : 'invocation';
  return decision(`call_${number}`, {
    kind: number % 200 === 0 ? 'error' : number % 333 === 0 ? 'manual' : common,
    at: number * 100,
    agentId: number % 3 === 0 ? `member-${number % 40}` : null,
    taskId: number % 5 === 0 ? `task-${number % 400}` : null,
    tool: `tool_${number % 60}`,
  });
}
