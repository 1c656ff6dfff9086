/** Whose call it is: the person's own, one in the scope of an agent, or one of a member. */
export type CallAs = { kind: 'person' } | { kind: 'agent'; id: string } | { kind: 'member'; id: string };
