import { expect, it } from 'vitest';
import { decide } from '../../tools/permissions.ts';
import { resolvePermissions } from './default-permissions.ts';
import { type MemberType, memberTypes } from './member.ts';

/** Written down by hand, apart from the code: SUPERVISOR, ORCHESTRATOR, WORKER. */
const oracle: Record<string, [supervisor: boolean, orchestrator: boolean, worker: boolean]> = {
  mcp__mail__list_inbox: [true, true, true],
  mcp__mail__read: [true, true, true],
  mcp__mail__send: [true, true, true],
  mcp__mail__reply: [true, true, true],
  mcp__agent__get_status: [true, true, true],
  mcp__agent__get_task: [true, true, true],
  mcp__agent__get_epic: [true, true, true],
  mcp__system__log_decision: [true, true, true],
  mcp__task__create: [true, true, false],
  mcp__task__assign: [true, true, false],
  mcp__task__update_status: [true, true, true],
  mcp__task__add_comment: [true, true, true],
  mcp__task__list: [true, true, false],
  mcp__epic__create: [true, true, false],
  mcp__epic__update_status: [true, true, false],
  mcp__epic__list: [true, true, false],
  mcp__epic__list_tasks: [true, true, false],
  mcp__epic__get_review_queue: [true, true, false],
  mcp__epic__approve_task: [true, true, false],
  mcp__epic__request_changes: [true, true, false],
  mcp__orchestrator__list_members: [true, false, false],
  mcp__orchestrator__check_health: [true, false, false],
  mcp__orchestrator__recover: [true, false, false],
  mcp__supervisor__create_worker: [true, false, false],
  mcp__supervisor__stop_worker: [true, false, false],
  // Tools of the hub that no default list names.
  search: [true, false, false],
  agent_zoo_inject: [true, false, false],
};

function mayCall(rules: ReturnType<typeof resolvePermissions>, type: MemberType, name: string): boolean {
  const member = { id: 'm', type, rules: rules[type], agent: null, scope: [], taskId: null };
  return decide(
    { surface: 'mcp', kind: 'member', right: 'use', member },
    { name, right: 'work', isForMembers: name.startsWith('mcp__') },
  ).allowed;
}

it('every type may call exactly the tools in its row', () => {
  const rules = resolvePermissions();
  const decided = Object.keys(oracle).map((name) => [name, memberTypes.map((type) => mayCall(rules, type, name))]);
  expect(Object.fromEntries(decided)).toEqual(oracle);
});

it('a list in the config replaces only that list', () => {
  const rules = resolvePermissions({ WORKER: { allow: ['mcp__*', 'search'] }, SUPERVISOR: { deny: ['search'] } });
  expect(mayCall(rules, 'WORKER', 'search')).toBe(true);
  expect(mayCall(rules, 'WORKER', 'mcp__task__list')).toBe(true);
  expect(mayCall(rules, 'WORKER', 'mcp__task__create')).toBe(false);
  expect(mayCall(rules, 'SUPERVISOR', 'search')).toBe(false);
  expect(mayCall(rules, 'SUPERVISOR', 'mcp__task__create')).toBe(true);
  expect(rules.ORCHESTRATOR).toEqual(resolvePermissions().ORCHESTRATOR);
});
