import { sql } from 'kysely';
import type { TeamReader, TeamWriter } from '../team/team-store.ts';
import type { TeamRows, TeamWrite } from './team-rows.ts';

export function presenceReader({ run }: TeamRows): Pick<TeamReader, 'presence'> {
  return {
    async presence() {
      const rows = await run((db) => db.selectFrom('hub_presence').selectAll().orderBy('started_at').execute());
      return rows.map((row) => ({ from: row.started_at, to: row.seen_at }));
    },
  };
}

export function presenceWriter({ db }: TeamWrite): Pick<TeamWriter, 'notePresence'> {
  return {
    async notePresence({ now, continues, keepFrom }) {
      const last = await db
        .selectFrom('hub_presence')
        .selectAll()
        .orderBy('seen_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (last && (continues === undefined || last.seen_at >= continues)) {
        // Two that say so at once must not take back what the other said.
        await db
          .updateTable('hub_presence')
          .set({ seen_at: now })
          .where('started_at', '=', last.started_at)
          .where('seen_at', '<', now)
          .execute();
        return;
      }
      await db
        .deleteFrom('hub_presence')
        .where('seen_at', '<', keepFrom)
        .where('started_at', '!=', last?.started_at ?? now)
        .execute();
      await sql`insert into hub_presence (started_at, seen_at) values (${now}, ${now}) on conflict do nothing`.execute(
        db,
      );
    },
  };
}
