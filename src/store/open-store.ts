import { StoredGrants } from '../agents/agent-grants.store.ts';
import { offerStore } from '../agents/agent-zoo-offer.store.ts';
import { StoredAgents } from '../agents/agents.store.ts';
import { workspaceStore } from '../agents/workspaces.store.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import { holderId } from '../base/holder.ts';
import { type InstallationKeys, installationKeys } from '../base/installation-keys.ts';
import { lazy, once } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { StoredBrain } from '../brain/brain.store.ts';
import { accessKeyStore } from '../callers/access-keys.store.ts';
import type { ChatGrantStore } from '../chats/chat-grants.ts';
import type { ChatStore } from '../chats/chat-store.ts';
import { onTopics } from '../db/change-bus.ts';
import type { Database } from '../db/database.ts';
import { Leases } from '../db/leases.ts';
import type { ReadyCheck } from '../db/readiness.ts';
import { openSqlite } from '../db/sqlite/open-sqlite.ts';
import { StoredDecisions } from '../decisions/decisions.store.ts';
import { dismissalStore } from '../inbox/dismissals.store.ts';
import { StoredKnowledge } from '../knowledge/store/knowledge.store.ts';
import { StoredClients } from '../mcp-server/clients/mcp-clients.store.ts';
import type { McpSessionStore } from '../mcp-server/sessions/session-store.ts';
import type { StoredRunHistory } from '../runs/runs.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { StoredSettings } from '../settings/settings.store.ts';
import { openTeam } from '../team/team.store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { usageStore } from '../usage/usage.store.ts';
import type { Vault } from '../vault/vault.ts';
import type { Store } from './store.ts';

export interface StoreAddress {
  /** A SQLite file, or `:memory:`. Missing folders are created. */
  path?: string | undefined;
  /** A PostgreSQL database; takes precedence over `path`. */
  url?: string | undefined;
  /** The other keys of `[db]`, as in the config. */
  listen_url?: string | undefined;
  bus_url?: string | undefined;
  max_connections?: number | undefined;
  prepare?: boolean | undefined;
}

export interface OpenStoreOptions {
  db: StoreAddress;
  /** Default: the clock that all processes share. */
  clock?: Clock | undefined;
  /** The clock of this machine, for a database that has none. */
  machineClock?: Clock | undefined;
  logger: Logger;
  /** Removes secrets from the entries of the decision log. */
  redact?: Redact | undefined;
  /** AGENT_ZOO_SECRET, from which all keys are derived. Without it, they are files in `dataDir`. */
  secret?: string | undefined;
  /** The folder for the hub's own data; created when it is needed. */
  dataDir?: string | undefined;
  /** The name under which this process holds leases. Tests set it to simulate another machine. */
  holder?: string | undefined;
}

/** Opens the database and brings its tables up to date. Throws INVALID_CONFIG, UNAVAILABLE, TRANSIENT_ERROR. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { logger, redact, secret, dataDir, holder } = options;
  const keys = installationKeys({ secret, dataDir });
  const database = await openDatabase(options.db, logger);
  const clock = options.clock ?? sharedClock(database, options.machineClock);
  const leases = new Leases({ database, clock, logger, holder });
  const proofFolder = isInMemory(options.db) ? undefined : dataDir;
  const decisions = new StoredDecisions({
    database,
    clock,
    logger,
    redact,
    leases,
    installationKeys: keys,
    dataDir: proofFolder,
  });
  return {
    kind: database.kind,
    location: database.location,
    clock,
    get holder() {
      return leases.holder;
    },
    changes: database.changes,
    installationKeys: keys,
    keys: accessKeyStore(database),
    agents: new StoredAgents({ database, clock, logger, redact }),
    grants: new StoredGrants({ database, clock }),
    offers: offerStore(database),
    workspaces: workspaceStore({ database, clock }),
    brain: new StoredBrain({ database, clock, redact }),
    decisions,
    knowledge: new StoredKnowledge({ database, clock, logger, leases }),
    team: openTeam({ database, leases }),
    clients: new StoredClients({ database, clock, logger }),
    dismissals: dismissalStore({ database, clock }),
    settings: new StoredSettings({ database, clock, logger }),
    usage: usageStore(database),
    ...lazyParts({ database, clock, logger, redact, installationKeys: keys, leases }),
    ...storeHealth(database, dataDir, logger),
    async close() {
      try {
        await decisions.close();
      } finally {
        await leases.close();
        await database.close();
      }
    },
  };
}

/** Returns the clock of the database, so that what one process stores after another also sorts after it. */
function sharedClock({ clock }: Database, machine = systemClock): Clock {
  return clock ? { ...machine, now: () => clock.now() ?? machine.now() } : machine;
}

/** A database in memory ends with its process, so there is nothing to prove later. */
function isInMemory({ url, path = ':memory:' }: StoreAddress): boolean {
  return url === undefined && path === ':memory:';
}

type StoreHealth = Pick<Store, 'problems' | 'watchProblems' | 'readiness'>;

