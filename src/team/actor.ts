import type { Member } from './members/member.ts';

/** Who does something in the team: a member that proved who it is, or the person. */
export type Actor = { kind: 'member'; member: Member } | { kind: 'human' };

export const human: Actor = { kind: 'human' };

/** Null: the person. */
export function actorId(actor: Actor): string | null {
  return actor.kind === 'member' ? actor.member.id : null;
}
