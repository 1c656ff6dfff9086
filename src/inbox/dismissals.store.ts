import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { cleanText } from '../db/rows.ts';

/** Longer than the inbox looks back. */
const keptMs = 60 * 24 * 3_600_000;

export type DismissalStore = ReturnType<typeof dismissalStore>;

/** What the user has dismissed in the inbox. */
export function dismissalStore({ database, clock }: { database: Database; clock: Clock }) {
  return {
    /** Returns those of the items that are dismissed. */
    async among(items: readonly string[]): Promise<Set<string>> {
      if (items.length === 0) return new Set();
      const rows = await database.read((db) =>
        db.selectFrom('inbox_dismissals').select('item').where('item', 'in', items).execute(),
      );
      return new Set(rows.map(({ item }) => item));
    },

    add: (items: readonly string[]): Promise<void> =>
      database.write(async (write) => {
        const at = clock.now();
        // Unlike failures, a choice that the user has made does not become outdated.
        await write.db
          .deleteFrom('inbox_dismissals')
          .where('at', '<', at - keptMs)
          .where('item', 'like', '%:%')
          .execute();
        await write.db
          .insertInto('inbox_dismissals')
          .values([...new Set(items.map(cleanText))].map((item) => ({ item, at })))
          .onConflict((conflict) => conflict.column('item').doUpdateSet({ at }))
          .execute();
        write.changed('inbox');
      }),

    remove: (item: string): Promise<void> =>
      database.write(async (write) => {
        await write.db.deleteFrom('inbox_dismissals').where('item', '=', cleanText(item)).execute();
        write.changed('inbox');
      }),
  };
}

declare module '../db/tables.ts' {
  interface Tables {
    inbox_dismissals: { item: string; at: number };
  }
}
