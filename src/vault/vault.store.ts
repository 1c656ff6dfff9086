import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { InstallationKeys } from '../base/installation-keys.ts';
import type { Database, Write } from '../db/database.ts';
import type { Vault } from './vault.ts';
import { type VaultKey, VaultKeys } from './vault-keys.store.ts';
import { claimKey, deleteSealed, type VaultKeyRow } from './vault-rows.store.ts';

interface VaultParts {
  database: Database;
  clock: Clock;
  installationKeys: InstallationKeys;
}

/** The vault in the database. Loaded when something is first sealed or opened. */
export class StoredVault implements Vault {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #keys: VaultKeys;

  constructor({ database, clock, installationKeys }: VaultParts) {
    this.#database = database;
    this.#clock = clock;
    this.#keys = new VaultKeys(installationKeys);
  }

  async get(name: string): Promise<string | undefined> {
    // Prepared, because every model request begins with it.
    const text = `select sealed from vault_secrets where name = ${this.#database.dialect.prepared.parameter(1)}`;
    const [row] = await this.#database.select<{ sealed: string }>({ name: 'vault-secret', text, values: [name] });
    return row && this.open(row.sealed, boundName(name));
  }

  async set(name: string, value: string | null): Promise<void> {
    if (value === null) {
      await this.#database.write((write) =>
        deleteSealed(write, () => write.db.deleteFrom('vault_secrets').where('name', '=', name).execute()),
      );
      return;
    }
    await this.keep(boundName(name), value, async ({ db }, sealed) => {
      const row = { sealed, updated_at: this.#clock.now() };
      await db
        .insertInto('vault_secrets')
        .values({ name, ...row })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
        .execute();
    });
  }

  async names(prefix: string): Promise<{ name: string; updatedAt: number }[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('vault_secrets').select(['name', 'updated_at']).orderBy('name').execute(),
    );
    return rows
      .filter((row) => row.name.startsWith(prefix))
      .map((row) => ({ name: row.name, updatedAt: row.updated_at }));
  }

  async seal(text: string, name: string): Promise<string> {
    return (await this.#keyToSeal()).seal(name, text);
  }

  async open(sealed: string, name: string): Promise<string> {
    const text = (await this.unlock()).open(name, sealed);
    if (text !== undefined) return text;
    throw new HubError(
      'UNAVAILABLE',
      `The sealed value "${name}" in ${this.#database.location} was changed or damaged. Enter it again.`,
      { details: { retryable: false } },
    );
  }

  /** Writes a sealed text in one transaction, and makes sure that the key is the one that sealed all others. */
  async keep<T>(name: string, text: string, store: (write: Write, sealed: string) => Promise<T>): Promise<T> {
    const key = await this.#keyToSeal();
    const sealed = key.seal(name, text);
    return this.#database.write(async (write) => {
      const row = await claimKey(write, rowOf(key));
      if (row.check_value !== key.checkValue) throw await this.#missing(row);
      return store(write, sealed);
    });
  }

  /** Returns the key that sealed the stored values. Throws UNAVAILABLE. */
  async unlock(): Promise<VaultKey> {
    const row = await this.#keyRow();
    if (!row)
      throw new HubError(
        'UNAVAILABLE',
        `The database ${this.#database.location} no longer records which key sealed its secrets. Enter them again.`,
        { details: { retryable: false } },
      );
    return this.#find(row);
  }

  async #keyToSeal(): Promise<VaultKey> {
    const row = await this.#keyRow();
    if (row) return this.#find(row);
    const first = await this.#keys.first();
    // Another process may have stored its own key first.
    return this.#find(await this.#database.write((write) => claimKey(write, rowOf(first))));
  }

  #keyRow(): Promise<VaultKeyRow | undefined> {
    return this.#database.read((db) => db.selectFrom('vault_keys').selectAll().executeTakeFirst());
  }

  async #find(row: VaultKeyRow): Promise<VaultKey> {
    const key = await this.#keys.find(row);
    if (!key) throw await this.#missing(row);
    return key;
  }

  async #missing(row: VaultKeyRow): Promise<HubError> {
    const { location } = this.#database;
    return new HubError('UNAVAILABLE', await this.#keys.describeMissing(row, location), {
      details: { place: location, retryable: false },
    });
  }
}

function boundName(name: string): string {
  return `secret ${name}`;
}

function rowOf({ origin, checkValue }: VaultKey): Omit<VaultKeyRow, 'id'> {
  return { origin, check_value: checkValue };
}
