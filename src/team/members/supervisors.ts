import { HubError } from '../../base/hub-error.ts';
import type { TeamWriter } from '../team.store.ts';
import type { StoredMember } from './member.ts';

type InLine = Pick<StoredMember, 'id' | 'supervisorId' | 'state'>;

/** Returns the nearest supervisor that can act on a mail, skipping those who are FAILED or gone, or null for the user. */
export function nearestSupervisor(
  members: readonly InLine[],
  start: { id: string; supervisorId: string | null },
): string | null {
  const known = new Map(members.map((member) => [member.id, member]));
  // Guards against members that supervise each other.
  const passed = new Set([start.id]);
  for (let next = start.supervisorId; next !== null && !passed.has(next); ) {
    const supervisor = known.get(next);
    if (supervisor && supervisor.state !== 'FAILED') return next;
    passed.add(next);
    next = supervisor?.supervisorId ?? null;
  }
  return null;
}

/**
 * Throws INVALID_ARGUMENTS if the supervisor does not exist or already reports to the member. The rows it reads stay locked until
 * the transaction ends, so concurrent changes cannot form a cycle either.
 */
export async function checkSupervisor(
  rows: Pick<TeamWriter, 'member'>,
  { id, supervisorId }: { id: string; supervisorId: string },
): Promise<void> {
  const line = [id];
  for (let next: string | null = supervisorId; next !== null; ) {
    if (line.includes(next)) {
      throw new HubError(
        'INVALID_ARGUMENTS',
        `supervisorId: "${supervisorId}" cannot supervise "${id}", because it already reports to it: ${[...line, next].join(' → ')}. Choose a supervisor that does not.`,
      );
    }
    line.push(next);
    const supervisor = await rows.member(next);
    if (!supervisor && next === supervisorId) {
      throw new HubError('INVALID_ARGUMENTS', `supervisorId: there is no member "${supervisorId}".`);
    }
    next = supervisor?.supervisorId ?? null;
  }
}
