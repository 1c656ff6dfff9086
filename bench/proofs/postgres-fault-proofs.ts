import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { startZoo, zooFolder } from '../../test/support/command/run-zoo.ts';
import { createDatabase, type RunningPostgres } from '../../test/support/databases/postgres.ts';
import { openPostgresProxy, type PostgresProxy } from '../../test/support/databases/postgres-proxy.ts';
import { ownerHeader } from '../../test/support/hubs/owner-key.ts';
import { beginSession, post } from './http-calls.ts';

export interface PostgresFault {
  name: string;
  /** Rounds of the proof. */
  times: number;
  /** Over at once: nobody need meet with an error. */
  isMomentary?: true;
  hurt(hub: HurtHub): Promise<void>;
  heal(hub: HurtHub): Promise<void>;
}

/** A serving hub that reaches its database by a proxy, as a user who is no superuser. */
interface HurtHub {
  server: RunningPostgres;
  proxy: PostgresProxy;
  database: string;
  role: string;
  /** A session of the administrator, past the proxy. */
  admin(): Promise<pg.Client>;
  /** One that stays open until the fault is over. */
  locking: pg.Client | undefined;
}

export const postgresFaultList: readonly PostgresFault[] = [
  { name: 'kill -9 of the server', times: 20, hurt: kill('SIGKILL'), heal: ({ server }) => server.start() },
  { name: 'immediate shutdown', times: 5, hurt: kill('SIGQUIT'), heal: ({ server }) => server.start() },
  { name: 'fast shutdown', times: 5, hurt: kill('SIGINT'), heal: ({ server }) => server.start() },
  {
    name: '`pg_terminate_backend` of every connection',
    times: 20,
    isMomentary: true,
    hurt: terminate,
    heal: async () => {},
  },
  {
    name: 'TCP reset of every connection',
    times: 20,
    hurt: async ({ proxy }) => proxy.reset(),
    heal: async ({ proxy }) => proxy.heal(),
  },
  {
    name: 'network that swallows packets',
    times: 3,
    hurt: async ({ proxy }) => proxy.goSilent(),
    heal: async ({ proxy }) => proxy.heal(),
  },
  {
    name: 'too many connections',
    times: 3,
    hurt: async (hub) => {
      await ask(hub, `alter role ${hub.role} connection limit 0`);
      await terminate(hub);
    },
    heal: (hub) => ask(hub, `alter role ${hub.role} connection limit -1`),
  },
  {
    name: 'failover to a server that takes no writes',
    times: 3,
    hurt: async (hub) => {
      await ask(hub, `alter database ${hub.database} set default_transaction_read_only = on`);
      await terminate(hub);
    },
    heal: (hub) => ask(hub, `alter database ${hub.database} reset default_transaction_read_only`),
  },
  {
    name: 'locked tables',
    times: 3,
    hurt: async (hub) => {
      hub.locking = await hub.admin();
      await hub.locking.query('begin; lock table agents, mails in access exclusive mode');
    },
    heal: async (hub) => {
      await hub.locking?.end();
    },
  },
  {
    name: 'statements that never end',
    times: 3,
    hurt: (hub) =>
      ask(
        hub,
        `create function stuck() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$;
         create trigger stuck before insert on agents for each row execute function stuck();
         create trigger stuck before insert on mails for each row execute function stuck()`,
      ),
    heal: (hub) => ask(hub, 'set lock_timeout = 20000; drop function stuck() cascade'),
  },
];

export interface FaultResult {
  acknowledged: number;
  lost: number;
  slowestErrorMs: number | undefined;
  backAfterMs: number | undefined;
  errors: number;
}

/**
 * Three callers work with a serving hub, by the API, by /mcp/execute and by MCP, while the fault comes and goes. Throws when the
 * hub ends, or when a reply is no error of the table.
 */
