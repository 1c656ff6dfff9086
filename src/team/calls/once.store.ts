import { sql } from 'kysely';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import type { TeamWrite } from '../team-rows.store.ts';
import type { TeamWriter } from '../team-store.ts';

/** Any number that no other lock of two numbers in this database begins with. */
const faultLocks = 4704;

/** What must happen once however often it is asked for. */
export function keyWriter({ db }: TeamWrite): Pick<TeamWriter, 'claimKey' | 'keepAnswer' | 'releaseKey'> {
  return {
    async claimKey(claim) {
      const row = {
        owner: cleanText(claim.owner),
        key: cleanText(claim.key),
        tool: cleanText(claim.tool),
        input_hash: claim.inputHash,
        at: claim.at,
        answer: null,
      };
      // PostgreSQL waits here for a transaction that has the same key; after a rollback of that one the key is free.
      for (;;) {
        const added = await db
          .insertInto('idempotency_keys')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .returning('key')
          .executeTakeFirst();
        if (added) return { isNew: true };
        const known = await db
          .selectFrom('idempotency_keys')
          .select(['tool', 'input_hash', 'answer'])
          .where('owner', '=', row.owner)
          .where('key', '=', row.key)
          .executeTakeFirst();
        // Gone when it was released in between.
        if (known) return { isNew: false, tool: known.tool, inputHash: known.input_hash, answer: known.answer };
      }
    },
    async keepAnswer(owner, key, answer) {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: cleanText(answer) })
        .where('owner', '=', cleanText(owner))
        .where('key', '=', cleanText(key))
        .execute();
    },
    async releaseKey(owner, key) {
      await db
        .deleteFrom('idempotency_keys')
        .where('owner', '=', cleanText(owner))
        .where('key', '=', cleanText(key))
        .execute();
    },
  };
}

type EscalationWriting = 'escalations' | 'noteEscalation' | 'countEscalation';

export function escalationWriter({ db, dialect, changed }: TeamWrite): Pick<TeamWriter, EscalationWriting> {
  return {
    async escalations(fault, since, until) {
      const key = cleanText(fault);
      // There may be no row yet that could be locked.
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
    async noteEscalation({ fault, mailId, at }) {
      await db
        .insertInto('escalations')
        .values({ fault: cleanText(fault), mail_id: cleanText(mailId), at })
        .execute();
    },
    async countEscalation(mailIds, at) {
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
