import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { silentLogger } from '../src/base/logger.ts';
import type { Database } from '../src/db/database.ts';
import { openDatabase, type StoreAddress } from '../src/store/open-store.ts';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { freePort } from '../test/support/servers/free-port.ts';

const changes = Number(process.env.ZOO_PROOF_CHANGES ?? 300);
const token = 'token-of-the-proof';
const programNames = ['pgbouncer', 'nats-server'] as const;
type Program = (typeof programNames)[number];
/** Programs, separated by commas, whose setups are left out on purpose. */
const skipped = new Set((process.env.ZOO_PROOF_SKIP ?? '').split(','));

interface Setup {
  name: string;
  needs: readonly Program[];
  /** How changes must arrive. */
  way: 'listen' | 'nats' | 'poll';
  maxMs: number;
  db(places: Places): StoreAddress;
}

interface Places {
  direct: string;
  session: string;
  transaction: string;
  nats: string;
}

const setups: readonly Setup[] = [
  { name: 'PostgreSQL', needs: [], way: 'listen', maxMs: 1_000, db: ({ direct }) => ({ url: direct }) },
  {
    name: 'PostgreSQL, notices over NATS',
    needs: ['nats-server'],
    way: 'nats',
    maxMs: 1_000,
    db: ({ direct, nats }) => ({ url: direct, bus_url: nats }),
  },
  {
    name: 'PgBouncer in session mode',
    needs: ['pgbouncer'],
    way: 'listen',
    maxMs: 1_000,
    db: ({ session }) => ({ url: session }),
  },
  {
    name: 'PgBouncer in transaction mode',
    needs: ['pgbouncer'],
    way: 'poll',
    maxMs: 2_500,
    db: ({ transaction }) => ({ url: transaction }),
  },
  {
    name: 'the same, with `listen_url`',
    needs: ['pgbouncer'],
    way: 'listen',
    maxMs: 1_000,
    db: ({ transaction, direct }) => ({ url: transaction, listen_url: direct }),
  },
  {
    name: 'the same, notices over NATS',
    needs: ['pgbouncer', 'nats-server'],
    way: 'nats',
    maxMs: 1_000,
    db: ({ transaction, nats }) => ({ url: transaction, bus_url: nats }),
  },
];

/**
 * Two processes' worth of connections share a database in each setup. True when every change arrived, in time and in the expected way,
 * in every setup that was not skipped on purpose.
 */
export async function proveBus(): Promise<boolean> {
  const installed = programNames.filter((program) => !skipped.has(program) && !spawnSync(program, ['--version']).error);
  const server = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'zoo-proof-'));
  const programs: ChildProcess[] = [];
  let holds = true;
  try {
    const direct = await createDatabase(server.url);
    const places = {
      direct,
      session: await pooler('session', direct),
      transaction: await pooler('transaction', direct),
      nats: await natsServer(),
    };
    print('| setup | arrives by | changes | missed | median | slowest |');
    print('| --- | --- | --- | --- | --- | --- |');
    for (const setup of setups) {
      const missing = setup.needs.filter((program) => !installed.includes(program));
      if (missing.length === 0) holds = (await prove(setup, setup.db(places))) && holds;
      else print(`| ${setup.name} | not run without ${missing.join(' and ')} | – | – | – | – |`);
    }
    const lacking = programNames.filter((program) => !skipped.has(program) && !installed.includes(program));
    if (lacking.length > 0) {
      holds = false;
      print(`Install ${lacking.join(' and ')}, or leave these setups out: ZOO_PROOF_SKIP=${lacking.join(',')}`);
    }
  } finally {
    await Promise.all(programs.map(stop));
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return holds;

  async function pooler(mode: 'session' | 'transaction', target: string): Promise<string> {
    if (!installed.includes('pgbouncer')) return '';
    const { hostname, port: serverPort, username, password, pathname } = new URL(target);
    const port = await freePort();
    const file = join(folder, `${mode}.ini`);
    const config = `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 20`;
    await writeFile(file, config);
    await Promise.all([chmod(folder, 0o755), chmod(file, 0o644)]);
    // It refuses to run as root.
    const asOther = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    await start('pgbouncer', ['-q', ...asOther, file], port);
    return `postgres://zoo@127.0.0.1:${port}${pathname}`;
  }

  async function natsServer(): Promise<string> {
    if (!installed.includes('nats-server')) return '';
    const port = await freePort();
    await start('nats-server', ['-a', '127.0.0.1', '-p', String(port), '--auth', token], port);
    return `nats://${token}@127.0.0.1:${port}`;
  }

  async function start(program: string, args: readonly string[], port: number): Promise<void> {
    programs.push(spawn(program, args, { stdio: 'ignore' }));
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const socket = connect(port, '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isOpen) return;
      await setTimeout(50);
    }
    throw new Error(`${program} does not listen on port ${port}.`);
  }
}

async function prove({ name, way, maxMs }: Setup, db: StoreAddress): Promise<boolean> {
  const [writer, reader] = [await openDatabase(db, silentLogger), await openDatabase(db, silentLogger)];
  try {
    for (const each of [writer, reader]) await each.changes.arrival?.check();
    const delays = await measure(writer, reader);
    await runStatements(reader);
    const found = reader.changes.arrival?.way ?? 'none';
    const sorted = delays.toSorted((one, other) => one - other);
    const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    const missed = changes - delays.length;
    print(`| ${name} | ${found} | ${changes} | ${missed} | ${Math.round(median)} ms | ${Math.round(slowest)} ms |`);
    return found === way && missed === 0 && slowest <= maxMs;
  } finally {
    await Promise.all([writer.close(), reader.close()]);
  }
}

/** Returns how long each change took to arrive, in milliseconds. */
async function measure(writer: Database, reader: Database): Promise<number[]> {
  const sentAt = new Map<string, number>();
  const delays: number[] = [];
  reader.changes.on(({ topic, ids }) => {
    if (topic !== 'members') return;
    for (const id of ids) {
      const at = sentAt.get(id);
      if (at !== undefined) delays.push(performance.now() - at);
      sentAt.delete(id);
    }
  });
  for (let number = 0; number < changes; number += 1) {
    const id = `member-${number}`;
    await writer.write(async ({ changed }) => changed('members', id));
    sentAt.set(id, performance.now());
    await setTimeout(10);
  }
  for (let wait = 0; wait < 50 && delays.length < changes; wait += 1) await setTimeout(100);
  return delays;
}

/** Throws if a statement that is prepared elsewhere, or a value of another caller, gets in the way. */
async function runStatements(database: Database): Promise<void> {
  const values = Array.from({ length: 200 }, (_, value) => value);
  const replies = await Promise.all(
    values.map((value) =>
      database.select<{ value: number }>({ name: 'proof', text: 'select $1::int as value', values: [value] }),
    ),
  );
  if (replies.some(([row], index) => row?.value !== index)) throw new Error('A statement returned a wrong value.');
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  program.kill('SIGTERM');
  await once(program, 'exit');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
