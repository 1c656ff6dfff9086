import type { Clock } from '../base/clock.ts';
import { lazy, once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import type { ChatStore } from '../chats/chat-store.ts';
import { onTopics } from '../db/change-bus.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import type { StoredRunHistory } from '../runs/runs.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { Vault } from '../vault/vault.ts';

interface LazyOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
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
  const { database } = options;
  const vault = once(async () => new (await import('../vault/vault.store.ts')).StoredVault(options));
  const servers = async () => new (await import('../servers/servers.store.ts')).StoredServers({ ...options, vault });
  const runs = async () => new (await import('../runs/runs.store.ts')).StoredRuns(options);
  const chats = async () => new (await import('../chats/chats.store.ts')).StoredChats(options);
  return {
    vault: lazy(vault),
    servers: lazy(once(servers), {
      hasServers: () => hasServers(database),
      watch: (onChange: () => void) => onTopics(database.changes, ['servers'], onChange),
    }),
    runs: lazy(once(runs)),
    chats: lazy(once(chats), { watch: (onChange: () => void) => onTopics(database.changes, ['chats'], onChange) }),
  };
}

/** Asked when a hub starts: where no server was ever saved, a counter that is known at once tells it. */
async function hasServers(database: Database): Promise<boolean> {
  if (database.changes.version('servers') === 0) return false;
  const row = await database.read((db) => db.selectFrom('servers').select('name').limit(1).executeTakeFirst());
  return row !== undefined;
}
