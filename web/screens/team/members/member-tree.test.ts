import { expect, it } from 'vitest';
import type { Member } from '../../../../src/team/members/member.ts';
import { memberTree } from './member-tree.ts';

it('members are listed below their supervisors, by name and number', () => {
  const tree = memberTree([
    member('worker-10', 'lead'),
    member('worker-2', 'lead'),
    member('lead', 'boss'),
    member('boss', null),
    member('alone', null),
  ]);
  expect(shown(tree)).toEqual(['alone', 'boss', '  lead', '    worker-2', '    worker-10']);
});

it('members with a missing supervisor or in a cycle are listed once', () => {
  const tree = memberTree([member('a', 'b'), member('b', 'a'), member('c', 'gone'), member('d', 'd')]);
  expect(shown(tree)).toEqual(['c', 'a', '  b', 'd']);
});

function shown(tree: ReturnType<typeof memberTree>): string[] {
  return tree.map(({ member: { id }, depth }) => `${'  '.repeat(depth)}${id}`);
}

function member(id: string, supervisorId: string | null): Member {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    id,
    agent: null,
    type: 'WORKER',
    state: 'IDLE',
    supervisorId,
    currentEpicId: null,
    currentTaskId: null,
    tmuxSessionName: null,
    lastActiveAt: null,
    hasToken: false,
    createdAt: at,
    updatedAt: at,
  };
}
