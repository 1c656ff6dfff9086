import type { CredentialStore } from '../../servers/supervise/server-connection.ts';

/** Keeps credentials in memory. */
export function memoryCredentials(): CredentialStore {
  const values = new Map<string, string>();
  return {
    load: async (key) => values.get(key),
    save: async (key, value) => {
      if (value === null) values.delete(key);
      else values.set(key, value);
    },
  };
}
