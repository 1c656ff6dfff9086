import { join } from 'node:path';
import { HubError } from './hub-error.ts';
import { keyBytes, makeKeyFile, readKeyFile } from './key-file.ts';
import { once } from './lazy.ts';

/** What a key is for, and the file in the data folder that holds it when AGENT_ZOO_SECRET is not set. */
const files = {
  /** Encrypts stored secrets. */
  vault: ['secret.key'],
  /** Proves who owns the installation. */
  owner: ['owner.key'],
  /** Chains the entries of the decision log. */
  log: ['decision-log', 'key'],
  /** Signs what MCP clients carry from one request to the next. */
  sessions: ['sessions.key'],
  /** Marks the keys of model providers, so that a changed one is noticed. */
  marks: ['marks.key'],
} as const;
export type KeyPurpose = keyof typeof files;

const minCharacters = 16;
/** Fixed, because a secret must yield the same keys on every machine that shares a database. */
const salt = 'agent-zoo vault';
/** About 100 ms and 32 MB, once per process, because a secret chosen by a person can be guessed. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

export interface KeyPlaces {
  /** AGENT_ZOO_SECRET. Machines with the same secret have the same keys. */
  secret?: string | undefined;
  /** The folder of the key files, which are created when they are needed. */
  dataDir?: string | undefined;
}

export type InstallationKeys = ReturnType<typeof installationKeys>;

/**
 * The keys of one installation. Several machines that share a database derive them from one AGENT_ZOO_SECRET; otherwise each key is a
 * file in the data folder, made on first use.
 */
export function installationKeys({ secret: given = '', dataDir }: KeyPlaces) {
  const secret = given.trim();

  const fromSecret = once(async (): Promise<Buffer | undefined> => {
    if (secret === '') return undefined;
    if (secret.length >= minCharacters) return stretch(secret);
    const message = `AGENT_ZOO_SECRET is too short: it has ${secret.length} characters and needs at least ${minCharacters}.`;
    throw new HubError('UNAVAILABLE', message, { details: { retryable: false } });
  });

  function fileOf(purpose: KeyPurpose): string | undefined {
    return dataDir === undefined ? undefined : join(dataDir, ...files[purpose]);
  }

  async function fromFile(purpose: KeyPurpose): Promise<Buffer | undefined> {
    const file = fileOf(purpose);
    return file === undefined ? undefined : readKeyFile(file);
  }

  async function derived(purpose: KeyPurpose): Promise<Buffer | undefined> {
    const master = await fromSecret();
    if (master === undefined) return undefined;
    // The vault derives its own keys from it.
    if (purpose === 'vault') return master;
    const { hkdfSync } = process.getBuiltinModule('node:crypto');
    return Buffer.from(hkdfSync('sha256', master, 'agent-zoo', purpose, keyBytes));
  }

  return {
    hasSecret: secret !== '',
    fileOf,
    /** Returns the key in its file, even if AGENT_ZOO_SECRET is set; undefined if there is none. Throws UNAVAILABLE. */
    fromFile,
    /** Returns the key derived from AGENT_ZOO_SECRET; undefined if that is not set. Throws UNAVAILABLE if it is too short. */
    derived,
    /** Returns the key to use, and creates its file if needed. Throws UNAVAILABLE. */
    async key(purpose: KeyPurpose): Promise<Buffer> {
      const known = (await derived(purpose)) ?? (await fromFile(purpose));
      if (known) return known;
      const file = fileOf(purpose);
      if (file !== undefined) return makeKeyFile(file, ', or set AGENT_ZOO_SECRET');
      const message = 'There is no data folder to keep a key in. Set AGENT_ZOO_SECRET.';
      throw new HubError('UNAVAILABLE', message, { details: { retryable: false } });
    },
  };
}

function stretch(secret: string): Promise<Buffer> {
  const { scrypt } = process.getBuiltinModule('node:crypto');
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(secret, salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  return promise;
}
