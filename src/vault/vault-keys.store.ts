import { join } from 'node:path';
import { HubError } from '../base/hub-error.ts';
import { makeKeyFile, readKeyFile } from './vault-key-file.ts';
import type { VaultKeyRow } from './vault-rows.store.ts';
import { type SealingKey, sealingKey, stretchSecret } from './vault-seal.ts';

const fewestCharacters = 16;

export interface VaultKey extends SealingKey {
  readonly origin: VaultKeyRow['origin'];
}

export interface KeyPlace {
  /** AGENT_ZOO_SECRET. */
  secret?: string | undefined;
  /** Where `secret.key` is, and is made when it is needed. */
  dataDir?: string | undefined;
}

/** The keys that this process can have: the one of the secret, the one of the file. */
export class VaultKeys {
  readonly #secret: string;
  readonly #file: string | undefined;
  #ofSecret: Promise<VaultKey> | undefined;
  /** The one that fitted last. */
  #known: VaultKey | undefined;

  constructor(place: KeyPlace) {
    this.#secret = place.secret?.trim() ?? '';
    this.#file = place.dataDir === undefined ? undefined : join(place.dataDir, 'secret.key');
  }

  /** The key that sealed what is there; undefined when this process has another one or none. Throws UNAVAILABLE. */
  async find({ check_value }: VaultKeyRow): Promise<VaultKey | undefined> {
    if (this.#known?.checkValue === check_value) return this.#known;
    const candidates = [await this.#fromSecret(), await this.#fromFile()];
    const found = candidates.find((key) => key?.checkValue === check_value);
    this.#known = found ?? this.#known;
    return found;
  }

  /** For the first thing that is sealed; makes the file when there is no key. Throws UNAVAILABLE. */
  async first(): Promise<VaultKey> {
    const key = (await this.#fromSecret()) ?? (await this.#fromFile());
    if (key) return key;
    if (this.#file !== undefined) return fileKey(await makeKeyFile(this.#file));
    throw new HubError(
      'UNAVAILABLE',
      'There is no key to seal secrets with, and no data folder to keep one in. Set AGENT_ZOO_SECRET.',
      { details: { retryable: false } },
    );
  }

  /** What a person can do when `find` found nothing. */
  async describeMissing(row: VaultKeyRow, place: string): Promise<string> {
    const start = `The secrets in ${place} are sealed with`;
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
    if (secret.length < fewestCharacters) {
      throw new HubError(
        'UNAVAILABLE',
        `AGENT_ZOO_SECRET is too short to seal secrets with: it has ${secret.length} characters, and ${fewestCharacters} are needed.`,
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
