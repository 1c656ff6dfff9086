import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Vault } from '../base/vault.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { Redact } from '../tools/redact.ts';
import { CounterChanges } from './counter-changes.ts';
import type { Database } from './database.ts';
import type { StoredRunHistory } from './store.ts';

interface LazyOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  redact?: Redact | undefined;
  /** AGENT_ZOO_SECRET. */
  secret?: string | undefined;
  dataDir?: string | undefined;
}

interface LazyParts {
  servers: ServerStore;
  vault: Vault;
  runs: StoredRunHistory;
}

/** What many hubs never use, loaded with the first question to it: a process that injects agents starts without it. */
export function lazyParts(options: LazyOptions): LazyParts {
  const vault = once(async () => new (await import('./vault.ts')).StoredVault(options));
  const servers = once(async () => new (await import('./servers.ts')).StoredServers({ ...options, vault }));
  const runs = once(async () => new (await import('./runs.ts')).StoredRuns(options));
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
    runs: {
      begin: async (run) => (await runs()).begin(run),
      save: async (id, progress) => (await runs()).save(id, progress),
      finish: async (id, end) => (await runs()).finish(id, end),
      list: async (query) => (await runs()).list(query),
      get: async (id) => (await runs()).get(id),
      prune: async (before) => (await runs()).prune(before),
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
