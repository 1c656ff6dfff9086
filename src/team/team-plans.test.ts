import { CompiledQuery, type Kysely, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { teamTime } from '../../test/support/team/team-rows.ts';
import type { Page } from '../base/contract-fields.ts';
import { silentLogger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import { Leases } from '../db/leases.ts';
import { toCursor } from '../db/page.ts';
import type { Tables } from '../db/tables.ts';
import { openDatabase } from '../store/open-store.ts';
import { maxUnreadCount } from './mail/mail.ts';
import { openTeam, type TeamReader, type TeamStore } from './team.store.ts';

const limit = 20;
const since = new Date(teamTime - 1).toISOString();
const threads: Parameters<TeamReader['threads']>[0] = { all: true, onlyUnread: false, onlyEscalations: false, limit };

type Paged = (team: TeamStore, cursor?: string) => Promise<Page<unknown>>;

/** Lists, each with the index that serves it. */
const lists: [string, string, Paged][] = [
  [
    "a member's mail",
    'mails_by_recipient',
    (team, cursor) => team.mailbox({ toAgentId: 'w', includeRead: true, since, limit, cursor }),
  ],
  [
    "a member's unread mail",
    'mails_unread',
    (team, cursor) => team.mailbox({ toAgentId: 'w', includeRead: false, limit, cursor }),
  ],
  [
    "the user's mail",
    'mails_by_recipient',
    (team, cursor) => team.mailbox({ toAgentId: null, includeRead: true, limit, cursor }),
  ],
  [
    "the user's unread mail",
    'mails_unread',
    (team, cursor) => team.mailbox({ toAgentId: null, includeRead: false, limit, cursor }),
  ],
  ['all threads', 'mail_threads_all', (team, cursor) => team.threads({ ...threads, cursor })],
  [
    'threads with the user',
    'mail_threads_with_human',
    (team, cursor) => team.threads({ ...threads, all: false, cursor }),
  ],
  ['unread threads', 'mail_threads_unread', (team, cursor) => team.threads({ ...threads, onlyUnread: true, cursor })],
  [
    'escalations',
    'mail_threads_escalated',
    (team, cursor) => team.threads({ ...threads, onlyEscalations: true, cursor }),
  ],
  [
    'escalations to the user',
    'mail_threads_escalated_with_human',
    (team, cursor) => team.threads({ ...threads, all: false, onlyEscalations: true, cursor }),
  ],
  [
    'unread escalations',
    'mail_threads_escalated_unread',
    (team, cursor) => team.threads({ ...threads, onlyUnread: true, onlyEscalations: true, cursor }),
  ],
  ['tasks', 'tasks_by_change', (team, cursor) => team.tasks({ limit, cursor })],
  ['tasks of a state', 'tasks_by_state_change', (team, cursor) => team.tasks({ state: ['REVIEW'], limit, cursor })],
  [
    'tasks of two states',
    'tasks_by_state_change',
    (team, cursor) => team.tasks({ state: ['PENDING', 'BLOCKED'], limit, cursor }),
  ],
  ['tasks of an epic', 'tasks_by_epic_id_change', (team, cursor) => team.tasks({ epicId: 'e3', limit, cursor })],
  [
    'tasks of an epic and a state',
    'tasks_by_epic_id_state_change',
    (team, cursor) => team.tasks({ epicId: 'e3', state: ['PENDING'], limit, cursor }),
  ],
  [
    "a member's tasks",
    'tasks_by_assignee_id_change',
    (team, cursor) => team.tasks({ assigneeId: 'm3', limit, cursor }),
  ],
  [
    "a member's open tasks",
    'tasks_by_assignee_id_state_change',
    (team, cursor) => team.tasks({ assigneeId: 'm3', state: ['REVIEW'], limit, cursor }),
  ],
  ['deliveries', 'deliveries_by_age', (team, cursor) => team.deliveries.list({ limit, cursor })],
  ['dead letters', 'deliveries_by_state', (team, cursor) => team.deliveries.list({ state: 'dead', limit, cursor })],
];

const lookups: [string, (team: TeamStore) => Promise<unknown>][] = [
  ['a thread', (team) => team.thread('mail-5')],
  [
    'the earlier mails of a thread',
    (team) => team.thread('mail-5', { cursor: toCursor([teamTime + 100_000, 'mail-9']) }),
  ],
  ['comments', (team) => team.comments('task-5')],
  ['the next pending task', (team) => team.write((rows) => rows.nextPendingTask(null))],
  ['the next pending task of an epic', (team) => team.write((rows) => rows.nextPendingTask('e3'))],
  ['due deliveries', (team) => team.deliveries.take({ targets: ['a', 'b'], now: teamTime + 100_000, limit })],
  ['deliveries left behind', (team) => team.deliveries.takeAbandoned({ target: 'a', running: new Set(), limit })],
  ['known faults', (team) => team.write((rows) => rows.escalations('fault', 0))],
];

describe.each(databaseKinds)('with 100,000 mails in %s', (kind) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let team: TeamStore;
  const queries: RootOperationNode[] = [];

  beforeAll(async () => {
    testDatabase = await newTestDatabase(kind);
    database = await openDatabase(testDatabase.db, silentLogger);
    const parts = { database, logger: silentLogger, clock: testClock() };
    const leases = new Leases(parts);
    team = openTeam({ ...parts, database: recordQueries(database, queries), leases });
    await fill(database);
  }, 120_000);
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  it.each(lists)('the first two pages of %s come from the index %s', async (_name, index, list) => {
    const plans = async (cursor?: string) => {
      queries.length = 0;
      const page = await list(team, cursor);
      expect(page.items).toHaveLength(limit);
      await expectNarrow(database, queries);
      if (kind === 'sqlite') expect(await plansInSqlite(database, queries)).toMatch(new RegExp(`INDEX ${index}\\b`));
      return page.cursor ?? undefined;
    };
    const cursor = await plans();
    expect(cursor).toBeDefined();
    await plans(cursor);
  });

  it.each(lookups)('%s comes from an index', async (_name, lookup) => {
    queries.length = 0;
    await lookup(team);
    await expectNarrow(database, queries);
  });

  it('unread mail in a full inbox is counted up to a limit, from its index', async () => {
    queries.length = 0;
    expect(await team.countUnread({ toAgentId: 'full', since })).toBe(maxUnreadCount);
    if (kind === 'sqlite') expect(await plansInSqlite(database, queries)).toMatch(/INDEX mails_unread\b/);
  });

  it('a query without an index fails these checks', async () => {
    queries.length = 0;
    const watched = recordQueries(database, queries);
    await watched.read((db) => db.selectFrom('mails').selectAll().orderBy('body').limit(limit).execute());
    await expect(expectNarrow(database, queries)).rejects.toThrow();
  });
});

/** Returns the same database, recording every query. */
function recordQueries(database: Database, queries: RootOperationNode[]): Database {
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      queries.push(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    kind: database.kind,
    dialect: database.dialect,
    location: database.location,
    read: (run) => database.read((db) => run(db.withPlugin(plugin))),
    write: (run) => database.write(({ db, ...write }) => run({ ...write, db: db.withPlugin(plugin) })),
    execute: (run) => database.execute((db) => run(db.withPlugin(plugin))),
    changes: database.changes,
    insertDecisions: (take) => database.insertDecisions(take),
    select: (query) => database.select(query),
    fillSegment: (segment, inserts) => database.fillSegment(segment, inserts),
    probe: () => database.probe(),
    migrate: (options) => database.migrate(options),
    close: async () => {},
  };
}

async function expectNarrow(database: Database, queries: readonly RootOperationNode[]): Promise<void> {
  expect(queries.length).toBeGreaterThan(0);
  for (const node of queries) {
    await database.read(async (db) => {
      const executor = db.getExecutor();
      const query = executor.compileQuery(node, { queryId: 'explained' });
      if (!/^(select|update)/i.test(query.sql.trim())) return;
      if (database.kind === 'sqlite') await expectNarrowInSqlite(db, query);
      else await expectNarrowInPostgres(db, query);
    });
  }
}

/** SQLite does not report how many rows it visited, so tests check the name of the index. */
function plansInSqlite(database: Database, queries: readonly RootOperationNode[]): Promise<string> {
  return database.read(async (db) => {
    const compiled = queries.map((node) => db.getExecutor().compileQuery(node, { queryId: 'explained' }));
    const plans = await Promise.all(compiled.map((query) => planInSqlite(db, query)));
    return plans.flat().join('\n');
  });
}

async function planInSqlite(db: Kysely<Tables>, query: CompiledQuery): Promise<string[]> {
  const explained = CompiledQuery.raw(`explain query plan ${query.sql}`, [...query.parameters]);
  const { rows } = await db.executeQuery<{ detail: string }>(explained);
  return rows.map((row) => row.detail);
}

async function expectNarrowInSqlite(db: Kysely<Tables>, query: CompiledQuery): Promise<void> {
  const details = await planInSqlite(db, query);
  // A scan is fine if it follows an index, because the limit ends it. "part" is the page of one state.
  const scans = details.filter((detail) => /^SCAN (?!part)/.test(detail) && !/USING (COVERING )?INDEX/.test(detail));
  expect(scans, query.sql).toEqual([]);
  const mergesPages = details.some((detail) => /part/.test(detail)) || /^select \* from \(/.test(query.sql);
  const sorts = mergesPages ? [] : details.filter((detail) => /TEMP B-TREE/.test(detail));
  expect(sorts, query.sql).toEqual([]);
}

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

async function expectNarrowInPostgres(db: Kysely<Tables>, query: CompiledQuery): Promise<void> {
  const explain = CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters]);
  const { rows } = await db.executeQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(explain);
  for (const plan of nodesOf(rows[0]?.['QUERY PLAN'][0]?.Plan)) {
    const seen = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
    expect(seen, `${plan['Node Type']} of ${query.sql}`).toBeLessThan(limit * 10);
  }
}