function storeHealth(database: Database, dataDir: string | undefined, logger: Logger): StoreHealth {
  const { health, location } = database;
  const { arrival } = database.changes;
  const changes = new EventChannel<void>((error) => logger.error({ err: error }, 'a listener of the storage failed'));
  let warnings: string[] = [];
  let failed: readonly ReadyCheck[] = [];
  let logged = '';
  let checking: Promise<ReadyCheck[]> | undefined;
  // Loaded on demand, because most processes never need it.
  const loaded = once(async () => {
    const { readinessOf, storageWarnings } = await import('../db/readiness.ts');
    return { check: readinessOf(database, dataDir), storageWarnings };
  });
  // A change of health makes the last check of the database outdated.
  health?.watch(() => {
    failed = failed.filter(({ name }) => name === 'disk');
    checking = undefined;
    changes.emit();
  });
  arrival?.watch(() => changes.emit());

  function problems(): SourceProblem[] {
    const messageOf = (name: ReadyCheck['name']) => failed.find((check) => check.name === name)?.message;
    // If the database fails, so does reading its migrations.
    const fault = health?.fault?.message ?? messageOf('database') ?? messageOf('migrations');
    const awaySince = health?.fault?.details?.since;
    const since = typeof awaySince === 'string' ? { since: awaySince } : {};
    const others = [messageOf('disk'), ...warnings, arrival?.problem].filter((message) => message !== undefined);
    return [
      ...(fault === undefined ? [] : [{ place: location, message: fault, isCritical: true, ...since }]),
      ...others.map((message) => ({ place: location, message })),
    ];
  }

  return {
    problems,
    watchProblems: (onChange) => changes.on(onChange),
    readiness() {
      checking ??= checkOnce();
      return checking;
    },
  };

  /** Checks readiness and reuses the result for a moment, so that concurrent callers cost the database one check. */
  async function checkOnce(): Promise<ReadyCheck[]> {
    const { check, storageWarnings } = await loaded();
    const before = JSON.stringify(problems());
    warnings = await storageWarnings(database);
    const checks = await check();
    failed = checks.filter(({ ok }) => !ok);
    logFailures();
    if (JSON.stringify(problems()) !== before) changes.emit();
    const answered = checking;
    setTimeout(() => {
      if (checking === answered) checking = undefined;
    }, keepAnswerMs).unref();
    return checks;
  }

  /** Strangers are not told the details, so the log has them, once for each failure. */
  function logFailures(): void {
    const reasons = [...new Set(failed.map(({ message }) => message))].join(' ');
    if (reasons !== logged && reasons !== '') logger.warn({}, `the hub is not ready: ${reasons}`);
    logged = reasons;
  }
}

/** How long the result of a readiness check is reused. */
const keepAnswerMs = 1_000;

export async function openDatabase(address: StoreAddress, logger: Logger): Promise<Database> {
  if (address.url !== undefined) {
    // Loaded on demand, because most hubs never use PostgreSQL.
    const { openPostgres } = await import('../db/postgres/postgres.ts');
    const { url, listen_url, bus_url, max_connections, prepare } = address;
    return openPostgres({
      url,
      listenUrl: listen_url,
      busUrl: bus_url,
      maxConnections: max_connections,
      prepare,
      logger,
    });
  }
  return openSqlite({ path: address.path ?? ':memory:', logger });
}

interface LazyOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  leases: Leases;
  redact?: Redact | undefined;
  installationKeys: InstallationKeys;
}

interface LazyParts {
  servers: ServerStore;
  vault: Vault;
  runs: StoredRunHistory;
  chats: ChatStore;
  chatGrants: ChatGrantStore;
  mcpSessions: McpSessionStore;
}

/** Loads the parts that many hubs never use on first use. A process that only injects agents starts faster without them. */
function lazyParts(options: LazyOptions): LazyParts {
  const { database, leases } = options;
  const vault = once(async () => new (await import('../vault/vault.store.ts')).StoredVault(options));
  const servers = async () => new (await import('../servers/servers.store.ts')).StoredServers({ ...options, vault });
  const runs = async () => new (await import('../runs/runs.store.ts')).StoredRuns(options);
  const chatGrants = async () => new (await import('../chats/chat-grants.store.ts')).StoredChatGrants(options);
  const chats = async () => new (await import('../chats/chats.store.ts')).StoredChats(options);
  const mcpSessions = async () =>
    new (await import('../mcp-server/sessions/mcp-sessions.store.ts')).StoredMcpSessions(options);
  return {
    vault: lazy(vault),
    servers: lazy(once(servers), {
      hasServers: () => hasServers(database),
      watch: (onChange: () => void) => onTopics(database.changes, ['servers'], onChange),
    }),
    runs: lazy(once(runs)),
    chatGrants: lazy(once(chatGrants)),
    chats: lazy(once(chats), { watch: (onChange: () => void) => onTopics(database.changes, ['chats'], onChange) }),
    mcpSessions: lazy(once(mcpSessions), { process: () => holderId(leases.holder), keep: () => leases.keep() }),
  };
}

/** Called when a hub starts: if no server was ever saved, a counter in memory answers without a query. */
async function hasServers(database: Database): Promise<boolean> {
  if (database.changes.version('servers') === 0) return false;
  const row = await database.read((db) => db.selectFrom('servers').select('name').limit(1).executeTakeFirst());
  return row !== undefined;
}
