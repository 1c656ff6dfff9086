import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Vault } from '../base/vault.ts';
import type { ChatStore } from '../chats/chat-store.ts';
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
  chats: ChatStore;
}

/** What many hubs never use, loaded with the first question to it: a process that injects agents starts without it. */
export function lazyParts(options: LazyOptions): LazyParts {
  const vault = once(async () => new (await import('./vault.ts')).StoredVault(options));
  const servers = once(async () => new (await import('./servers.ts')).StoredServers({ ...options, vault }));
  const runs = once(async () => new (await import('./runs.ts')).StoredRuns(options));
  const chats = once(async () => new (await import('./chats.ts')).StoredChats(options));
  const chatChanges = new CounterChanges({ ...options, keys: ['chats'], what: 'chats' });
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
    chats: {
      create: async (chat) => (await chats()).create(chat),
      get: async (id) => (await chats()).get(id),
      list: async (query) => (await chats()).list(query),
      rename: async (id, title) => (await chats()).rename(id, title),
      switchTo: async (id, change) => (await chats()).switchTo(id, change),
      remove: async (id) => (await chats()).remove(id),
      prune: async (before, options) => (await chats()).prune(before, options),
      begin: async (id, start) => (await chats()).begin(id, start),
      append: async (id, progress) => (await chats()).append(id, progress),
      finish: async (id, end) => (await chats()).finish(id, end),
      events: async (id, options) => (await chats()).events(id, options),
      messages: async (id) => (await chats()).messages(id),
      lastMessage: async (id) => (await chats()).lastMessage(id),
      renew: async (holder, runIds, leaseMs) => (await chats()).renew(holder, runIds, leaseMs),
      requestStop: async (id, runId) => (await chats()).requestStop(id, runId),
      approve: async (id, toolUseId, answer) => (await chats()).approve(id, toolUseId, answer),
      requests: async (holder) => (await chats()).requests(holder),
      watch: (onChange) => chatChanges.watch(() => onChange()),
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
