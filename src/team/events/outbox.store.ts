import { type Kysely, sql } from 'kysely';
import { toIso } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import { parseCursor, toPage } from '../../db/page.ts';
import type { DeliveryRow, EventRow, Tables } from '../../db/tables.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import type { Delivery } from '../members/members.contract.ts';
import { isoOrNull, type TeamWrite } from '../team-rows.store.ts';
import type { DeliveryStore, Page, TeamWriter } from '../team-store.ts';

/** Of rows deleted in one transaction, so that nobody waits long for it. */
const pruneStep = 500;
/** When a new delivery is due: whoever writes an event may have another clock than whoever delivers it. */
const atOnce = 0;

export function eventWriter({ db }: TeamWrite): Pick<TeamWriter, 'addEvent'> {
  return {
    async addEvent(event, targets) {
      const row: EventRow = { id: event.id, type: event.type, at: event.at, data: cleanText(event.data) };
      await db.insertInto('events').values(row).execute();
      const subscribers = await db
        .selectFrom('event_subscribers')
        .select('target')
        .where('type', '=', event.type)
        .execute();
      const everyone = [...targets, ...subscribers.map((subscriber) => subscriber.target)];
      const deliveries = everyone.map(
        (target): DeliveryRow => ({
          id: newId('delivery', event.at),
          event_id: event.id,
          target,
          state: 'pending',
          attempts: 0,
          at: event.at,
          next_attempt_at: atOnce,
          delivered_at: null,
          last_error: null,
          holder: null,
        }),
      );
      if (deliveries.length > 0) await db.insertInto('deliveries').values(deliveries).execute();
    },
  };
}

export class StoredDeliveries implements DeliveryStore {
  readonly #database: Database;
  readonly #leases: Leases;

  constructor({ database, leases }: { database: Database; leases: Leases }) {
    this.#database = database;
    this.#leases = leases;
  }