export async function workThroughFault(
  server: RunningPostgres,
  fault: PostgresFault,
  times = fault.times,
): Promise<FaultResult> {
  await using folder = await zooFolder({ isNew: true });
  const { url, role, database } = await makeHubDatabase(server);
  const proxy = await openPostgresProxy(url);
  const adminUrl = `${server.url}/${database}`;
  const admin = async () => {
    const client = new pg.Client({ connectionString: adminUrl, options: '-c default_transaction_read_only=off' });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  await using serving = startZoo(['serve', '--bind', '127.0.0.1:0'], {
    cwd: folder.dir,
    env: { DATABASE_URL: proxy.url },
  });
  try {
    const [, web = ''] = await serving.says(/Web app +(\S+)\n/);
    const owner = { ...(await ownerHeader({ home: join(folder.dir, 'home') })) };
    const { body: member } = await post(`${web}/api/team/members`, { id: 'worker-1', type: 'WORKER' }, owner);
    const token = { authorization: `Bearer ${member.token}` };
    const hub: HurtHub = { server, proxy, database, role, admin, locking: undefined };
    const work = new Work(web, { owner, token, session: await beginSession(web) });
    let backAfterMs = 0;
    for (let round = 0; round < times; round += 1) {
      await work.ackedSince(performance.now());
      await setTimeout(300);
      const hurtAt = performance.now();
      await fault.hurt(hub);
      if (!fault.isMomentary) await Promise.race([work.allFailedSince(hurtAt), setTimeout(12_000)]);
      await fault.heal(hub);
      const healedAt = performance.now();
      backAfterMs = Math.max(backAfterMs, (await work.ackedSince(healedAt)) - healedAt);
      if (serving.process.exitCode !== null) throw new Error(`The hub ended during: ${fault.name}`);
    }
    await work.end();
    const client = await admin();
    const stored = new Set<string>();
    for (const table of ['agents', 'mails'])
      for (const { id } of (await client.query(`select id from ${table}`)).rows) stored.add(String(id));
    await client.end();
    return {
      acknowledged: work.acknowledged.length,
      lost: work.acknowledged.filter((id) => !stored.has(id)).length,
      slowestErrorMs: work.errors === 0 ? undefined : work.slowestErrorMs,
      backAfterMs,
      errors: work.errors,
    };
  } finally {
    await proxy.close();
  }
}

/** Calls, one after another for each surface, and what came of them. */
class Work {
  readonly acknowledged: string[] = [];
  errors = 0;
  slowestErrorMs = 0;
  #isOver = false;
  #failure: unknown;
  readonly #ackedAt = new Map<string, { begun: number; ended: number }>();
  readonly #failedAt = new Map<string, number>();
  readonly #callers: Promise<void>[];

  constructor(web: string, { owner, token, session }: Record<'owner' | 'token' | 'session', Record<string, string>>) {
    this.#callers = [
      this.#repeat('api', async () => {
        const { status, body } = await post(`${web}/api/agents`, { name: `Agent ${crypto.randomUUID()}` }, owner);
        if (status === 201) return { id: String(body.id ?? body.agent?.id) };
        return { error: status === 503 && typeof body.error?.retryable === 'boolean' ? undefined : { status, body } };
      }),
      this.#repeat('execute', async () => {
        const call = {
          agentId: 'worker-1',
          toolName: 'mcp__mail__send',
          input: { toHuman: true, subject: 's', body: 'b' },
        };
        const { status, body } = await post(`${web}/mcp/execute`, call, token);
        if (status === 200) return { id: String(body.data?.mailId) };
        const isTyped = status === 503 && typeof body.error?.details?.retryable === 'boolean';
        return { error: isTyped ? undefined : { status, body } };
      }),
      this.#repeat('mcp', async () => {
        const params = { name: 'sources', arguments: {} };
        const { status, body } = await post(
          `${web}/mcp`,
          { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
          session,
        );
        if (status === 200 && body.result && !body.result.isError) return { id: undefined };
        const { code, retryable } = body.result ? JSON.parse(body.result.content[0].text) : (body.error?.data ?? {});
        const isTyped = ['TRANSIENT_ERROR', 'UNAVAILABLE'].includes(code) && typeof retryable === 'boolean';
        return { error: isTyped ? undefined : { status, body } };
      }),
    ];
  }

  /** When a write was acknowledged that began after `time`. */
  async ackedSince(time: number): Promise<number> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      for (const { begun, ended } of this.#ackedAt.values()) if (begun >= time) return ended;
      await setTimeout(2);
    }
  }

  /** Resolves when both writers met with an error. */
  async allFailedSince(time: number): Promise<void> {
    const hasFailed = (name: string) => (this.#failedAt.get(name) ?? 0) > time;
    while (!this.#isOver && !(hasFailed('api') && hasFailed('execute'))) await setTimeout(5);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#callers);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** `error: undefined` is an error as it should be. */
  async #repeat(name: string, call: () => Promise<{ id: string | undefined } | { error: unknown }>): Promise<void> {
    while (!this.#isOver) {
      const begun = performance.now();
      try {
        const outcome = await call();
        const ended = performance.now();
        if ('error' in outcome) {
          if (outcome.error) throw new Error(`${name} replied ${JSON.stringify(outcome.error)}`);
          this.errors += 1;
          this.#failedAt.set(name, ended);
          this.slowestErrorMs = Math.max(this.slowestErrorMs, ended - begun);
          await setTimeout(5);
        } else if (outcome.id !== undefined) {
          this.acknowledged.push(outcome.id);
          this.#ackedAt.set(name, { begun, ended });
        }
      } catch (error) {
        this.#failure ??= error;
        return;
      }
    }
  }
}

/** An empty database of a user of its own, for whom limits count. */
async function makeHubDatabase(server: RunningPostgres): Promise<{ url: string; role: string; database: string }> {
  const url = new URL(await createDatabase(server.url));
  const database = url.pathname.slice(1);
  const role = `hub_${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`create role ${role} login password 'hub'`);
  await client.query(`alter database ${database} owner to ${role}`);
  await client.end();
  url.username = role;
  url.password = 'hub';
  return { url: url.href, role, database };
}

function kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): PostgresFault['hurt'] {
  return ({ server }) => server.kill(signal);
}

async function terminate(hub: HurtHub): Promise<void> {
  await ask(hub, `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${hub.role}'`);
}

async function ask(hub: HurtHub, statement: string): Promise<void> {
  const client = await hub.admin();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
