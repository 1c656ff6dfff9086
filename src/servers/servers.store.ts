import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type { StoredVault } from '../vault/vault.store.ts';
import { deleteSealed } from '../vault/vault-rows.store.ts';
import { addPendingSignIn, takePendingSignIn } from './pending-sign-ins.store.ts';
import type { ServerDefinitionInput } from './server-definition.ts';
import { deleteMemory, readMemory, touchList, writeMemory, writeSetting } from './server-memory.store.ts';
import {
  memoryKey,
  type ServerMemory,
  type ServerStore,
  type ServerSwitch,
  type StoredServer,
  type ToolSetting,
} from './server-store.ts';

interface ServerParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
  /** Opened only when there is something to encrypt or decrypt. */
  vault: () => Promise<StoredVault>;
}

/** Each change first raises the `servers` counter, which admits one writer at a time on both databases. */
export class StoredServers implements Omit<ServerStore, 'hasServers' | 'watch'> {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #leases: Leases;
  readonly #vault: () => Promise<StoredVault>;

  constructor(parts: ServerParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
    this.#leases = parts.leases;
    this.#vault = parts.vault;
  }

  async servers(): Promise<StoredServer[]> {
    const rows = await this.#database.read((db) => db.selectFrom('servers').selectAll().orderBy('name').execute());
    if (rows.length === 0) return [];
    const key = await (await this.#vault()).unlock();
    return rows.flatMap((row) => {
      const text = key.open(boundName(row.name), row.definition);
      if (text !== undefined) return [toStoredServer(row, text)];
      // One damaged row must not hide the others.
      this.#logger.error(
        { server: row.name },
        'the stored server is damaged or was tampered with; remove it and add it again',
      );
      return [];
    });
  }

  async save(name: string, definition: ServerDefinitionInput, revision: number | null): Promise<StoredServer> {
    const text = JSON.stringify(definition);
    const vault = await this.#vault();
    return vault.keep(boundName(name), text, async (write, sealed) => {
      const changeNumber = await write.bump('servers');
      const before = await write.db.selectFrom('servers').selectAll().where('name', '=', name).executeTakeFirst();
      expectRevision(name, before, revision);
      const changes = { definition: sealed, revision: changeNumber, updated_at: this.#clock.now() };
      await write.db
        .insertInto('servers')
        .values({ name, ...changes })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(changes))
        .execute();
      return toStoredServer({ name, ...changes }, text);
    });
  }

  async remove(name: string): Promise<void> {
    await this.#database.write((write) =>
      deleteSealed(write, async () => {
        await write.bump('servers');
        const { numDeletedRows } = await write.db.deleteFrom('servers').where('name', '=', name).executeTakeFirst();
        if (numDeletedRows === 0n) throw new HubError('NOT_FOUND', `There is no stored server "${name}".`);
        await deleteMemory(write.db, name);
      }),
    );
  }

  async memory(name: string): Promise<ServerMemory> {
    const memory = await this.#database.read((db) => readMemory(db, name));
    if (memory.replicas.length === 0) return memory;
    const silent = await this.#leases.silent(memory.replicas.map(({ holder }) => holder));
    return { ...memory, replicas: memory.replicas.map((each) => ({ ...each, isSilent: silent.has(each.holder) })) };
  }

  async change(name: string, decide: (memory: ServerMemory) => ServerMemory | undefined): Promise<void> {
    const seen = await this.memory(name);
    const wanted = decide(seen);
    if (!wanted) return;
    const { listedAt } = wanted;
    if (listedAt !== null && memoryKey(wanted) === memoryKey(seen))
      return this.#database.write((write) => touchList(write, name, listedAt), { isDurable: false });
    await this.#database.write(async (write) => {
      await write.bump('servers');
      // Read again: another writer may have come first.
      const before = await readMemory(write.db, name);
      const gone = await this.#leases.gone(
        before.replicas.map(({ holder }) => holder),
        write.db,
      );
      const current = { ...before, replicas: before.replicas.filter(({ holder }) => !gone.has(holder)) };
      const after = decide(current);
      if (!after) return;
      const { holder } = this.#leases;
      if (after.replicas.some((replica) => replica.holder === holder)) await this.#leases.enter(write.db);
      await writeMemory(write, name, { before, after });
    });
  }

  async setTool(name: string, setting: ToolSetting): Promise<void> {
    await this.#database.write(async (write) => {
      await write.bump('servers');
      await writeSetting(write.db, name, setting);
    });
  }

  async switch(name: string, wish: ServerSwitch['wish'], process: string): Promise<void> {
    await this.#database.write(async (write) => {
      const row = { wish, process, number: await write.bump('servers') };
      await write.db
        .insertInto('server_switches')
        .values({ server: name, ...row })
        .onConflict((conflict) => conflict.column('server').doUpdateSet(row))
        .execute();
    });
  }

  async forget(name: string): Promise<void> {
    await this.#database.write(async (write) => {
      await write.bump('servers');
      await deleteMemory(write.db, name);
    });
  }

  addSignIn(stateHash: string, sealed: string): Promise<void> {
    return addPendingSignIn({ database: this.#database, clock: this.#clock }, stateHash, sealed);
  }

  takeSignIn(stateHash: string): Promise<string | undefined> {
    return takePendingSignIn({ database: this.#database, clock: this.#clock }, stateHash);
  }
}

function expectRevision(name: string, before: ServerRow | undefined, expected: number | null): void {
  const current = before?.revision ?? null;
  if (current === expected) return;
  const state =
    expected === null
      ? `A stored server named "${name}" already exists.`
      : current === null
        ? `The server "${name}" has been removed.`
        : `The server "${name}" has changed: its newest revision is ${current}, not ${expected}. Reload it and try again.`;
  throw new HubError('CONFLICT', state, { details: { expected, current } });
}

function boundName(name: string): string {
  return `server ${name}`;
}

function toStoredServer(row: ServerRow, text: string): StoredServer {
  // The schema checked it before it was encrypted. Connecting parses it again, for the defaults.
  return { name: row.name, definition: JSON.parse(text), revision: row.revision, updatedAt: row.updated_at };
}

declare module '../db/tables.ts' {
  interface Tables {
    servers: ServerRow;
  }
}

interface ServerRow {
  name: string;
  /** The value of the `servers` counter at its last save, so that no number is used twice, even if the name was free in between. */
  revision: number;
  updated_at: number;
  /** Sealed JSON. */
  definition: string;
}
