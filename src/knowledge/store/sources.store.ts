import type { Clock } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Lease } from '../../base/lease.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import { cleanText } from '../../db/rows.ts';
import type { SourceState, SourceStore, StoredSource, SyncRequest } from './knowledge-store.ts';

const leasePrefix = 'sync:';

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
    const rows = await this.#database.read((db) =>
      db.selectFrom('knowledge_source_states').selectAll().orderBy('source').execute(),
    );
    // Read after the states, so that a sync that begins or ends in between counts as running.
    const syncing = await this.#leases.held(leasePrefix);
    const known = new Set(rows.map(({ source }) => source));
    const firstSyncs = [...syncing].filter((source) => !known.has(source)).map((source) => ({ source, ...noState }));
    return [...rows, ...firstSyncs].map((row) => toState(row, syncing.has(row.source)));
  }

  take(source: string): Promise<Lease> {
    return this.#leases.take(`${leasePrefix}${source}`, `The source "${source}" is being synced`);
  }

  /** Joins a pending request. The result is full if either is. */
  request(source: string, { full }: SyncRequest): Promise<number> {
    const now = this.#clock.now();
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const before = await write.db
        .selectFrom('knowledge_source_states')
        .select(['requested_at', 'request'])
        .where('source', '=', source)
        .executeTakeFirst();
      const known = toRequest(before);
      const columns = {
        // Later than the pending request, so that a sync for that one does not fulfil this one.
        requested_at: Math.max(now, (known?.at ?? 0) + 1),
        request: JSON.stringify({ full: full || known?.full }),
      };
      await write.db
        .insertInto('knowledge_source_states')
        .values({ source, ...noState, ...columns })
        .onConflict((conflict) => conflict.column('source').doUpdateSet(columns))
        .execute();
      return columns.requested_at;
    });
  }

  clearRequest(source: string, upTo: number): Promise<void> {
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      await write.db
        .updateTable('knowledge_source_states')
        .set({ requested_at: null, request: null })
        .where('source', '=', source)
        .where('requested_at', '<=', upTo)
        .execute();
    });
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
      await write.db.deleteFrom('knowledge_source_states').where('source', '=', source).execute();
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
} satisfies Omit<KnowledgeSourceStateRow, 'source'>;

function toRequest(row: Pick<KnowledgeSourceStateRow, 'requested_at' | 'request'> | undefined): SourceState['request'] {
  if (row?.requested_at == null) return null;
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

function toState(row: KnowledgeSourceStateRow, isSyncing: boolean): SourceState {
  return {
    source: row.source,
    isSyncing,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    // Only `saveState` writes it, from this type.
    outcome: row.outcome as SourceState['outcome'],
    message: row.message,
    report: row.report === null ? null : JSON.parse(row.report),
    request: toRequest(row),
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
  requested_at: number | null;
  request: string | null;
}