  async take({ targets, now, limit }: Parameters<DeliveryStore['take']>[0]): Promise<Delivery[]> {
    // Nothing is due most of the time, and a look costs less than a transaction.
    const isDue = await this.#database.read(async (db) => {
      for (const target of targets) {
        if (await due(db, target, now).limit(1).executeTakeFirst()) return true;
      }
      return false;
    });
    if (!isDue) return [];
    return this.#database.write(async ({ db }) => {
      const found: { id: string; next_attempt_at: number | null }[] = [];
      for (const target of targets) {
        const query = due(db, target, now).limit(limit);
        found.push(...(await query.$call(this.#database.dialect.lockFreeRows).execute()));
      }
      const taken = found.sort(byDueTime).slice(0, limit);
      if (taken.length === 0) return [];
      const ids = taken.map((row) => row.id);
      const rows = await withEvents(db).where('delivery.id', 'in', ids).execute();
      await this.#leases.enter(db);
      await db.updateTable('deliveries').set({ holder: this.#leases.holder }).where('id', 'in', ids).execute();
      const byId = new Map(rows.map((row) => [row.id, toDelivery(row)]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    });
  }

  async bringForward({ target, now, delays }: Parameters<DeliveryStore['bringForward']>[0]): Promise<void> {
    await this.#database.write(({ db }) =>
      db
        .updateTable('deliveries')
        .set({ next_attempt_at: now })
        .where('target', '=', target)
        .where('state', '=', sql.lit('pending' as const))
        .where('holder', 'is', null)
        .where((row) =>
          row.or(
            delays.map((delay, attempts) =>
              row.and([row('attempts', '=', attempts), row('next_attempt_at', '>', now + delay)]),
            ),
          ),
        )
        .execute(),
    );
  }

  async takeLeft({ target, running, limit }: Parameters<DeliveryStore['takeLeft']>[0]): Promise<Delivery[]> {
    const { holder: own } = this.#leases;
    const held = await this.#database.read((db) =>
      db
        .selectFrom('deliveries')
        .select(['id', 'holder'])
        .where('target', '=', target)
        .where('state', '=', sql.lit('pending' as const))
        .where('holder', 'is not', null)
        .execute(),
    );
    const gone = await this.#leases.gone(held.map(({ holder }) => holder ?? ''));
    const isLeft = ({ id, holder }: (typeof held)[number]) =>
      holder === own ? !running.has(id) : gone.has(holder ?? '');
    const left = held.filter(isLeft).slice(0, limit);
    if (left.length === 0) return [];
    return this.#database.write(async ({ db }) => {
      const taken: string[] = [];
      for (const { id, holder } of left) {
        const { numUpdatedRows } = await db
          .updateTable('deliveries')
          .set({ holder: own })
          .where('id', '=', id)
          .where('state', '=', sql.lit('pending' as const))
          .where('holder', '=', holder)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) taken.push(id);
      }
      if (taken.length === 0) return [];
      return (await withEvents(db).where('delivery.id', 'in', taken).execute()).map(toDelivery);
    });
  }

  async done(id: string, at: number): Promise<void> {
    await this.#database.write(({ db }) =>
      db
        .updateTable('deliveries')
        .set({
          state: 'done',
          attempts: sql<number>`attempts + 1`,
          delivered_at: at,
          next_attempt_at: null,
          holder: null,
          last_error: null,
        })
        .where('id', '=', id)
        .where('state', '!=', 'done')
        .execute(),
    );
  }

  /** Nothing happens to one that another process has taken over. */
  async failed(id: string, failure: Parameters<DeliveryStore['failed']>[1]): Promise<void> {
    await this.#database.write(({ db }) =>
      db
        .updateTable('deliveries')
        .set({
          state: failure.nextAttemptAt === null ? 'dead' : 'pending',
          attempts: sql<number>`attempts + 1`,
          next_attempt_at: failure.nextAttemptAt,
          last_error: cleanText(failure.error),
          holder: null,
        })
        .where('id', '=', id)
        .where('state', '=', 'pending')
        .where('holder', '=', this.#leases.holder)
        .execute(),
    );
  }

  async list({ state, limit, cursor }: Parameters<DeliveryStore['list']>[0]): Promise<Page<Delivery>> {
    const after = parseCursor(cursor);
    const rows = await this.#database.read((db) => {
      let query = withEvents(db)
        .orderBy('delivery.at', 'desc')
        .orderBy('delivery.id', 'desc')
        .limit(limit + 1);
      if (state !== undefined) query = query.where('delivery.state', '=', state);
      if (after) query = query.where(sql<boolean>`(delivery.at, delivery.id) < (${after[0]}, ${after[1]})`);
      return query.execute();
    });
    return toPage(rows, limit, { item: toDelivery, position: (row) => [row.at, row.id] });
  }

  async count(): Promise<{ pending: number; dead: number }> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('deliveries')
        .select((each) => ['state', each.fn.countAll<number>().as('count')])
        .where('state', 'in', ['pending', 'dead'])
        .groupBy('state')
        .execute(),
    );
    const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
    return { pending: of('pending'), dead: of('dead') };
  }

  async revive(id: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#database.write(({ db }) =>
      db
        .updateTable('deliveries')
        .set({ state: 'pending', attempts: 0, next_attempt_at: atOnce })
        .where('id', '=', cleanText(id))
        .where('state', '=', 'dead')
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }

  async prune(before: number): Promise<void> {
    await this.#deleteAll((db) =>
      sql`delete from deliveries where id in (select id from deliveries
        where state = 'done' and at < ${before} and delivered_at < ${before} limit ${pruneStep})`.execute(db),
    );
    await this.#deleteAll((db) =>
      sql`delete from events where id in (select id from events where at < ${before}
        and not exists (select 1 from deliveries where event_id = events.id) limit ${pruneStep})`.execute(db),
    );
    await this.#deleteAll((db) =>
      sql`delete from idempotency_keys where (owner, key) in
        (select owner, key from idempotency_keys where at < ${before} limit ${pruneStep})`.execute(db),
    );
    await this.#deleteAll((db) =>
      sql`delete from escalations where (fault, at, mail_id) in
        (select fault, at, mail_id from escalations where at < ${before} limit ${pruneStep})`.execute(db),
    );
  }

  async #deleteAll(step: (db: Kysely<Tables>) => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
    for (;;) {
      const { numAffectedRows = 0n } = await this.#database.write(({ db }) => step(db));
      if (numAffectedRows < pruneStep) return;
    }
  }
}

function due(db: Kysely<Tables>, target: string, now: number) {
  return (
    db
      .selectFrom('deliveries')
      .select(['id', 'next_attempt_at'])
      .where('target', '=', target)
      // A literal, because SQLite takes a partial index only for it.
      .where('state', '=', sql.lit('pending' as const))
      .where('next_attempt_at', '<=', now)
      .where('holder', 'is', null)
      .orderBy('next_attempt_at')
      .orderBy('id')
  );
}

function withEvents(db: Kysely<Tables>) {
  return db
    .selectFrom('deliveries as delivery')
    .innerJoin('events as event', 'event.id', 'delivery.event_id')
    .selectAll('delivery')
    .select(['event.type', 'event.data']);
}

type DueRow = { id: string; next_attempt_at: number | null };

function byDueTime(one: DueRow, other: DueRow): number {
  return (one.next_attempt_at ?? 0) - (other.next_attempt_at ?? 0) || (one.id < other.id ? -1 : 1);
}

function toDelivery(row: DeliveryRow & Pick<EventRow, 'type' | 'data'>): Delivery {
  return {
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    data: row.data,
    createdAt: toIso(row.at),
    target: row.target,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: isoOrNull(row.next_attempt_at === atOnce ? row.at : row.next_attempt_at),
    lastError: row.last_error,
    deliveredAt: isoOrNull(row.delivered_at),
  };
}
