import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import type { Tables } from '../../db/tables.ts';
import type { BegunSync, RequestedSync, SyncEnd, SyncRequest, SyncRequestStore } from './sync-requests.ts';

/** How long a request can be read after its end. */
const keepDoneMs = 3_600_000;

export class StoredSyncRequests implements SyncRequestStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #leases: Leases;

  constructor(options: { database: Database; clock: Clock; leases: Leases }) {
    this.#database = options.database;
    this.#clock = options.clock;
    this.#leases = options.leases;
  }

  add(source: string, { full }: SyncRequest): Promise<string> {
    const now = this.#clock.now();
    const { holder } = this.#leases;
    return this.#database.write(async (write) => {
      // One writer at a time, so that equal requests find each other.
      await write.bump('knowledge');
      const { db } = write;
      await this.#leases.enter(db);
      await db
        .deleteFrom('sync_requests')
        .where('source', '=', source)
        .where('finished_at', '<', now - keepDoneMs)
        .execute();
      const joined = await db
        .updateTable('sync_requests')
        .set((row) => ({ requesters: row('requesters', '+', 1), holder }))
        .where('source', '=', source)
        .where('state', '=', 'waiting')
        .where('is_full', '=', full ? 1 : 0)
        .returning('id')
        .executeTakeFirst();
      if (joined) return joined.id;
      const id = newId('sync', now);
      const row = { ...newRequest, id, source, is_full: full ? 1 : 0, holder, requested_at: now };
      await db.insertInto('sync_requests').values(row).execute();
      return id;
    });
  }

  async get(id: string): Promise<RequestedSync | undefined> {
    const row = await this.#database.read((db) =>
      db.selectFrom('sync_requests').selectAll().where('id', '=', id).executeTakeFirst(),
    );
    return row && toRequest(row);
  }

  withdraw(id: string): Promise<void> {
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const { db } = write;
      // Another requester may be gone, so any process may fulfil its request.
      await db
        .updateTable('sync_requests')
        .set((row) => ({ requesters: row('requesters', '-', 1), holder: '' }))
        .where('id', '=', id)
        .execute();
      await db
        .deleteFrom('sync_requests')
        .where('id', '=', id)
        .where('requesters', '<=', 0)
        .where('state', '=', 'waiting')
        .execute();
    });
  }

  leave(id: string): Promise<void> {
    return this.#database.write(async ({ db }) => {
      await db.updateTable('sync_requests').set({ holder: '' }).where('id', '=', id).execute();
    });
  }

  begin(source: string, { isPartial = false } = {}): Promise<BegunSync> {
    const id = newId('sync', this.#clock.now());
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const { db } = write;
      const running = { sync_id: id, cancelled_id: null };
      await db
        .insertInto('knowledge_source_states')
        .values({ source, ...running })
        .onConflict((conflict) => conflict.column('source').doUpdateSet(running))
        .execute();
      if (isPartial) return { id, full: false };
      const earlier = await takeEarlierRequest(db, source);
      const rows = await db
        .updateTable('sync_requests')
        .set({ state: 'running', sync_id: id })
        .where('source', '=', source)
        .where('state', '!=', 'done')
        .returning('is_full')
        .execute();
      return { id, full: earlier.full || rows.some(({ is_full }) => is_full === 1) };
    });
  }

  end(source: string, id: string, end: SyncEnd): Promise<void> {
    const now = this.#clock.now();
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const { db } = write;
      const before = await db
        .selectFrom('knowledge_source_states')
        .select('cancelled_id')
        .where('source', '=', source)
        .executeTakeFirst();
      const outcome = before?.cancelled_id === id ? 'cancelled' : end.outcome;
      const report = end.report && JSON.stringify(end.report);
      const done = { state: 'done', finished_at: now, outcome, report };
      await db
        .updateTable('sync_requests')
        .set(outcome === 'again' ? { state: 'waiting', sync_id: null, holder: '' } : done)
        .where('source', '=', source)
        .where('sync_id', '=', id)
        .where('state', '=', 'running')
        .execute();
      await db
        .updateTable('knowledge_source_states')
        .set({ sync_id: null, cancelled_id: null })
        .where('source', '=', source)
        .where('sync_id', '=', id)
        .execute();
    });
  }

  async cancel(source: string): Promise<boolean> {
    const now = this.#clock.now();
    const isRunning = (await this.#leases.held(syncLease(source))).has('');
    return this.#database.write(async (write) => {
      await write.bump('knowledge');
      const { db } = write;
      const { isFound } = await takeEarlierRequest(db, source);
      const waiting = await db
        .updateTable('sync_requests')
        .set({ state: 'done', finished_at: now, outcome: 'cancelled' })
        .where('source', '=', source)
        .where('state', 'in', isRunning ? ['waiting'] : ['waiting', 'running'])
        .executeTakeFirst();
      const running = await db
        .updateTable('knowledge_source_states')
        .set((row) => ({ cancelled_id: row.ref('sync_id') }))
        .where('source', '=', source)
        .where('sync_id', 'is not', null)
        .executeTakeFirst();
      return isFound || waiting.numUpdatedRows > 0n || (isRunning && running.numUpdatedRows > 0n);
    });
  }

  async isCancelled(source: string, id: string): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('knowledge_source_states')
        .select('source')
        .where('source', '=', source)
        .where('cancelled_id', '=', id)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  async abandoned(): Promise<string[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('sync_requests')
        .select(['source', 'holder'])
        .where('state', '!=', 'done')
        // The previous version stores one request per source, here.
        .unionAll(
          db
            .selectFrom('knowledge_source_states')
            .select((row) => ['source', row.val('').as('holder')])
            .where('requested_at', 'is not', null),
        )
        .execute(),
    );
    const holders = rows.map(({ holder }) => holder).filter((holder) => holder !== '');
    const gone = holders.length === 0 ? new Set() : await this.#leases.gone(holders);
    const isLeft = ({ holder }: { holder: string }) => holder === '' || gone.has(holder);
    return [...new Set(rows.filter(isLeft).map(({ source }) => source))];
  }

  async hasOpen(): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db.selectFrom('sync_requests').select('id').where('state', '!=', 'done').limit(1).executeTakeFirst(),
    );
    return row !== undefined;
  }
}

