export const taskStates = ['PENDING', 'ASSIGNED', 'IN_PROGRESS', 'REVIEW', 'BLOCKED', 'COMPLETED', 'FAILED'] as const;
export type TaskState = (typeof taskStates)[number];

/** The states a task may move to from each state. The web app's board uses the same table to decide where a card can be dropped. */
export const taskMoves: Readonly<Record<TaskState, readonly TaskState[]>> = {
  PENDING: ['ASSIGNED', 'IN_PROGRESS'],
  ASSIGNED: ['IN_PROGRESS', 'PENDING'],
  IN_PROGRESS: ['REVIEW', 'BLOCKED', 'FAILED'],
  REVIEW: ['COMPLETED', 'IN_PROGRESS', 'BLOCKED'],
  BLOCKED: ['IN_PROGRESS', 'FAILED'],
  COMPLETED: [],
  FAILED: ['IN_PROGRESS'],
};

export const epicStates = ['PLANNING', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED', 'CANCELLED'] as const;
export type EpicState = (typeof epicStates)[number];

/** An epic moves from any open state to any other state; COMPLETED and CANCELLED are final. */
export const epicMoves: Readonly<Record<EpicState, readonly EpicState[]>> = {
  PLANNING: epicStates.filter((state) => state !== 'PLANNING'),
  IN_PROGRESS: epicStates.filter((state) => state !== 'IN_PROGRESS'),
  BLOCKED: epicStates.filter((state) => state !== 'BLOCKED'),
  COMPLETED: [],
  CANCELLED: [],
};
