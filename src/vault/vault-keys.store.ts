import type { InstallationKeys } from '../base/installation-keys.ts';
import type { VaultKeyRow } from './vault-rows.store.ts';
import { type SealingKey, sealingKey } from './vault-seal.ts';

export interface VaultKey extends SealingKey {
  readonly origin: VaultKeyRow['origin'];
}

/** The keys available to this process: from AGENT_ZOO_SECRET and from the key file. */
export class VaultKeys {
  readonly #keys: InstallationKeys;
  #ofSecret: Promise<VaultKey | undefined> | undefined;
  /** The key that matched last. */
  #known: VaultKey | undefined;

  constructor(keys: InstallationKeys) {
    this.#keys = keys;
  }

  /** Returns the key that sealed the stored values; undefined if this process does not have it. Throws UNAVAILABLE. */
  async find({ check_value }: VaultKeyRow): Promise<VaultKey | undefined> {
    if (this.#known?.checkValue === check_value) return this.#known;
    const candidates = [await this.#fromSecret(), await this.#fromFile()];
    const found = candidates.find((key) => key?.checkValue === check_value);
    this.#known = found ?? this.#known;
    return found;
  }

  /** Returns the key for the first sealed value. Creates the key file if there is no key. Throws UNAVAILABLE. */
  async first(): Promise<VaultKey> {
    return (await this.#fromSecret()) ?? toKey(await this.#keys.key('vault'), 'file');
  }

  /** Describes what to do when `find` returned nothing. */
  async describeMissing(row: VaultKeyRow, location: string): Promise<string> {
    const start = `The secrets in ${location} are sealed with`;
    const orAgain = 'or delete the stored servers and keys and enter them again';
    if (row.origin === 'secret') {
      const state = this.#keys.hasSecret ? 'another AGENT_ZOO_SECRET' : 'AGENT_ZOO_SECRET, which is not set';
      return `${start} ${state}. Set the value with which they were saved, ${orAgain}.`;
    }
    const file = this.#keys.fileOf('vault') ?? 'secret.key in the data folder';
    const state = (await this.#fromFile()) ? 'holds another key' : 'is not there';
    return `${start} the file secret.key of the machine that saved them, and here ${file} ${state}. Copy the file from there, ${orAgain}. Several machines that share a database need one AGENT_ZOO_SECRET, the same on all of them.`;
  }

  #fromSecret(): Promise<VaultKey | undefined> {
    this.#ofSecret ??= this.#keys.derived('vault').then((master) => master && toKey(master, 'secret'));
    return this.#ofSecret;
  }

  async #fromFile(): Promise<VaultKey | undefined> {
    const master = await this.#keys.fromFile('vault');
    return master && toKey(master, 'file');
  }
}

function toKey(master: Buffer, origin: VaultKey['origin']): VaultKey {
  return { ...sealingKey(master), origin };
}
