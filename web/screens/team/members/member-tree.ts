import type { Member } from '../../../../src/team/members/member.ts';

export interface MemberInTree {
  member: Member;
  /** 0 for members without a supervisor in the team. */
  depth: number;
}

/** Sorts members below their supervisors, by name. A member whose supervisor is gone is at the top; a cycle starts with its first member. */
export function memberTree(members: readonly Member[]): MemberInTree[] {
  const sorted = members.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  const known = new Set(sorted.map(({ id }) => id));
  const below = Map.groupBy(sorted, ({ supervisorId }) =>
    supervisorId !== null && known.has(supervisorId) ? supervisorId : null,
  );
  const tree: MemberInTree[] = [];
  const added = new Set<string>();
  const add = (member: Member, depth: number) => {
    if (added.has(member.id)) return;
    added.add(member.id);
    tree.push({ member, depth });
    for (const each of below.get(member.id) ?? []) add(each, depth + 1);
  };
  for (const member of below.get(null) ?? []) add(member, 0);
  for (const member of sorted) add(member, 0);
  return tree;
}
