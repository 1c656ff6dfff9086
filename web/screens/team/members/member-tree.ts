import type { Member } from '../../../../src/team/members/member.ts';

export interface MemberInTree {
  member: Member;
  /** 0 for those nobody of the team supervises. */
  depth: number;
}

/** Each member below its supervisor, by name. Whoever's supervisor is gone stands at the top; a ring begins with its first. */
export function memberTree(members: readonly Member[]): MemberInTree[] {
  const sorted = members.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  const known = new Set(sorted.map(({ id }) => id));
  const below = Map.groupBy(sorted, ({ supervisorId }) =>
    supervisorId !== null && known.has(supervisorId) ? supervisorId : null,
  );
  const tree: MemberInTree[] = [];
  const placed = new Set<string>();
  const place = (member: Member, depth: number) => {
    if (placed.has(member.id)) return;
    placed.add(member.id);
    tree.push({ member, depth });
    for (const each of below.get(member.id) ?? []) place(each, depth + 1);
  };
  for (const member of below.get(null) ?? []) place(member, 0);
  for (const member of sorted) place(member, 0);
  return tree;
}
