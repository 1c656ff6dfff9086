import type { PermissionRules } from '../../tools/caller.ts';
import { type MemberType, memberTypes } from './member.ts';

/** The tools that each type of member may call by default. */
const defaults: Readonly<Record<MemberType, PermissionRules>> = {
  SUPERVISOR: { allow: ['*'], deny: [] },
  ORCHESTRATOR: {
    allow: ['mcp__mail__*', 'mcp__agent__*', 'mcp__system__*', 'mcp__task__*', 'mcp__epic__*'],
    deny: ['mcp__supervisor__*'],
  },
  WORKER: {
    allow: [
      'mcp__mail__*',
      'mcp__agent__get_status',
      'mcp__agent__get_task',
      'mcp__agent__get_epic',
      'mcp__system__log_decision',
      'mcp__task__update_status',
      'mcp__task__add_comment',
    ],
    deny: ['mcp__supervisor__*', 'mcp__orchestrator__*', 'mcp__epic__*', 'mcp__task__create', 'mcp__task__assign'],
  },
};

/** `[permissions.TYPE]` in the config. A list replaces the default list. */
export type PermissionLists = Partial<
  Record<MemberType, { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined }>
>;

export function resolvePermissions(lists: PermissionLists = {}): Record<MemberType, PermissionRules> {
  const rules = { ...defaults };
  for (const type of memberTypes) {
    const { allow = defaults[type].allow, deny = defaults[type].deny } = lists[type] ?? {};
    rules[type] = { allow, deny };
  }
  return rules;
}
