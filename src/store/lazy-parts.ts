import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Vault } from '../base/vault.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { CounterChanges } from './counter-changes.ts';
import type { Database } from './database.ts';

interface LazyOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** AGENT_ZOO_SECRET. */
  secret?: string | undefined;
  dataDir?: string | undefined;
}

interface LazyParts {
  servers: ServerStore;
  vault: Vault;
}

/** What many hubs never use, loaded with the first question to it: a process that injects agents starts without it. */
export function lazyParts(options: LazyOptions): LazyParts {
  const vault = once(async () => new (await import('./vault.ts')).StoredVault(options));
  const servers = once(async () => new (await import('./servers.ts')).StoredServers({ ...options, vault }));
  const changes = new CounterChanges({ ...options, keys: ['servers'], what: 'external servers' });
  return {
    vault: {
      get: async (name) => (await vault()).get(name),
      set: async (name, value) => (await vault()).set(name, value),
      names: async (prefix) => (await vault()).names(prefix),
      seal: async (text, name) => (await vault()).seal(text, name),
      open: async (sealed, name) => (await vault()).open(sealed, name),
    },
    servers: {
      hasServers: () => hasServers(options.database),
      servers: async () => (await servers()).servers(),
      save: async (name, definition, revision) => (await servers()).save(name, definition, revision),
      remove: async (name) => (await servers()).remove(name),
      memory: async (name) => (await servers()).memory(name),
      remember: async (name, change) => (await servers()).remember(name, change),
      setTool: async (name, setting) => (await servers()).setTool(name, setting),
      forget: async (name) => (await servers()).forget(name),
      watch: (onChange) => changes.watch(() => onChange()),
    },
  };
}

/** Asked when a hub starts: where no server was ever saved, a counter that is known at once tells it. */
async function hasServers(database: Database): Promise<boolean> {
  if (database.revision('servers') === 0) return false;
  const row = await database.read((db) => db.selectFrom('servers').select('name').limit(1).executeTakeFirst());
  return row !== undefined;
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load();
    return loading;
  };
}