/** The name of the lease that allows one sync per source across all processes. */
export function syncLease(source: string): string {
  return `sync:${source}`;
}

/** Clears a request that a process of the previous version stored. */
async function takeEarlierRequest(db: Kysely<Tables>, source: string): Promise<{ isFound: boolean; full: boolean }> {
  const row = await db
    .selectFrom('knowledge_source_states')
    .select('request')
    .where('source', '=', source)
    .where('requested_at', 'is not', null)
    .executeTakeFirst();
  if (!row) return { isFound: false, full: false };
  await db
    .updateTable('knowledge_source_states')
    .set({ requested_at: null, request: null })
    .where('source', '=', source)
    .execute();
  return { isFound: true, full: JSON.parse(row.request ?? '{}').full === true };
}

const newRequest = { state: 'waiting', requesters: 1, sync_id: null, finished_at: null, outcome: null, report: null };

function toRequest(row: Selectable<SyncRequestRow>): RequestedSync {
  return {
    id: row.id,
    source: row.source,
    full: row.is_full === 1,
    // Only this file writes state, outcome and report, from these types.
    state: row.state as RequestedSync['state'],
    requestedAt: row.requested_at,
    finishedAt: row.finished_at,
    outcome: row.outcome as RequestedSync['outcome'],
    report: row.report === null ? null : JSON.parse(row.report),
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    sync_requests: SyncRequestRow;
  }
}

interface SyncRequestRow {
  id: string;
  source: string;
  is_full: number;
  state: string;
  /** How many callers wait for it. */
  requesters: number;
  /** The process that requested it last and will fulfil it; empty if any may. */
  holder: string;
  requested_at: number;
  /** The sync that fulfils it. */
  sync_id: string | null;
  finished_at: number | null;
  outcome: string | null;
  report: string | null;
}
