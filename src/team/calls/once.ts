import { createHash } from 'node:crypto';
import { HubError } from '../../base/hub-error.ts';
import { type Actor, actorId } from '../members/member.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';

export interface WriteOptions {
  idempotencyKey?: string | undefined;
}

/** A write that may be asked for twice: by a client whose answer got lost, or by ten at once. */
export interface OneWrite extends WriteOptions {
  actor: Actor;
  tool: string;
  input: object;
}

/**
 * One transaction for everything `run` does. With a key, the first call's answer is stored in that same transaction and given
 * again to every later call with the key. Throws INVALID_ARGUMENTS for a key that stood for something else.
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
    // Written by this very function, as the answer of this tool.
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
    `idempotencyKey: "${key.slice(0, 80)}" was used before for another call of ${tool}. Take a new key for a new call.`,
  );
}
