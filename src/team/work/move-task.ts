import { HubError } from '../../base/hub-error.ts';
import { newId } from '../../base/ids.ts';
import { type Actor, actorId, type StoredMember } from '../members/member.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks, followTask } from './follow-task.ts';
import { mailTaskNews } from './task-mails.ts';
import type { TaskState } from './task-moves.ts';
import { ensureMayChange, ensureMayMove, ensureOpen, ensurePossible } from './task-rules.ts';
import type { StoredTaskChange } from './work.store.ts';
import type { Task } from './work.ts';

type MoveParts = Pick<TeamParts, 'clock' | 'redact' | 'settings'>;

/** A change of a task that this transaction has read and thereby locked. Rows are locked in the order task, epic, members. */
export interface TaskStepRequest {
  actor: Actor;
  task: Task;
  comment?: string | undefined;
  /** A reviewer requested changes. The task becomes BLOCKED if its assignee is working on another one. */
  isSentBack?: boolean;
  /** Where the work is, recorded with the move. */
  locations?: Pick<StoredTaskChange, 'worktreePath' | 'branchName' | 'prUrl'>;
}

/** Moves a task to another state of the table and does all that follows: members, comments, mails. */
export async function moveTask(
  parts: MoveParts,
  rows: TeamWriter,
  request: TaskStepRequest & {
    to: TaskState;
    /** The epic is known to be open. Its row is not locked then, so that claims of its tasks do not wait for each other. */
    isEpicOpen?: boolean;
  },
): Promise<Task> {
  const { actor, task, to } = request;
  ensurePossible(task, to);
  ensureMayMove(actor, task, to);
  if (!request.isEpicOpen) await ensureEpicIsOpen(rows, task, to);
  const members = await lockMembers(rows, [task.assigneeId]);
  const assigneeId = await assigneeAfter(rows, members, request);
  const busyWith = to === 'IN_PROGRESS' && assigneeId !== null ? await taskInProgress(rows, assigneeId) : undefined;
  if (busyWith && !request.isSentBack) throw busyError(busyWith);
  return record({ parts, rows, members, request, change: { state: busyWith ? 'BLOCKED' : to, assigneeId } });
}

/** Assigns a task that nobody works on, or that failed, to a member. Throws AGENT_NOT_FOUND, INVALID_AGENT_STATE. */
export async function assignTask(
  parts: MoveParts,
  rows: TeamWriter,
  request: TaskStepRequest & { agentId: string },
): Promise<Task> {
  const { actor, task, agentId } = request;
  // A FAILED task stays FAILED until its new assignee begins. An ASSIGNED task only changes hands.
  const keepsState = (task.state === 'FAILED' || task.state === 'ASSIGNED') && task.assigneeId !== agentId;
  if (!keepsState) ensurePossible(task, 'ASSIGNED');
  if (task.state !== 'PENDING') ensureMayChange(actor, task);
  await ensureEpicIsOpen(rows, task, 'ASSIGNED');
  const members = await lockMembers(rows, [task.assigneeId, agentId]);
  if (!members.has(agentId)) {
    throw new HubError('AGENT_NOT_FOUND', `There is no member "${agentId}" to assign task "${task.id}" to.`);
  }
  const state = task.state === 'FAILED' ? task.state : 'ASSIGNED';
  return record({ parts, rows, members, request, change: { state, assigneeId: agentId } });
}

interface Recording {
  parts: MoveParts;
  rows: TeamWriter;
  members: Map<string, StoredMember>;
  request: TaskStepRequest;
  change: { state: TaskState; assigneeId: string | null };
}

async function record({ parts, rows, members, request, change }: Recording): Promise<Task> {
  const { actor, task: before, comment, locations, isSentBack } = request;
  const at = parts.clock.now();
  const completedAt = change.state === 'COMPLETED' ? at : null;
  await rows.changeTask(before.id, { ...locations, ...change, completedAt }, at);
  if (comment !== undefined) await addComment(parts, rows, { actor, taskId: before.id, body: comment });
  const after = await readTask(rows, before.id);
  await followTask(rows, members, { before, after, at });
  await mailTaskNews(parts, rows, { actor, before, after, at, comment, isSentBack });
  return after;
}

/** Throws RESOURCE_NOT_FOUND. */
export async function readTask(rows: Pick<TeamWriter, 'task'>, id: string): Promise<Task> {
  const task = await rows.task(id);
  if (task) return task;
  throw new HubError('RESOURCE_NOT_FOUND', `There is no task "${id.slice(0, 100)}". mcp__task__list shows all tasks.`);
}

export async function addComment(
  parts: Pick<TeamParts, 'clock' | 'redact'>,
  rows: TeamWriter,
  { actor, taskId, body }: { actor: Actor; taskId: string; body: string },
): Promise<{ id: string; taskId: string; authorId: string | null; body: string; at: number }> {
  const at = parts.clock.now();
  const comment = { id: newId('comment', at), taskId, authorId: actorId(actor), body: parts.redact(body), at };
  return { ...comment, at: await rows.addComment(comment) };
}

/** Locks members in the order of their ids, so that two transactions never wait for each other. Skips ids that no longer exist. */
export async function lockMembers(
  rows: TeamWriter,
  ids: readonly (string | null)[],
): Promise<Map<string, StoredMember>> {
  const members = new Map<string, StoredMember>();
  for (const id of [...new Set(ids)].filter((each) => each !== null).sort()) {
    const member = await rows.member(id);
    if (member) members.set(id, member);
  }
  return members;
}

/** Returns the assignee after the move. A member that takes a free task becomes its assignee. */
async function assigneeAfter(
  rows: TeamWriter,
  members: Map<string, StoredMember>,
  { actor, task, to }: TaskStepRequest & { to: TaskState },
): Promise<string | null> {
  if (to === 'PENDING') return null;
  const hasAssignee = task.assigneeId !== null && members.has(task.assigneeId);
  if (hasAssignee || (to !== 'ASSIGNED' && to !== 'IN_PROGRESS')) return task.assigneeId;
  if (actor.kind === 'human') {
    throw new HubError('INVALID_AGENT_STATE', `Task "${task.id}" has no assignee. Assign it to a member first.`);
  }
  const member = await rows.member(actor.member.id);
  if (!member) throw new HubError('AGENT_NOT_FOUND', `Member "${actor.member.id}" is no longer in the team.`);
  members.set(member.id, member);
  return member.id;
}

/** Returns the member's task in progress. Its row is locked, so that no other transaction can give it one. */
async function taskInProgress(rows: TeamWriter, memberId: string): Promise<Task | undefined> {
  return (await allTasks(rows, { assigneeId: memberId, state: ['IN_PROGRESS'] }))[0];
}

function busyError({ id, title, assigneeId }: Task): HubError {
  return new HubError(
    'INVALID_AGENT_STATE',
    `${assigneeId} already works on task "${id}" (${title.slice(0, 80)}); only one task can be in progress. Move that one to REVIEW, BLOCKED or FAILED first.`,
  );
}

async function ensureEpicIsOpen(rows: TeamWriter, { epicId, state }: Task, to: TaskState): Promise<void> {
  const begins = to === 'ASSIGNED' || (to === 'IN_PROGRESS' && state !== 'REVIEW' && state !== 'BLOCKED');
  const epic = begins && epicId !== null ? await rows.epic(epicId) : undefined;
  if (epic) ensureOpen(epic);
}