function nodesOf(plan: Plan | undefined): Plan[] {
  return plan ? [plan, ...(plan.Plans ?? []).flatMap(nodesOf)] : [];
}

/** Fills the tables with a few bulk statements, because only reading is tested. */
async function fill(database: Database): Promise<void> {
  const numbers = (last: number, first = 1) =>
    sql`with recursive n (i) as (select ${sql.lit(first)} union all select i + 1 from n where i < ${sql.lit(last)})`;
  const at = sql.lit(teamTime);
  await database.write(async ({ db }) => {
    // In parts, because statements have a time limit on PostgreSQL.
    for (let first = 1; first < 100_000; first += 20_000) {
      const part = numbers(first + 19_999, first);
      // Half is to the user. Most of it is read, and a list of unread mail must not visit it.
      await sql`insert into mails (id, thread_id, from_agent_type, recipient, at, read_at, escalation_count, subject, body)
        ${part} select 'mail-' || i, 'mail-' || i, 'HUMAN', case when i % 2 = 0 then '' else 'w' end, ${at} + i,
        case when i > 1000 then 1 end, 0, 'subject', 'body' from n`.execute(db);
      // Escalations are old, and those to the user are older.
      await sql`insert into mail_threads (id, subject, participants, mails, unread_for_human, with_human, has_escalation,
        last_mail_id, last_at) ${part} select 'mail-' || i, 'subject', '[]', 1,
        case when i % 2 = 0 and i < 1000 then 1 else 0 end, case when i % 2 = 0 then 1 else 0 end,
        case when i < 1000 and (i % 2 = 1 or i < 400) then 1 else 0 end, 'mail-' || i, ${at} + i from n`.execute(db);
    }
    await sql`insert into mails (id, thread_id, from_agent_type, recipient, at, escalation_count, subject, body)
      ${numbers(2_000)} select 'full-' || i, 'full-' || i, 'HUMAN', 'full', ${at} + i, 0, 'subject', 'body' from n`.execute(
      db,
    );
    await sql`insert into tasks (id, title, state, epic_id, assignee_id, comments, state_since, created_at, updated_at,
      description) ${numbers(20_000)} select 'task-' || i, 't',
      case when i > 4000 then 'COMPLETED' when i % 3 = 0 then 'REVIEW' when i % 3 = 1 then 'BLOCKED' else 'PENDING' end,
      'e' || (i % 10), case when i % 3 <> 2 then 'm' || (i % 10) end, 0, 0, ${at} + i, ${at} + i, '' from n`.execute(
      db,
    );
    await sql`insert into events (id, type, at, data) ${numbers(20_000)}
      select 'event-' || i, 't', ${at} + i, '{}' from n`.execute(db);
    await sql`insert into deliveries (id, event_id, target, state, attempts, at, next_attempt_at) ${numbers(20_000)}
      select 'delivery-' || i, 'event-' || i, case when i % 2 = 0 then 'a' else 'c' end,
      case when i < 100 then 'dead' when i < 5000 then 'pending' else 'done' end, 0, ${at} + i, ${at} + i from n`.execute(
      db,
    );
  });
  // PostgreSQL analyzes tables by itself soon after inserts. SQLite must choose its indexes without statistics.
  if (database.kind === 'postgres') await database.read((db) => sql`analyze`.execute(db));
}
