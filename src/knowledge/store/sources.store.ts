import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Lease } from '../../base/lease.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import { cleanText } from '../../db/rows.ts';
import type { SourceState, SourceStore, StoredSource } from './knowledge-store.ts';
import { syncLease } from './sync-requests.store.ts';

const leasePrefix = syncLease('');

export class StoredSources implements SourceStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Leases;

  constructor(options: { database: Database; clock: Clock; leases: Leases }) {
    this.#leases = options.leases;
    this.#database = options.database;
    this.#clock = options.clock;
  }

  async list(): Promise<StoredSource[]> {
    const rows = await this.#database.read((db) =>
      db.selectFrom('knowledge_sources').selectAll().orderBy('source').execute(),
    );
    return rows.map(toSource);
  }

  add({ source, type, name, settings, createdAt }: StoredSource): Promise<void> {
    const row = { source, type, name, settings: JSON.stringify(settings), created_at: createdAt };
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const added = await write.db
        .insertInto('knowledge_sources')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .returning('source')
        .executeTakeFirst();
      if (!added) throw new HubError('CONFLICT', `A source "${source}" already exists. Choose another name.`);
    });
  }

  remove(source: string): Promise<void> {
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const { numDeletedRows } = await write.db
        .deleteFrom('knowledge_sources')
        .where('source', '=', source)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new HubError('NOT_FOUND', `There is no stored source "${source}".`);
    });
  }

  async states(): Promise<SourceState[]> {
    const { rows, requests } = await this.#database.read(async (db) => ({
      rows: await db.selectFrom('knowledge_source_states').selectAll().orderBy('source').execute(),
      requests: await db
        .selectFrom('sync_requests')
        .select(['source', 'state', 'is_full', 'requested_at'])
        .where('state', '!=', 'done')
        .orderBy('requested_at')
        .execute(),
    }));
    // Read after the states, so that a sync that begins or ends in between counts as running.
    const syncing = await this.#leases.held(leasePrefix);
    const known = new Set(rows.map(({ source }) => source));
    const others = new Set([...syncing, ...requests.map(({ source }) => source)]).difference(known);
    const firstSyncs = [...others].map((source) => ({ source, ...noState }));
    return [...rows, ...firstSyncs].map((row) => {
      const isSyncing = syncing.has(row.source);
      // A request that was begun by a process that is gone waits again.
      const waiting = requests.filter(
        ({ source, state }) => source === row.source && (state === 'waiting' || !isSyncing),
      );
      const [first] = waiting;
      const full = waiting.some(({ is_full }) => is_full === 1);
      return toState(row, { isSyncing, request: first ? { at: first.requested_at, full } : toRequest(row) });
    });
  }

  take(source: string): Promise<Lease> {
    return this.#leases.take(syncLease(source), `The source "${source}" is being synced`);
  }

  saveState(source: string, state: Parameters<SourceStore['saveState']>[1]): Promise<void> {
    const columns = {
      started_at: state.startedAt,
      finished_at: state.finishedAt,
      outcome: state.outcome,
      message: state.message === null ? null : cleanText(state.message),
      report: state.report === null ? null : JSON.stringify(state.report),
    };
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      await write.db
        .insertInto('knowledge_source_states')
        .values({ source, ...noState, ...columns })
        .onConflict((conflict) => conflict.column('source').doUpdateSet(columns))
        .execute();
    });
  }

  forget(source: string): Promise<void> {
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      for (const table of ['knowledge_source_states', 'sync_requests'] as const)
        await write.db.deleteFrom(table).where('source', '=', source).execute();
    });
  }
}

const noState = {
  started_at: null,
  finished_at: null,
  outcome: null,
  message: null,
  report: null,
  requested_at: null,
  request: null,
  sync_id: null,
  cancelled_id: null,
} satisfies Omit<KnowledgeSourceStateRow, 'source'>;

/** Returns a request that a process of the previous version stored. */
function toRequest(row: Pick<KnowledgeSourceStateRow, 'requested_at' | 'request'>): SourceState['request'] {
  if (row.requested_at === null) return null;
  const { full } = JSON.parse(row.request ?? '{}');
  return { at: row.requested_at, full: full === true };
}

function toSource(row: KnowledgeSourceRow): StoredSource {
  return {
    source: row.source,
    // Only `add` writes it, from this type.
    type: row.type as StoredSource['type'],
    name: row.name,
    settings: JSON.parse(row.settings),
    createdAt: row.created_at,
  };
}

function toState(
  row: KnowledgeSourceStateRow,
  { isSyncing, request }: Pick<SourceState, 'isSyncing' | 'request'>,
): SourceState {
  return {
    source: row.source,
    isSyncing,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    // Only `saveState` writes it, from this type.
    outcome: row.outcome as SourceState['outcome'],
    message: row.message,
    report: row.report === null ? null : JSON.parse(row.report),
    request,
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    knowledge_sources: KnowledgeSourceRow;
    knowledge_source_states: KnowledgeSourceStateRow;
  }
}

interface KnowledgeSourceRow {
  source: string;
  type: string;
  name: string;
  settings: string;
  created_at: number;
}

interface KnowledgeSourceStateRow {
  source: string;
  started_at: number | null;
  finished_at: number | null;
  outcome: string | null;
  message: string | null;
  report: string | null;
  /** Only the previous version writes these two. */
  requested_at: number | null;
  request: string | null;
  /** The running sync, and the one that was cancelled. */
  sync_id: string | null;
  cancelled_id: string | null;
}
