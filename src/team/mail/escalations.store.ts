import { sql } from 'kysely';
import { cleanText } from '../../db/rows.ts';
import type { TeamWrite } from '../team-rows.store.ts';

/** The first number of this lock's key. No other lock in the database uses it. */
const faultLocks = 4704;

/** Remembers which mails reported which fault. */
export function escalationWriter({ db, dialect, changed }: TeamWrite) {
  return {
    /** Returns the mails about a fault that were sent from `since` until `until`. A second transaction waits for the first. */
    async escalations(fault: string, since: number, until?: number): Promise<{ mailId: string }[]> {
      const key = cleanText(fault);
      // An advisory lock, because there may be no row to lock yet.
      await dialect.lock(db, faultLocks, key);
      const found = await db
        .selectFrom('escalations')
        .select('mail_id')
        .where('fault', '=', key)
        .where('at', '>=', since)
        .$if(until !== undefined, (query) => query.where('at', '<=', until ?? 0))
        .orderBy('at')
        .orderBy('mail_id')
        .execute();
      return found.map((row) => ({ mailId: row.mail_id }));
    },
    async addEscalation({ fault, mailId, at }: { fault: string; mailId: string; at: number }): Promise<void> {
      await db
        .insertInto('escalations')
        .values({ fault: cleanText(fault), mail_id: cleanText(mailId), at })
        .execute();
    },
    /** Raises the count of these mails. Mails that were read stay read. */
    async countEscalation(mailIds: readonly string[], at: number): Promise<void> {
      if (mailIds.length === 0) return;
      const { numUpdatedRows } = await db
        .updateTable('mails')
        .set({ escalation_count: sql<number>`escalation_count + 1`, escalation_at: at })
        .where('id', 'in', mailIds.map(cleanText))
        .where('escalation', 'is not', null)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('mail');
    },
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    escalations: EscalationRow;
  }
}

interface EscalationRow {
  fault: string;
  at: number;
  mail_id: string;
}
