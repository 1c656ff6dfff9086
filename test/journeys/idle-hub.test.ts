import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { usualConnections } from '../../src/db/postgres/postgres.ts';
import { newTestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';

/** What the docs promise for each process on PostgreSQL. */
const maxPerSecond = 0.5;
const seconds = 120;

let hub: TestHub | undefined;
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await hub?.end();
  hub = undefined;
});

const callTool = (to: TestHub) => to.call('POST', '/tools/agent_zoo_list_agents', { body: {} });

describe('a hub on PostgreSQL', () => {
  it(`whose proxy asks every two seconds whether it is ready sends at most ${maxPerSecond} statements a second`, async () => {
    const { db } = await newTestDatabase('postgres');
    fakeTime();
    const statements = countStatements();
    hub = await serveTestHub({ db });
    hub.hub.startTeam();
    // It holds a lease from now on, because its log has entries.
    expect((await callTool(hub)).status).toBe(200);
    const asked = askReady(hub);
    await pass(30, statements, asked);
    statements.texts.length = 0;
    await pass(seconds, statements, asked);
    const counts = Map.groupBy(statements.texts, (text) => text.replace(/\s+/g, ' ').slice(0, 90));
    const table = [...counts].map(([text, { length }]) => `${length} × ${text}`).join('\n');
    expect(statements.texts.length, table).toBeLessThanOrEqual(seconds * maxPerSecond);
    expect(statements.texts.length, table).toBeGreaterThan(0);
  });

  it('notices within a minute that its tables no longer fit', async () => {
    const { db } = await newTestDatabase('postgres');
    fakeTime();
    const statements = countStatements();
    hub = await serveTestHub({ db });
    expect(await askReady(hub)()).toBe(200);
    const admin = new pg.Client({ connectionString: 'url' in db ? db.url : '' });
    await admin.connect();
    await admin.query("insert into zoo_migrations values ('9999-of-a-later-version', '')");
    await admin.end();
    await pass(61, statements);
    expect(await askReady(hub)()).toBe(503);
  });

  it.each([
    ['by default', undefined, usualConnections],
    ['with max_connections = 3', 3, 3],
  ])('never has more connections than it may, %s', async (_name, max_connections, most) => {
    const { db } = await newTestDatabase('postgres');
    const url = 'url' in db ? db.url : '';
    hub = await serveTestHub({ db: { url, ...(max_connections && { max_connections }) } });
    const running = hub;
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const count = async () => {
      const { rows } = await admin.query<{ count: string }>(
        // Autovacuum works in the same database.
        `select count(*) from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      return Number(rows[0]?.count);
    };
    let isOver = false;
    const seen: number[] = [];
    const watching = (async () => {
      while (!isOver) seen.push(await count());
    })();
    const load = Array.from({ length: 40 }, async () => {
      for (const _ of [1, 2, 3, 4, 5]) expect((await callTool(running)).status).toBe(200);
    });
    await Promise.all(load);
    isOver = true;
    await watching;
    await admin.end();
    expect(Math.max(...seen)).toBeLessThanOrEqual(most);
    expect(Math.max(...seen)).toBeGreaterThan(1);
  });
});

function fakeTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
}

/** Returns a function that asks as a proxy does. */
function askReady({ server }: TestHub): () => Promise<number> {
  return async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/ready?reads=true`);
    await response.body?.cancel();
    return response.status;
  };
}

interface Statements {
  texts: string[];
  running: number;
}

/** Counts what is sent to any database over any connection of this process. */
function countStatements(): Statements {
  const statements: Statements = { texts: [], running: 0 };
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...sent: unknown[]) {
    const [first] = sent;
    // A message that is no statement.
    if (typeof first === 'object' && first !== null && 'submit' in first) return Reflect.apply(query, this, sent);
    statements.texts.push(typeof first === 'string' ? first : ((first as { text?: string }).text ?? ''));
    statements.running += 1;
    const reply: unknown = Reflect.apply(query, this, sent);
    void Promise.resolve(reply)
      .catch(() => {})
      .finally(() => {
        statements.running -= 1;
      });
    return reply as ReturnType<typeof query>;
  });
  return statements;
}

/** Lets time pass a second at a time, and waits for the database in between. Every two seconds, the hub has to be ready. */
async function pass(count: number, statements: Statements, ask?: () => Promise<number>): Promise<void> {
  for (let second = 0; second < count; second += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    if (ask && second % 2 === 0) expect(await ask()).toBe(200);
    for (let quiet = 0; quiet < 20; quiet = statements.running > 0 ? 0 : quiet + 1)
      await new Promise((resolve) => setImmediate(resolve));
  }
}
