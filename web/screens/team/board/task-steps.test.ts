import { describe, expect, it } from 'vitest';
import { taskMoves, taskStates } from '../../../../src/team/work/task-moves.ts';
import { canMove, describeRefusal, needsMember, stateBeside } from './task-steps.ts';

describe('the moves of a task', () => {
  it('follow the table, and a task never moves to its own state', () => {
    for (const from of taskStates) {
      for (const to of taskStates) expect(canMove(from, to)).toBe(taskMoves[from].includes(to));
      expect(canMove(from, from)).toBe(false);
    }
  });

  it('lead to the nearest allowed state in the direction of the key', () => {
    const beside = taskStates.map((state) => [stateBeside(state, 'left'), state, stateBeside(state, 'right')]);
    expect(beside).toEqual([
      [undefined, 'PENDING', 'ASSIGNED'],
      ['PENDING', 'ASSIGNED', 'IN_PROGRESS'],
      [undefined, 'IN_PROGRESS', 'REVIEW'],
      ['IN_PROGRESS', 'REVIEW', 'BLOCKED'],
      ['IN_PROGRESS', 'BLOCKED', 'FAILED'],
      [undefined, 'COMPLETED', undefined],
      ['IN_PROGRESS', 'FAILED', undefined],
    ]);
  });

  it('ask for a member when the task would have none', () => {
    const needing = (assigneeId: string | null) => taskStates.filter((to) => needsMember({ assigneeId }, to));
    expect(needing(null)).toEqual(['ASSIGNED', 'IN_PROGRESS']);
    expect(needing('worker-1')).toEqual(['ASSIGNED']);
  });

  it('explain a rejected move and what would work', () => {
    expect(describeRefusal('PENDING', 'COMPLETED')).toBe(
      'A task in Pending can move to Assigned or In progress, not to Completed.',
    );
    expect(describeRefusal('COMPLETED', 'PENDING')).toBe('Completed is final. The task cannot move.');
  });
});
