import { type Kysely, sql } from 'kysely';
import { toIso } from '../../base/clock.ts';
import type { Page } from '../../base/contract-fields.ts';
import { newId } from '../../base/ids.ts';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import { parseCursor, toPage } from '../../db/page.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import { isoOrNull, type TeamWrite } from '../team-rows.store.ts';
import type { DeadLetters, Delivery } from './deliveries.contract.ts';

/** The maximum number of rows deleted in one transaction, so that nobody waits long for it. */
const pruneStep = 500;
/** The due time of a new delivery. A real time could lie in the future for a process whose clock is behind. */
const dueNow = 0;

export function eventWriter({ db }: TeamWrite) {
  return {
    /** Adds an event and one delivery for each target and each subscriber of its type. */
    async addEvent(
      event: { id: string; type: string; data: string; at: number },
      targets: readonly string[],
    ): Promise<void> {
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
          next_attempt_at: dueNow,
          delivered_at: null,
          last_error: null,
          holder: null,
        }),
      );
      if (deliveries.length > 0) await db.insertInto('deliveries').values(deliveries).execute();
    },
  };
}

type DeliveryQuery = { state?: Delivery['state'] | undefined; limit: number; cursor?: string | undefined };

/** The outbox for the code that delivers events. */
export function openDeliveries({ database, leases }: { database: Database; leases: Leases }) {
  return {
    /** Takes due deliveries, each for one process only: new ones first, then the longest overdue. */
    async take({
      targets,
      now,
      limit,
    }: {
      targets: readonly string[];
      now: number;
      limit: number;
    }): Promise<Delivery[]> {
      // Usually nothing is due, and a read is cheaper than a transaction.
      const isDue = await database.read(async (db) => {
        for (const target of targets) {
          if (await due(db, target, now).limit(1).executeTakeFirst()) return true;
        }
        return false;
      });
      if (!isDue) return [];
      return database.write(async ({ db }) => {
        const found: { id: string; next_attempt_at: number | null }[] = [];
        for (const target of targets) {
          const query = due(db, target, now).limit(limit);

          found.push(...(await query.$call(database.dialect.lockFreeRows).execute()));
        }
        const taken = found.sort(byDueTime).slice(0, limit);
        if (taken.length === 0) return [];
        const ids = taken.map((row) => row.id);
        const rows = await withEvents(db).where('delivery.id', 'in', ids).execute();
        await leases.enter(db);
        await db.updateTable('deliveries').set({ holder: leases.holder }).where('id', 'in', ids).execute();
        const byId = new Map(rows.map((row) => [row.id, toDelivery(row)]));
        return ids.flatMap((id) => byId.get(id) ?? []);
      });
    },

    /**
     * Makes deliveries due if their next attempt is further away than their delay, because the clock was set back. `delays` are
     * indexed by the number of attempts.
     */
    async bringForward(request: { target: string; now: number; delays: readonly number[] }): Promise<void> {
      const { target, now, delays } = request;
      await database.write(({ db }) =>
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
    },

    /** Takes over deliveries from processes that are gone, and this process's deliveries that are not `running`. */
    async takeAbandoned(request: { target: string; running: ReadonlySet<string>; limit: number }): Promise<Delivery[]> {
      const { target, running, limit } = request;
      const { holder: thisProcess } = leases;
      const held = await database.read((db) =>
        db
          .selectFrom('deliveries')
          .select(['id', 'holder'])
          .where('target', '=', target)
          .where('state', '=', sql.lit('pending' as const))
          .where('holder', 'is not', null)
          .execute(),
      );
      const endedHolders = await leases.gone(held.map(({ holder }) => holder ?? ''));
      const isAbandoned = ({ id, holder }: (typeof held)[number]) =>
        holder === thisProcess ? !running.has(id) : endedHolders.has(holder ?? '');
      const abandoned = held.filter(isAbandoned).slice(0, limit);
      if (abandoned.length === 0) return [];
      return database.write(async ({ db }) => {
        const taken: string[] = [];
        for (const { id, holder } of abandoned) {
          const { numUpdatedRows } = await db
            .updateTable('deliveries')
            .set({ holder: thisProcess })
            .where('id', '=', id)
            .where('state', '=', sql.lit('pending' as const))
            .where('holder', '=', holder)
            .executeTakeFirst();
          if (numUpdatedRows > 0n) taken.push(id);
        }
        if (taken.length === 0) return [];
        return (await withEvents(db).where('delivery.id', 'in', taken).execute()).map(toDelivery);
      });
    },

    /** Marks a delivery as done and counts the attempt. */
    async done(id: string, at: number): Promise<void> {
      await database.write(({ db }) =>
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
    },

    /** Counts the attempt, unless another process has taken it over. `nextAttemptAt: null` makes it a dead letter. */
    async failed(id: string, failure: { error: string; nextAttemptAt: number | null }): Promise<void> {
      await database.write(({ db, changed }) => {
        if (failure.nextAttemptAt === null) changed('inbox');
        return db
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
          .where('holder', '=', leases.holder)
          .execute();
      });
    },

    /** Lists deliveries, newest first. */
    async list({ state, limit, cursor }: DeliveryQuery): Promise<Page<Delivery>> {
      const after = parseCursor(cursor);
      const rows = await database.read((db) => {
        let query = withEvents(db)
          .orderBy('delivery.at', 'desc')
          .orderBy('delivery.id', 'desc')
          .limit(limit + 1);
        if (state !== undefined) query = query.where('delivery.state', '=', state);
        if (after) query = query.where(sql<boolean>`(delivery.at, delivery.id) < (${after[0]}, ${after[1]})`);
        return query.execute();
      });
      return toPage(rows, limit, { item: toDelivery, position: (row) => [row.at, row.id] });
    },

    /** Returns the newest delivery to each target that has one. */
    async latest(targets: readonly string[]): Promise<Delivery[]> {
      const rows = await Promise.all(
        targets.map((target) =>
          database.read((db) =>
            withEvents(db)
              .where('delivery.target', '=', target)
              .orderBy('delivery.at', 'desc')
              .orderBy('delivery.id', 'desc')
              .limit(1)
              .execute(),
          ),
        ),
      );
      return rows.flat().map(toDelivery);
    },

    /** Returns the dead letters of each target that has some: their number, and the newest `limit` of them. */
    async deadLetters({ since, limit }: { since: number; limit: number }): Promise<DeadLetters[]> {
      const targets = await database.read((db) =>
        db
          .selectFrom('deliveries')
          .select((each) => ['target', each.fn.countAll<number>().as('count')])
          .where('state', '=', 'dead')
          .where('at', '>=', since)
          .groupBy('target')
          .execute(),
      );
      return Promise.all(
        targets.map(async ({ target, count }) => {
          const rows = await database.read((db) =>
            withEvents(db)
              .where('delivery.target', '=', target)
              .where('delivery.state', '=', 'dead')
              .where('delivery.at', '>=', since)
              .orderBy('delivery.at', 'desc')
              .orderBy('delivery.id', 'desc')
              .limit(limit)
              .execute(),
          );
          return { count, newest: rows.map(toDelivery) };
        }),
      );
    },

    async count(): Promise<{ pending: number; dead: number }> {
      const rows = await database.read((db) =>
        db
          .selectFrom('deliveries')
          .select((each) => ['state', each.fn.countAll<number>().as('count')])
          .where('state', 'in', ['pending', 'dead'])
          .groupBy('state')
          .execute(),
      );
      const countOf = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
      return { pending: countOf('pending'), dead: countOf('dead') };
    },

    /** Makes a dead letter due again and resets its attempts. Returns false if it is not a dead letter. */
    async revive(id: string): Promise<boolean> {
      const { numUpdatedRows } = await database.write(({ db, changed }) => {
        changed('inbox');
        return db
          .updateTable('deliveries')
          .set({ state: 'pending', attempts: 0, next_attempt_at: dueNow })
          .where('id', '=', cleanText(id))
          .where('state', '=', 'dead')
          .executeTakeFirst();
      });
      return numUpdatedRows > 0n;
    },

    /** Deletes delivered events, idempotency keys and escalations older than `before`. */
    async prune(before: number): Promise<void> {
      await deleteAll((db) =>
        sql`delete from deliveries where id in (select id from deliveries
          where state = 'done' and at < ${before} and delivered_at < ${before} limit ${pruneStep})`.execute(db),
      );
      await deleteAll((db) =>
        sql`delete from events where id in (select id from events where at < ${before}
          and not exists (select 1 from deliveries where event_id = events.id) limit ${pruneStep})`.execute(db),
      );
      await deleteAll((db) =>
        sql`delete from idempotency_keys where (owner, key) in
          (select owner, key from idempotency_keys where at < ${before} limit ${pruneStep})`.execute(db),
      );
      await deleteAll((db) =>
        sql`delete from escalations where (fault, at, mail_id) in
          (select fault, at, mail_id from escalations where at < ${before} limit ${pruneStep})`.execute(db),
      );
    },
  };

  async function deleteAll(step: (db: Kysely<Tables>) => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
    for (;;) {
      const { numAffectedRows = 0n } = await database.write(({ db }) => step(db));
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
      // SQLite uses a partial index only if the value is a literal.
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
    nextAttemptAt: isoOrNull(row.next_attempt_at === dueNow ? row.at : row.next_attempt_at),
    lastError: row.last_error,
    deliveredAt: isoOrNull(row.delivered_at),
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    events: EventRow;
    deliveries: DeliveryRow;
  }
}

interface EventRow {
  id: string;
  type: string;
  at: number;
  data: string;
}

interface DeliveryRow {
  id: string;
  event_id: string;
  target: string;
  state: 'pending' | 'done' | 'dead';
  attempts: number;
  at: number;
  next_attempt_at: number | null;
  delivered_at: number | null;
  last_error: string | null;
  /** The process that is delivering it. */
  holder: string | null;
}
