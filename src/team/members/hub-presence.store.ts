import { sql } from 'kysely';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import type { TeamRows, TeamWrite } from '../team-rows.store.ts';
import type { TeamReader, TeamWriter } from '../team-store.ts';

export function presenceReader({ run }: TeamRows): Pick<TeamReader, 'presence'> {
  return {
    async presence() {
      const rows = await run((db) => db.selectFrom('hub_presence').selectAll().orderBy('started_at').execute());
      return rows.map((row) => ({ from: row.started_at, to: row.seen_at, memberId: row.member_id }));
    },
  };
}

export function presenceWriter({ db }: TeamWrite): Pick<TeamWriter, 'notePresence'> {
  return {
    async notePresence({ hub, memberId, now, continues, keepFrom }) {
      if (continues) {
        const { numUpdatedRows } = await db
          .updateTable('hub_presence')
          .set({ seen_at: now })
          .where('hub', '=', hub)
          .where('started_at', '=', continues.from)
          .where('seen_at', '>=', continues.to)
          .executeTakeFirst();
        if (numUpdatedRows > 0n) return continues.from;
      }
      await correct(now);
      await prune(keepFrom);
      await db
        .insertInto('hub_presence')
        .values({ hub, member_id: memberId === null ? null : cleanText(memberId), started_at: now, seen_at: now })
        .onConflict((conflict) => conflict.columns(['hub', 'started_at']).doUpdateSet({ seen_at: now }))
        .execute();
      return now;
    },
  };

  /** Takes back what was noted while a clock was ahead: when that time comes, it would tell of a hub that is not there. */
  async function correct(now: number): Promise<void> {
    await db.deleteFrom('hub_presence').where('started_at', '>', now).execute();
    await db.updateTable('hub_presence').set({ seen_at: now }).where('seen_at', '>', now).execute();
  }

  /** The newest period stays, however old it is: the absence that ends now began with its end. */
  async function prune(keepFrom: number): Promise<void> {
    const { newest, served } = await db
      .selectFrom('hub_presence')
      .select((each) => [
        each.fn.max('seen_at').as('newest'),
        each.fn.max(sql<number>`case when member_id is null then seen_at end`).as('served'),
      ])
      .executeTakeFirstOrThrow();
    await db
      .deleteFrom('hub_presence')
      .where('member_id', 'is', null)
      .where('seen_at', '<', Math.min(keepFrom, Number(served ?? keepFrom)))
      .execute();
    await db
      .deleteFrom('hub_presence')
      .where('member_id', 'is not', null)
      .where('seen_at', '<', Math.min(keepFrom, Number(newest ?? keepFrom)))
      .execute();
  }
}
