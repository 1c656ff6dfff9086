import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { testClock } from '../../test/support/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { DecisionQuery } from '../tools/decision-log.ts';
import type { Database } from './database.ts';
import { StoredDecisions } from './decisions.ts';
import { openDatabase } from './open-store.ts';
import type { Tables } from './tables.ts';

const total = 20_000;

describe.each(databaseKinds)('each question to a long decision log in %s uses an index', (kind) => {
  let place: TestDatabase;
  let database: Database;
  let decisions: StoredDecisions;
  const plans: string[] = [];

  beforeAll(async () => {
    place = await newTestDatabase(kind);
    database = await openDatabase(place.db, silentLogger);
    await database.write(({ db }) => fill(db));
    if (kind === 'postgres') await database.read((db) => sql`vacuum analyze decisions`.execute(db));
    const explained = {
      ...database,
      kind: database.kind,
      read: (run: (db: Kysely<Tables>) => Promise<unknown>) => explainReads(database, run),
    };
    // What a class keeps is not copied; only `read` is asked for here.
    decisions = new StoredDecisions({
      database: explained as unknown as Database,
      clock: testClock(),
      logger: silentLogger,
    });
  });
  afterAll(async () => {
    await database.close();
    await place.remove();
  });

  /** Runs each statement, and notes how the database finds its rows. */
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
        // One column of text, whatever its name is.
        plans.push(rows.map((row) => Object.values(row as object).at(-1)).join('\n'));
        // The result passes through as it is, whatever the rows of the asker are.
        return (await execute(query, ...rest)) as never;
      };
      return run(explaining);
    });
  }

  const questions: [string, DecisionQuery, string][] = [
    ['the first page', {}, 'decisions_by_time'],
    ['the next page', { cursor: `${(900_000).toString(36)}.${(9_000).toString(36)}` }, 'decisions_by_time'],
    ['a tool', { tool: 'tool_7' }, 'decisions_by_tool'],
    ['a member', { agentId: 'member-3' }, 'decisions_by_member'],
    ['a task', { taskId: 'task-3' }, 'decisions_by_task'],
    ['errors', { kind: 'error' }, 'decisions_by_kind'],
    ['manual entries', { kind: 'manual' }, 'decisions_by_kind'],
    ['errors of a member', { kind: 'error', agentId: 'member-3' }, 'decisions_by_kind_and_member'],
    ['errors of a tool', { kind: 'error', tool: 'tool_7' }, 'decisions_by_kind_and_tool'],
    ['errors of both', { kind: 'error', agentId: 'member-3', tool: 'tool_7' }, 'decisions_by_kind_and_member'],
    ['results', { kind: 'result' }, 'decisions_by_time'],
    ['a time', { since: 500_000, until: 510_000 }, 'decisions_by_time'],
    ['a member in a time', { agentId: 'member-3', since: 500_000 }, 'decisions_by_member'],
    ['a text', { text: 'nowhere' }, 'decisions_by_time'],
  ];
  it.each(questions)('%s', async (_name, query, index) => {
    plans.length = 0;
    await decisions.page(query);
    const ofRows = plans.filter(
      (plan) => !/max|decisions_pkey|MAX|SEARCH decisions$/.test(plan) || plan.includes('decisions_by'),
    );
    expect(ofRows.length).toBeGreaterThan(0);
    for (const plan of ofRows) {
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan|SCAN decisions(?! USING)|TEMP B-TREE FOR ORDER BY|Sort Method/);
    }
  });

  it('the last call of a member, and the tools', async () => {
    plans.length = 0;
    await decisions.lastCalls(['member-1', 'member-2']);
    await decisions.tools();
    expect(plans[0]).toContain('decisions_by_member');
    expect(plans[1]).toContain('decision_counts_by_tool');
  });
});

/** Rows as any writer leaves them, made by the database itself. */
async function fill(db: Kysely<Tables>): Promise<void> {
  const numbers = sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(total)})`;
  await sql`insert into decisions (call_id, kind, at, surface, agent_id, task_id, tool, decision, reasoning, context)
    ${numbers} select 'call_' || n, case when n % 200 = 0 then 'error' when n % 333 = 0 then 'manual' when n % 2 = 0 then 'result' else 'invocation' end,
      n * 100, 'http', case when n % 3 = 0 then 'member-' || (n % 40) end, case when n % 5 = 0 then 'task-' || (n % 400) end,
      'tool_' || (n % 60), 'decision', 'reasoning', '{"text":"some words"}' from numbers`.execute(db);
  await sql`insert into decision_counts (minute, tool, agent_id, chain, calls, errors)
    ${numbers} select n, 'tool_' || (n % 60), '', 'c', 1, 0 from numbers`.execute(db);
}
