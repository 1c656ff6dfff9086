import { z } from 'zod';

export const memberTypes = ['SUPERVISOR', 'ORCHESTRATOR', 'WORKER'] as const;
export const MemberType = z.enum(memberTypes);
export type MemberType = z.infer<typeof MemberType>;

export const MemberState = z.enum(['IDLE', 'BUSY', 'WAITING', 'FAILED']);
export type MemberState = z.infer<typeof MemberState>;

/** A member's id is also its mail address, so the reserved addresses are excluded. */
export const MemberId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be 1–64 characters from A–Z a–z 0–9 . _ - and begin with a letter or digit',
  )
  .refine((id) => !/^(?:human|system)$/i.test(id), 'must not be "human" or "system"');

const moment = z.iso.datetime();

/** A running instance of an agent in the team. Tools and routes call its id `agentId`. */
export const Member = z.object({
  id: MemberId,
  /** The agent it is an instance of. The agent's scope adds to the tools the member may call. */
  agent: z.string().nullable(),
  type: MemberType,
  state: MemberState,
  supervisorId: z.string().nullable(),
  currentEpicId: z.string().nullable(),
  currentTaskId: z.string().nullable(),
  tmuxSessionName: z.string().nullable(),
  /** The time of its last call, from the decision log. */
  lastActiveAt: moment.nullable(),
  hasToken: z.boolean(),
  createdAt: moment,
  updatedAt: moment,
});
export type Member = z.infer<typeof Member>;

export const NewMember = z.strictObject({
  /** Derived from the agent or type if omitted. */
  id: MemberId.optional(),
  agent: z.string().min(1).max(200).nullable().optional(),
  type: MemberType.default('WORKER'),
  supervisorId: MemberId.nullable().optional(),
  tmuxSessionName: z.string().min(1).max(200).nullable().optional(),
});
export type NewMember = z.infer<typeof NewMember>;

/** The fields that the user may change. A member's task follows from assignments. */
export const MemberChange = z.strictObject({
  agent: z.string().min(1).max(200).nullable().optional(),
  type: MemberType.optional(),
  state: MemberState.optional(),
  supervisorId: MemberId.nullable().optional(),
  currentEpicId: z.string().min(1).max(100).nullable().optional(),
  tmuxSessionName: z.string().min(1).max(200).nullable().optional(),
});
export type MemberChange = z.infer<typeof MemberChange>;

/** The fields of a member that the log shows: what it is and what it may do. */
export function briefMember({ agent, type, state, supervisorId, hasToken }: Member): object {
  return { agent, type, state, supervisorId, hasToken };
}

/** A member as the database holds it: with the hash of its token, and without fields from the decision log. */
export type StoredMember = Omit<Member, 'lastActiveAt' | 'hasToken'> & {
  /** SHA-256 of its token, base64url. Null if it has no token. */
  tokenHash: string | null;
};

export type StoredMemberChange = Partial<Omit<StoredMember, 'id' | 'createdAt' | 'updatedAt'>>;

/** Who acts in the team: an authenticated member, or the user. */
export type Actor = { kind: 'member'; member: Member } | { kind: 'human' };

export const human: Actor = { kind: 'human' };

/** Returns the member's id, or null for the user. */
export function actorId(actor: Actor): string | null {
  return actor.kind === 'member' ? actor.member.id : null;
}
