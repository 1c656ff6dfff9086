import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { openStore, type StoreAddress } from '../../../src/store/open-store.ts';
import { createDatabase, type RunningPostgres, startPostgres } from './postgres.ts';

/** The databases that a test run prepares once and all test files copy. */
export interface PreparedDatabases {
  /** The path of a file with all tables. */
  sqlite: { template: string };
  /** The server's address, and the name of a database with all tables. */
  postgres: { url: string; template: string };
}

/** Prepares each database on first use. */
export class DatabasePreparer implements AsyncDisposable {
  #postgres: Promise<RunningPostgres> | undefined;
  #postgresTemplate: Promise<string> | undefined;
  #sqlite: Promise<{ folder: string; template: string }> | undefined;

  async sqlite(): Promise<PreparedDatabases['sqlite']> {
    this.#sqlite ??= makeSqliteTemplate();
    const { template } = await this.#sqlite;
    return { template };
  }

  async postgres(): Promise<PreparedDatabases['postgres']> {
    // These tests do not check whether data survives a crash of the machine.
    this.#postgres ??= startPostgres({ isDurable: false });
    const { url } = await this.#postgres;
    this.#postgresTemplate ??= makePostgresTemplate(url);
    return { url, template: await this.#postgresTemplate };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sqlite = await this.#sqlite?.catch(() => undefined);
    if (sqlite) await rm(sqlite.folder, { recursive: true, force: true });
    await this.#postgresTemplate?.catch(() => undefined);
    const postgres = await this.#postgres?.catch(() => undefined);
    await postgres?.stop();
  }
}

async function makeSqliteTemplate(): Promise<{ folder: string; template: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-template-'));
  const template = join(folder, 'zoo.db');
  await makeTables({ path: template });
  return { folder, template };
}

async function makePostgresTemplate(server: string): Promise<string> {
  const url = await createDatabase(server);
  await makeTables({ url });
  return new URL(url).pathname.slice(1);
}

async function makeTables(db: StoreAddress): Promise<void> {
  const store = await openStore({ db, clock: systemClock, logger: silentLogger });
  await store.close();
}
