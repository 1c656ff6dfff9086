import type { StoredMember, StoredMemberChange } from '../members/member.ts';
import type { TeamReader, TeamWriter } from '../team.store.ts';
import { priorities, type Task, type TaskQuery } from './work.ts';

export interface TaskStep {
  before: Task;
  after: Task;
  at: number;
}

/**
 * Updates the members after a task changed. `members` are the locked rows of its assignees, present and former. Every transaction
 * that changes a member's tasks locks that member's row, so that its tasks and its state always match.
 */
export async function followTask(
  rows: TeamWriter,
  members: ReadonlyMap<string, StoredMember>,
  { before, after, at }: TaskStep,
): Promise<void> {
  const former = before.assigneeId === after.assigneeId ? undefined : members.get(before.assigneeId ?? '');
  if (former) await releaseTask(rows, former, { taskId: before.id, at });
  const member = members.get(after.assigneeId ?? '');
  if (!member) return;
  const isCurrent = member.currentTaskId === after.id;
  switch (after.state) {
    case 'ASSIGNED':
      if (member.currentTaskId === null) await rows.changeMember(member.id, nowOn(member, after), at);
      return;
    case 'IN_PROGRESS':
      await rows.changeMember(member.id, { ...nowOn(member, after), state: 'BUSY' }, at);
      return;
    case 'REVIEW':
    case 'BLOCKED':
      // A member stays BUSY if another task is its current one.
      if (isCurrent) await rows.changeMember(member.id, { state: 'WAITING' }, at);
      return;
    case 'PENDING':
    case 'COMPLETED':
    case 'FAILED':
      await releaseTask(rows, member, { taskId: after.id, at });
  }
}

/** Replaces a member's current task with the assigned task that has waited longest, if any. */
export async function releaseTask(
  rows: TeamWriter,
  member: StoredMember,
  { taskId, at }: { taskId: string; at: number },
): Promise<void> {
  if (member.currentTaskId !== taskId) return;
  const next = await nextAssigned(rows, member.id);
  const change = next ? nowOn(member, next) : { currentTaskId: null };
  await rows.changeMember(member.id, { ...change, state: member.state === 'FAILED' ? 'FAILED' : 'IDLE' }, at);
}

export async function nextAssigned(rows: TeamWriter, memberId: string): Promise<Task | undefined> {
  return (await allTasks(rows, { assigneeId: memberId, state: ['ASSIGNED'] })).sort(byTurn)[0];
}

/** Returns the change that makes a task the current one. A worker's epic follows its task; others keep theirs if the task has none. */
export function nowOn(member: StoredMember, task: Task): StoredMemberChange {
  const currentEpicId = member.type === 'WORKER' ? task.epicId : (task.epicId ?? member.currentEpicId);
  return { currentTaskId: task.id, currentEpicId };
}

export async function allTasks(rows: Pick<TeamReader, 'tasks'>, query: TaskQuery): Promise<Task[]> {
  const all: Task[] = [];
  for await (const task of eachTask(rows, query)) all.push(task);
  return all;
}

/** Last changed first. */
export async function* eachTask(rows: Pick<TeamReader, 'tasks'>, query: TaskQuery): AsyncGenerator<Task> {
  let cursor: string | undefined;
  do {
    const page = await rows.tasks({ ...query, limit: 200, cursor });
    yield* page.items;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
}

/** The most urgent first, then by the time in the current state, longest first. Ids sort by time. */
export function byTurn(one: Task, other: Task): number {
  return byPriority(one, other) || compare(one.stateSince, other.stateSince) || compare(one.id, other.id);
}

export function byPriority(one: Task, other: Task): number {
  return priorities.indexOf(one.priority) - priorities.indexOf(other.priority);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
