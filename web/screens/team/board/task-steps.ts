import { type TaskState, taskMoves, taskStates } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import type { TaskStep } from '../../../api/work-queries.ts';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';

export function canMove(from: TaskState, to: TaskState): boolean {
  return taskMoves[from].includes(to);
}

/** Returns whether the move needs a member: to assign the task, or to start an unassigned one. */
export function needsMember(task: Pick<Task, 'assigneeId'>, to: TaskState): boolean {
  return to === 'ASSIGNED' || (to === 'IN_PROGRESS' && task.assigneeId === null);
}

/** Returns the step that undoes a move; undefined if the task cannot go back. */
export function stepBack(before: Pick<Task, 'state' | 'assigneeId'>, moved: Pick<Task, 'state'>): TaskStep | undefined {
  const { state: status, assigneeId } = before;
  if (status === moved.state || !canMove(moved.state, status)) return undefined;
  if (status !== 'ASSIGNED') return { status };
  return assigneeId === null ? undefined : { status, agentId: assigneeId };
}

/** Explains why a move is not allowed. */
export function describeRefusal(from: TaskState, to: TaskState): string {
  const name = (state: TaskState) => taskStateLooks[state].label;
  const moves = taskMoves[from];
  if (moves.length === 0) return `${name(from)} is final. The task cannot move.`;
  return `A task in ${name(from)} can move to ${moves.map(name).join(' or ')}, not to ${name(to)}.`;
}

/** Returns the nearest allowed state in that direction of the board. */
export function stateBeside(from: TaskState, direction: 'left' | 'right'): TaskState | undefined {
  const step = direction === 'left' ? -1 : 1;
  for (let index = taskStates.indexOf(from) + step; ; index += step) {
    const state = taskStates[index];
    if (state === undefined || canMove(from, state)) return state;
  }
}
