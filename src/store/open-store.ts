import { StoredAgents } from '../agents/agents.store.ts';
import type { Clock } from '../base/clock.ts';
import { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { SourceProblem } from '../base/source.ts';
import { StoredBrain } from '../brain/brain.store.ts';
import type { Database } from '../db/database.ts';
import { Leases } from '../db/leases.ts';
import type { ReadyCheck } from '../db/readiness.ts';
import { openSqlite } from '../db/sqlite/sqlite.ts';
import { StoredDecisions } from '../decisions/decisions.store.ts';
import { StoredKnowledge } from '../knowledge/store/knowledge.store.ts';
import { openTeam } from '../team/team.store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { lazyParts } from './lazy-parts.ts';
import type { Store } from './store.ts';

export interface StoreAddress {
  /** A SQLite file, or `:memory:`. Its folders are made. */
  path?: string | undefined;
  /** A PostgreSQL database; wins over `path`. */
  url?: string | undefined;
}

export interface OpenStoreOptions {
  db: StoreAddress;
  clock: Clock;
  logger: Logger;
  /** Takes secrets out of what the decision log keeps. */
  redact?: Redact | undefined;
  /** AGENT_ZOO_SECRET, with which secrets are sealed; without it, a key is kept in `dataDir`. */
  secret?: string | undefined;
  /** Where the hub keeps its own data; made when it is needed. */
  dataDir?: string | undefined;
  /** The name under which this process holds leases; a test gives one to stand for another machine. */
  holder?: string | undefined;
}

/** Opens the database and brings its tables up to date. Throws INVALID_CONFIG, UNAVAILABLE, TRANSIENT_ERROR. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { clock, logger, redact, secret, dataDir, holder } = options;
  const database = await openDatabase(options.db, logger);
  const leases = new Leases({ database, clock, logger, holder });
  const decisions = new StoredDecisions({ database, clock, logger, redact, leases });
  return {
    kind: database.kind,
    place: database.place,
    changes: database.changes,
    agents: new StoredAgents({ database, clock, logger }),
    brain: new StoredBrain({ database, clock }),
    decisions,
    knowledge: new StoredKnowledge({ database, clock, logger, leases }),
    team: openTeam({ database, leases }),
    ...lazyParts({ database, clock, logger, redact, secret, dataDir, leases }),
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

type StoreHealth = Pick<Store, 'problems' | 'watchProblems' | 'readiness'>;

function storeHealth(database: Database, dataDir: string | undefined, logger: Logger): StoreHealth {
  const { health, place } = database;
  const changes = new EventChannel<void>((error) => logger.error({ err: error }, 'a listener of the storage failed'));
  let warnings: string[] = [];
  let failed: readonly ReadyCheck[] = [];
  // What the last check found of the database is outdated then.
  health?.watch(() => {
    failed = failed.filter(({ name }) => name === 'disk');
    changes.emit();
  });

  function problems(): SourceProblem[] {
    const messageOf = (name: ReadyCheck['name']) => failed.find((check) => check.name === name)?.message;
    // Without the database its migrations cannot be read either.
    const fault = health?.fault?.message ?? messageOf('database') ?? messageOf('migrations');
    const disk = messageOf('disk');
    return [
      ...(fault === undefined ? [] : [{ place, message: fault, isCritical: true }]),
      ...[...(disk === undefined ? [] : [disk]), ...warnings].map((message) => ({ place, message })),
    ];
  }

  return {
    problems,
    watchProblems: (onChange) => changes.on(onChange),
    async readiness() {
      // Loaded only when asked for: most processes never are.
      const { checkReadiness, storageWarnings } = await import('../db/readiness.ts');
      const before = JSON.stringify(problems());
      warnings = await storageWarnings(database);
      const checks = await checkReadiness(database, dataDir);
      failed = checks.filter(({ ok }) => !ok);
      if (JSON.stringify(problems()) !== before) changes.emit();
      return checks;
    },
  };
}

export async function openDatabase(address: StoreAddress, logger: Logger): Promise<Database> {
  if (address.url !== undefined) {
    // Loaded only when asked for: most hubs never talk to PostgreSQL.
    const { openPostgres } = await import('../db/postgres/postgres.ts');
    return openPostgres({ url: address.url, logger });
  }
  return openSqlite({ path: address.path ?? ':memory:', logger });
}
