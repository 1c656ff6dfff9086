import type { StoredMember } from '../members/member.ts';
import { nearestSupervisor } from '../members/supervisors.ts';
import type { TeamReader } from '../team.store.ts';
import { eachTask } from './follow-task.ts';
import type { Task } from './work.ts';

/** The start of the subject of a mail that asks for a review. */
export const reviewSubject = 'Task ready for review';

/** Returns who reviews a task: the member that created it, else the assignee's supervisor, or null for the user. */
export function reviewerOf(task: Task, members: readonly StoredMember[]): string | null {
  const creator = members.find(({ id }) => id === task.createdBy && id !== task.assigneeId);
  return creator?.id ?? supervisorOf(task, members);
}

/** Returns the supervisor of the assignee; null for the user. */
export function supervisorOf(task: Task, members: readonly StoredMember[]): string | null {
  const assignee = members.find(({ id }) => id === task.assigneeId);
  return assignee ? nearestSupervisor(members, assignee) : null;
}

/** Returns up to `limit` tasks that wait for the user's review, last changed first. */
export async function reviewsForUser(rows: Pick<TeamReader, 'tasks' | 'members'>, limit: number): Promise<Task[]> {
  const members = await rows.members();
  const found: Task[] = [];
  for await (const task of eachTask(rows, { state: ['REVIEW'] })) {
    if (reviewerOf(task, members) === null) found.push(task);
    if (found.length === limit) break;
  }
  return found;
}
