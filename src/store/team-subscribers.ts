import { type Kysely, sql } from 'kysely';
import type { SubscriberStore } from '../team/team-store.ts';
import type { Database } from './database.ts';
import { cleanText } from './knowledge-rows.ts';
import type { Tables } from './tables.ts';

/** Free to be taken by the next process of the program. */
const nobody = '';
/** The target of handlers before they were subscribers. */
const unclaimed = 'handlers';

export class StoredSubscribers implements SubscriberStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  register(request: Parameters<SubscriberStore['register']>[0]): Promise<string> {
    const { type, holder, now } = request;
    return this.#database.write(async ({ db }) => {
      await this.#lock(db);
      const known = await db.selectFrom('event_subscribers').selectAll().where('type', '=', type).execute();
      const targetOf = (name: string) => cleanText(`handler:${name}:${type}`);
      const isFree = (target: string) => {
        const row = known.find((each) => each.target === target);
        return !row || row.holder === nobody || ('isGone' in request && request.isGone(row.holder, row.seen_at));
      };
      let target = '';
      if ('name' in request) target = targetOf(request.name);
      else
        for (let place = 1; target === '' || !isFree(target); place += 1)
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

  async seen(...[subscribers, { holder, now, isGone }]: Parameters<SubscriberStore['seen']>): Promise<void> {
    await this.#database.write(
      async ({ db }) => {
        await this.#lock(db);
        for (const { target, type } of subscribers) {
          const known = await db
            .selectFrom('event_subscribers')
            .select(['holder', 'seen_at'])
            .where('target', '=', target)
            .executeTakeFirst();
          // A process that took the place over, and is there, keeps it.
          const isFree = !known || known.holder === nobody || isGone(known.holder, known.seen_at);
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

  async left(targets: readonly string[], { holder, now }: { holder: string; now: number }): Promise<void> {
    await this.#database.write(({ db }) =>
      db
        .updateTable('event_subscribers')
        .set({ seen_at: now, holder: nobody })
        .where('target', 'in', targets)
        .where('holder', '=', holder)
        .execute(),
    );
  }

  async forget(target: string, holder: string): Promise<void> {
    await this.#database.write(async ({ db }) => {
      const { numDeletedRows } = await db
        .deleteFrom('event_subscribers')
        .where('target', '=', target)
        .where('holder', '=', holder)
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
    if (this.#database.kind === 'postgres') await sql`lock table event_subscribers in exclusive mode`.execute(db);
  }
}
