import { HubError } from '../../base/hub-error.ts';
import type { Actor } from '../members/member.ts';
import { type TaskState, taskMoves } from './task-moves.ts';
import type { Epic, Task } from './work.ts';

/** Throws INVALID_AGENT_STATE for a move that is not in the table. */
export function ensurePossible(task: Task, to: TaskState): void {
  const possible = taskMoves[task.state];
  if (possible.includes(to)) return;
  const whose = task.assigneeId === null ? '' : ` (assigned to ${task.assigneeId})`;
  const ways = possible.length === 0 ? 'That state is final.' : `It can move to ${possible.join(', ')}.`;
  const what = task.state === to ? `is already ${to}${whose}` : `is ${task.state}${whose} and cannot become ${to}`;
  throw new HubError('INVALID_AGENT_STATE', `Task "${task.id}" ${what}. ${ways}`);
}

/** Throws PERMISSION_DENIED. A worker moves its own tasks, takes free ones, and leaves reviews to others. */
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
    `A WORKER cannot review tasks. Leave "${task.id}" in REVIEW: a SUPERVISOR, an ORCHESTRATOR or the person in charge decides.`,
  );
}

/** Throws PERMISSION_DENIED. A worker changes and comments on its own tasks only. */
export function ensureMayChange(actor: Actor, task: Task): void {
  if (!isWorker(actor) || task.assigneeId === actor.member.id) return;
  const whose = task.assigneeId === null ? 'has no assignee' : `belongs to ${task.assigneeId}`;
  throw new HubError(
    'PERMISSION_DENIED',
    `Task "${task.id}" ${whose}; a WORKER can change only its own tasks. Ask your supervisor by mail.`,
  );
}

/** Throws INVALID_AGENT_STATE if the epic is completed or cancelled. */
export function ensureOpen(epic: Epic): void {
  if (epic.state !== 'COMPLETED' && epic.state !== 'CANCELLED') return;
  throw new HubError(
    'INVALID_AGENT_STATE',
    `Epic "${epic.id}" is ${epic.state}: its tasks cannot be added, assigned or begun. Move the task to another epic, or out of this one.`,
  );
}

function isWorker(actor: Actor): actor is Extract<Actor, { kind: 'member' }> {
  return actor.kind === 'member' && actor.member.type === 'WORKER';
}
