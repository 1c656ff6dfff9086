import { cleanText } from '../../db/rows.ts';
import type { TeamWrite } from '../team-rows.store.ts';

export interface KeyClaim {
  /** The member's id; '' for the user. */
  owner: string;
  key: string;
  tool: string;
  inputHash: string;
  at: number;
}

/** A key is new, or was used before. `answer` is null if the outcome of that call is unknown. */
type ClaimedKey = { isNew: true } | { isNew: false; tool: string; inputHash: string; answer: string | null };

/** Idempotency keys and the answers to their first calls. */
export function keyWriter({ db }: TeamWrite) {
  return {
    /** Reserves a key for this transaction. A second transaction with the same key waits for the first. */
    async claimKey(claim: KeyClaim): Promise<ClaimedKey> {
      const row = {
        owner: cleanText(claim.owner),
        key: cleanText(claim.key),
        tool: cleanText(claim.tool),
        input_hash: claim.inputHash,
        at: claim.at,
        answer: null,
      };
      // PostgreSQL waits here for another transaction with the same key. If that one rolls back, the key is free.
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
        // Undefined if the key was released in the meantime.
        if (known) return { isNew: false, tool: known.tool, inputHash: known.input_hash, answer: known.answer };
      }
    },
    async keepAnswer(owner: string, key: string, answer: string): Promise<void> {
      await db
        .updateTable('idempotency_keys')
        .set({ answer: cleanText(answer) })
        .where('owner', '=', cleanText(owner))
        .where('key', '=', cleanText(key))
        .execute();
    },
    /** Frees the key of a call that failed. */
    async releaseKey(owner: string, key: string): Promise<void> {
      await db
        .deleteFrom('idempotency_keys')
        .where('owner', '=', cleanText(owner))
        .where('key', '=', cleanText(key))
        .execute();
    },
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    idempotency_keys: IdempotencyKeyRow;
  }
}

interface IdempotencyKeyRow {
  owner: string;
  key: string;
  tool: string;
  input_hash: string;
  at: number;
  answer: string | null;
}
