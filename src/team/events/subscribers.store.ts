import { type Kysely, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { Leases } from '../../db/leases.ts';
import type { Tables } from '../../db/tables.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import type { SubscriberStore } from '../team-store.ts';

/** Free to be taken by the next process of the program. */
const nobody = '';
/** The target of handlers before they were subscribers. */
const unclaimed = 'handlers';

export class StoredSubscribers implements SubscriberStore {
  readonly #database: Database;
  readonly #leases: Leases;

  constructor({ database, leases }: { database: Database; leases: Leases }) {
    this.#database = database;
    this.#leases = leases;
  }

  register(request: Parameters<SubscriberStore['register']>[0]): Promise<string> {
    const { type, now } = request;
    const { holder } = this.#leases;
    return this.#database.write(async ({ db }) => {
      await this.#lock(db);
      await this.#leases.enter(db);
      const known = await db.selectFrom('event_subscribers').selectAll().where('type', '=', type).execute();
      const targetOf = (name: string) => cleanText(`handler:${name}:${type}`);
      const places = known.filter((each) => each.holder !== nobody);
      const gone = await this.#leases.gone(
        places.map((each) => each.holder),
        db,
      );
      const taken = new Set(places.flatMap((each) => (gone.has(each.holder) ? [] : each.target)));
      let target = '';
      if ('name' in request) target = targetOf(request.name);
      else
        for (let place = 1; target === '' || taken.has(target); place += 1)
          target = targetOf(`${request.program}~${place}`);
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
  }

  async seen(...[subscribers, now]: Parameters<SubscriberStore['seen']>): Promise<void> {
    const { holder } = this.#leases;
    await this.#database.write(
      async ({ db }) => {
        await this.#lock(db);
        for (const { target, type } of subscribers) {
          const known = await db
            .selectFrom('event_subscribers')
            .select('holder')
            .where('target', '=', target)
            .executeTakeFirst();
          // A process that took the place over, and is there, keeps it.
          const isFree = !known || known.holder === nobody || (await this.#leases.gone([known.holder], db)).size > 0;
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
  }

  async left(targets: readonly string[], now: number): Promise<void> {
    await this.#database.write(({ db }) =>
      db
        .updateTable('event_subscribers')
        .set({ seen_at: now, holder: nobody })
        .where('target', 'in', targets)
        .where('holder', '=', this.#leases.holder)
        .execute(),
    );
  }

  async forget(target: string): Promise<void> {
    await this.#database.write(async ({ db }) => {
      const { numDeletedRows } = await db
        .deleteFrom('event_subscribers')
        .where('target', '=', target)
        .where('holder', '=', this.#leases.holder)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      await db
        .deleteFrom('deliveries')
        .where('target', '=', target)
        .where('state', '=', sql.lit('pending' as const))
        .execute();
    });
  }

  async prune(before: number): Promise<void> {
    await this.#database.write(async ({ db }) => {
      const silent = db.selectFrom('event_subscribers').select('target').where('seen_at', '<', before);
      await db
        .deleteFrom('deliveries')
        .where('state', '=', sql.lit('pending' as const))
        .where('at', '<', before)
        .where((each) => each.or([each('target', 'in', silent), each('target', '=', unclaimed)]))
        .execute();
      await db.deleteFrom('event_subscribers').where('seen_at', '<', before).execute();
    });
  }

  /** One at a time, so that two processes do not take the same place. Those who write events only read, and do not wait. */
  async #lock(db: Kysely<Tables>): Promise<void> {
    await this.#database.dialect.lockTables(db, ['event_subscribers']);
  }
}
