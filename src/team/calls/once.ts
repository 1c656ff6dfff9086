import { createHash } from 'node:crypto';
import { HubError } from '../../base/hub-error.ts';
import { type Actor, actorId } from '../members/member.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';

export interface WriteOptions {
  idempotencyKey?: string | undefined;
}

/** A write that clients may repeat, for example after a lost reply. */
export interface OneWrite extends WriteOptions {
  actor: Actor;
  tool: string;
  input: object;
}

/**
 * Runs `run` in one transaction. With a key, stores the answer in the same transaction and returns it to every later call with
 * that key. Throws INVALID_ARGUMENTS if the key was used for another call.
 */
export function writeOnce<T extends object>(
  parts: Pick<TeamParts, 'store' | 'clock'>,
  write: OneWrite,
  run: (rows: TeamWriter) => Promise<T>,
): Promise<T> {
  const { idempotencyKey: key } = write;
  if (key === undefined) return parts.store.write(run);
  const owner = actorId(write.actor) ?? '';
  const inputHash = hashInput(write.input);
  return parts.store.write(async (rows) => {
    const claim = await rows.claimKey({ owner, key, tool: write.tool, inputHash, at: parts.clock.now() });
    if (claim.isNew) {
      const answer = await run(rows);
      await rows.keepAnswer(owner, key, JSON.stringify(answer));
      return answer;
    }
    if (claim.tool !== write.tool || claim.inputHash !== inputHash || claim.answer === null) {
      throw usedBefore(key, claim.tool);
    }
    // This function stored it as the answer of the same tool.
    return JSON.parse(claim.answer) as T;
  });
}

export function hashInput(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(input) ?? '')
    .digest('base64url');
}

export function usedBefore(key: string, tool: string): HubError {
  return new HubError(
    'INVALID_ARGUMENTS',
    `idempotencyKey: "${key.slice(0, 80)}" was already used for another call to ${tool}. Use a new key for a new call.`,
  );
}
