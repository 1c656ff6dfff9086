import { join } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { makeKeyFile, readKeyFile } from '../base/key-file.ts';
import type { VaultKeyRow } from './vault-rows.store.ts';
import { type SealingKey, sealingKey, stretchSecret } from './vault-seal.ts';

const minCharacters = 16;

export interface VaultKey extends SealingKey {
  readonly origin: VaultKeyRow['origin'];
}

export interface KeyOptions {
  /** AGENT_ZOO_SECRET. */
  secret?: string | undefined;
  /** The folder of `secret.key`, which is created when it is needed. */
  dataDir?: string | undefined;
}

/** The keys available to this process: from AGENT_ZOO_SECRET and from the key file. */
export class VaultKeys {
  readonly #secret: string;
  readonly #file: string | undefined;
  #ofSecret: Promise<VaultKey> | undefined;
  /** The key that matched last. */
  #known: VaultKey | undefined;

  constructor(options: KeyOptions) {
    this.#secret = options.secret?.trim() ?? '';
    this.#file = options.dataDir === undefined ? undefined : join(options.dataDir, 'secret.key');
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
    const key = (await this.#fromSecret()) ?? (await this.#fromFile());
    if (key) return key;
    if (this.#file !== undefined) return fileKey(await makeKeyFile(this.#file, ', or set AGENT_ZOO_SECRET'));
    throw new HubError(
      'UNAVAILABLE',
      'There is no key to seal secrets with, and no data folder to keep one in. Set AGENT_ZOO_SECRET.',
      { details: { retryable: false } },
    );
  }

  /** Describes what to do when `find` returned nothing. */
  async describeMissing(row: VaultKeyRow, location: string): Promise<string> {
    const start = `The secrets in ${location} are sealed with`;
    const orAgain = 'or delete the stored servers and keys and enter them again';
    if (row.origin === 'secret') {
      const state = this.#secret === '' ? 'AGENT_ZOO_SECRET, which is not set' : 'another AGENT_ZOO_SECRET';
      return `${start} ${state}. Set the value with which they were saved, ${orAgain}.`;
    }
    const file = this.#file ?? 'secret.key in the data folder';
    const state = this.#file !== undefined && (await this.#fromFile()) ? 'holds another key' : 'is not there';
    return `${start} the file secret.key of the machine that saved them, and here ${file} ${state}. Copy the file from there, ${orAgain}. Several machines that share a database need one AGENT_ZOO_SECRET, the same on all of them.`;
  }

  async #fromSecret(): Promise<VaultKey | undefined> {
    const secret = this.#secret;
    if (secret === '') return undefined;
    if (secret.length < minCharacters) {
      throw new HubError(
        'UNAVAILABLE',
        `AGENT_ZOO_SECRET is too short to seal secrets with: it has ${secret.length} characters, and ${minCharacters} are needed.`,
        { details: { retryable: false } },
      );
    }
    this.#ofSecret ??= stretchSecret(secret).then((master) => ({ ...sealingKey(master), origin: 'secret' }));
    return this.#ofSecret;
  }

  async #fromFile(): Promise<VaultKey | undefined> {
    const master = this.#file === undefined ? undefined : await readKeyFile(this.#file);
    return master && fileKey(master);
  }
}

function fileKey(master: Buffer): VaultKey {
  return { ...sealingKey(master), origin: 'file' };
}
