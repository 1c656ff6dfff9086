import type { StoredMember } from './member.ts';

type InLine = Pick<StoredMember, 'id' | 'supervisorId' | 'state'>;

/** The first one above a member that can act on a mail: who is gone or FAILED is passed over. Null: the person. */
export function upTheLine(
  members: readonly InLine[],
  start: { id: string; supervisorId: string | null },
): string | null {
  const known = new Map(members.map((member) => [member.id, member]));
  // Two who supervise each other must not send us round in circles.
  const passed = new Set([start.id]);
  for (let next = start.supervisorId; next !== null && !passed.has(next); ) {
    const supervisor = known.get(next);
    if (supervisor && supervisor.state !== 'FAILED') return next;
    passed.add(next);
    next = supervisor?.supervisorId ?? null;
  }
  return null;
}
