import { type TaskState, taskStates } from '../../../../src/team/work/task-moves.ts';

export interface EpicProgress {
  total: number;
  done: number;
  /** The states that have tasks, with their share. Completed comes first. */
  parts: { state: TaskState; count: number; share: number }[];
}

const order: readonly TaskState[] = [
  'COMPLETED',
  ...taskStates.filter((state) => state !== 'COMPLETED' && state !== 'PENDING').reverse(),
  'PENDING',
];

export function epicProgress(tasks: Readonly<Record<TaskState, number>>): EpicProgress {
  const total = taskStates.reduce((sum, state) => sum + tasks[state], 0);
  return {
    total,
    done: tasks.COMPLETED,
    parts: order
      .filter((state) => tasks[state] > 0)
      .map((state) => ({ state, count: tasks[state], share: tasks[state] / total })),
  };
}
