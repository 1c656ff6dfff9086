import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Database } from '../db/database.ts';
import type { ServerRow } from '../db/tables-servers.ts';
import type { StoredVault } from '../vault/vault.store.ts';
import { deleteSealed } from '../vault/vault-rows.store.ts';
import type { ServerDefinitionInput } from './server-definition.ts';
import type { ServerMemory, ServerMemoryChange, ServerStore, StoredServer, ToolSetting } from './server-store.ts';
import { deleteMemory, readMemory, writeMemory, writeSetting } from './server-tools.store.ts';

interface ServerParts {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** Asked for only when there is something to seal or to open. */
  vault: () => Promise<StoredVault>;
}

/** Each change first raises `servers`, which lets one writer at a time through on both databases. */
export class StoredServers implements Omit<ServerStore, 'hasServers' | 'watch'> {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #vault: () => Promise<StoredVault>;

  constructor(parts: ServerParts) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
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
      this.#logger.error({ server: row.name }, 'the stored server was changed or damaged; remove it and add it again');
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

  memory(name: string): Promise<ServerMemory> {
    return this.#database.read((db) => readMemory(db, name));
  }

  async remember(name: string, change: ServerMemoryChange): Promise<void> {
    const now = this.#clock.now();
    await this.#database.write((write) => writeMemory(write, name, change, now));
  }

  async setTool(name: string, setting: ToolSetting): Promise<void> {
    await this.#database.write(async (write) => {
      await write.bump('servers');
      await writeSetting(write.db, name, setting);
    });
  }

  async forget(name: string): Promise<void> {
    await this.#database.write(async (write) => {
      await write.bump('servers');
      await deleteMemory(write.db, name);
    });
  }
}

function expectRevision(name: string, before: ServerRow | undefined, expected: number | null): void {
  const current = before?.revision ?? null;
  if (current === expected) return;
  const state =
    expected === null
      ? `There is already a stored server "${name}".`
      : current === null
        ? `The server "${name}" was removed meanwhile.`
        : `The server "${name}" was changed meanwhile: revision ${current} is the newest, not ${expected}.`;
  throw new HubError('CONFLICT', state, { details: { expected, current } });
}

function boundName(name: string): string {
  return `server ${name}`;
}

function toStoredServer(row: ServerRow, text: string): StoredServer {
  // Checked by the schema before it was sealed; whoever connects parses it anyway, for its defaults.
  return { name: row.name, definition: JSON.parse(text), revision: row.revision, updatedAt: row.updated_at };
}
