import type { Database } from '../db/database.ts';
import type { OfferStore } from './agent-zoo-offer.ts';

const mark = 'agent-zoo-declined';

export function offerStore(database: Database): OfferStore {
  return {
    decline: (at) =>
      database.write(async (write) => {
        await write.db
          .insertInto('marks')
          .values({ name: mark, at })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),
    isDeclined: () =>
      database.read(
        async (db) =>
          (await db.selectFrom('marks').select('name').where('name', '=', mark).executeTakeFirst()) !== undefined,
      ),
  };
}
