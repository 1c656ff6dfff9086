import { HubError } from '../../base/hub-error.ts';
import type { Actor } from '../members/member.ts';
import { type TaskState, taskMoves } from './task-moves.ts';
import type { Epic, Task } from './work.ts';

/** Throws INVALID_AGENT_STATE for a move that is not in the table. */
export function ensurePossible(task: Task, to: TaskState): void {
  const possible = taskMoves[task.state];
  if (possible.includes(to)) return;
  const whose = task.assigneeId === null ? '' : ` (${task.assigneeId} has it)`;
  const ways = possible.length === 0 ? 'That is final.' : `From there it can go to ${possible.join(', ')}.`;
  const what = task.state === to ? `is ${to} already${whose}` : `is ${task.state}${whose} and cannot become ${to}`;
  throw new HubError('INVALID_AGENT_STATE', `Task "${task.id}" ${what}. ${ways}`);
}

/** Throws PERMISSION_DENIED: a worker moves its own tasks, takes free ones, and leaves the judgement to others. */
export function ensureMayMove(actor: Actor, task: Task, to: TaskState): void {
  const isFree = task.state === 'PENDING' && task.assigneeId === null;
  if (!isFree) ensureMayChange(actor, task);
  if (to === 'COMPLETED') ensureMayReview(actor, task);
}

/** Throws PERMISSION_DENIED. */
export function ensureMayReview(actor: Actor, task: Pick<Task, 'id'>): void {
  if (!isWorker(actor)) return;
  throw new HubError(
    'PERMISSION_DENIED',
    `A WORKER cannot judge a review, of task "${task.id}" or any other. Leave it in REVIEW: a SUPERVISOR, an ORCHESTRATOR or the person decides.`,
  );
}

/** Throws PERMISSION_DENIED: what a worker says of a task, or changes in it, is of its own. */
export function ensureMayChange(actor: Actor, task: Task): void {
  if (!isWorker(actor) || task.assigneeId === actor.member.id) return;
  const whose = task.assigneeId === null ? 'is assigned to nobody' : `belongs to ${task.assigneeId}`;
  throw new HubError(
    'PERMISSION_DENIED',
    `Task "${task.id}" ${whose}; a WORKER handles its own tasks. Ask your supervisor by mail.`,
  );
}

/** Throws INVALID_AGENT_STATE: what is completed or cancelled gets no new work. */
export function ensureOpen(epic: Epic): void {
  if (epic.state !== 'COMPLETED' && epic.state !== 'CANCELLED') return;
  throw new HubError(
    'INVALID_AGENT_STATE',
    `Epic "${epic.id}" is ${epic.state}: no task of it can be added, assigned or begun. Move the task to another epic, or to none.`,
  );
}

function isWorker(actor: Actor): actor is Extract<Actor, { kind: 'member' }> {
  return actor.kind === 'member' && actor.member.type === 'WORKER';
}
