import type { PermissionBody } from '../../../../src/team/members/members.contract.ts';

export interface PermissionGroup {
  rule: string;
  tools: string[];
}

/** Groups tools by the rule that decided, in order of first appearance. */
export function groupPermissions(
  permissions: readonly PermissionBody[],
): Record<'allowed' | 'denied', { count: number; groups: PermissionGroup[] }> {
  const group = (allowed: boolean) => {
    const chosen = permissions.filter((each) => each.allowed === allowed);
    const groups = Map.groupBy(chosen, ({ rule }) => rule);
    return {
      count: chosen.length,
      groups: [...groups].map(([rule, each]) => ({ rule, tools: each.map(({ tool }) => tool).sort() })),
    };
  };
  return { allowed: group(true), denied: group(false) };
}
