import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';

/** The holder of a subscriber that the next process of the program can take over. */
const nobody = '';
/** The target of deliveries from older hubs, which stored no subscribers. */
const unclaimed = 'handlers';

/** The handlers that receive events. */
export function openSubscribers({ database, leases }: { database: Database; leases: Leases }) {
  return {
    /**
     * Returns the target of the deliveries for a subscriber. All processes that use the same name share a target. A program gets the
     * target that one of its earlier processes left, or a new one.
     */
    register(request: { type: string; now: number } & ({ name: string } | { program: string })): Promise<string> {
      const { type, now } = request;
      const { holder } = leases;
      return database.write(async ({ db }) => {
        await lock(db);
        await leases.enter(db);
        const known = await db.selectFrom('event_subscribers').selectAll().where('type', '=', type).execute();
        const targetOf = (name: string) => cleanText(`handler:${name}:${type}`);
        const heldSlots = known.filter((each) => each.holder !== nobody);
        const endedHolders = await leases.gone(
          heldSlots.map((each) => each.holder),
          db,
        );
        const taken = new Set(heldSlots.flatMap((each) => (endedHolders.has(each.holder) ? [] : each.target)));
        let target = '';
        if ('name' in request) target = targetOf(request.name);
        else
          for (let slot = 1; target === '' || taken.has(target); slot += 1)
            target = targetOf(`${request.program}~${slot}`);
        const row = { target, type, holder, seen_at: now };
        await db
          .insertInto('event_subscribers')
          .values(row)
          .onConflict((conflict) => conflict.column('target').doUpdateSet({ holder, seen_at: now }))
          .execute();
        await db
          .updateTable('deliveries')
          .set({ target })
          .where('target', '=', unclaimed)
          .where('state', '=', sql.lit('pending' as const))
          .where('event_id', 'in', (each) => each.selectFrom('events').select('id').where('type', '=', type))
          .execute();
        return target;
      });
    },

    /** Notes that these subscribers are in use. Registers again any that a restored backup or a cleanup has removed. */
    async seen(subscribers: readonly { target: string; type: string }[], now: number): Promise<void> {
      const { holder } = leases;
      await database.write(
        async ({ db }) => {
          await lock(db);
          for (const { target, type } of subscribers) {
            const known = await db
              .selectFrom('event_subscribers')
              .select('holder')
              .where('target', '=', target)
              .executeTakeFirst();
            // A running process that took over the target keeps it.
            const isFree = !known || known.holder === nobody || (await leases.gone([known.holder], db)).size > 0;
            await db
              .insertInto('event_subscribers')
              .values({ target, type, holder, seen_at: now })
              .onConflict((conflict) =>
                conflict.column('target').doUpdateSet({ seen_at: now, ...(known && isFree && { holder }) }),
              )
              .execute();
          }
        },
        { isDurable: false },
      );
    },

    /** Gives up this process's targets, so that another process can take them. */
    async leave(targets: readonly string[], now: number): Promise<void> {
      await database.write(({ db }) =>
        db
          .updateTable('event_subscribers')
          .set({ seen_at: now, holder: nobody })
          .where('target', 'in', targets)
          .where('holder', '=', leases.holder)
          .execute(),
      );
    },

    /** Deletes a subscriber of this process and its pending deliveries. */
    async forget(target: string): Promise<void> {
      await database.write(async ({ db }) => {
        const { numDeletedRows } = await db
          .deleteFrom('event_subscribers')
          .where('target', '=', target)
          .where('holder', '=', leases.holder)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return;
        await db
          .deleteFrom('deliveries')
          .where('target', '=', target)
          .where('state', '=', sql.lit('pending' as const))
          .execute();
      });
    },

    /** Deletes subscribers not seen since `before`, and their pending deliveries. */
    async prune(before: number): Promise<void> {
      await database.write(async ({ db }) => {
        const silent = db.selectFrom('event_subscribers').select('target').where('seen_at', '<', before);
        await db
          .deleteFrom('deliveries')
          .where('state', '=', sql.lit('pending' as const))
          .where('at', '<', before)
          .where((each) => each.or([each('target', 'in', silent), each('target', '=', unclaimed)]))
          .execute();
        await db.deleteFrom('event_subscribers').where('seen_at', '<', before).execute();
      });
    },
  };

  /** Lets one process register at a time, so that two cannot take the same slot. Writers of events only read the table and do not wait. */
  async function lock(db: Kysely<Tables>): Promise<void> {
    await database.dialect.lockTables(db, ['event_subscribers']);
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    event_subscribers: EventSubscriberRow;
  }
}

interface EventSubscriberRow {
  target: string;
  type: string;
  /** The process that has its handlers; empty after that process was closed. */
  holder: string;
  seen_at: number;
}
