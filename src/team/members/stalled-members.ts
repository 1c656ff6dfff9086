import { durationWords } from '../../base/duration-words.ts';
import { newId } from '../../base/ids.ts';
import { postMail } from '../mail/send-mail.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks, releaseTask } from '../work/follow-task.ts';
import type { Task } from '../work/work.ts';
import type { PresentTime, presentTimes } from './hub-presence.ts';
import type { StoredMember } from './member.ts';
import { toMember } from './roster.ts';
import { nearestSupervisor } from './supervisors.ts';

type StalledParts = Pick<TeamParts, 'clock' | 'redact' | 'settings'> & { presentTime: ReturnType<typeof presentTimes> };

/** Returns how long a member with tasks in progress has been silent: since its last call, or since a task began if that was later. */
export function silentFor(
  timeOf: PresentTime,
  {
    memberId,
    tasks,
    lastCall,
  }: { memberId: string; tasks: readonly Pick<Task, 'stateSince'>[]; lastCall: number | undefined },
): number {
  if (tasks.length === 0) return 0;
  const since = tasks.reduce((latest, task) => Math.max(latest, Date.parse(task.stateSince)), lastCall ?? 0);
  return timeOf({ key: `silent:${memberId}`, since, memberId });
}

/**
 * Marks a stalled member FAILED, returns its tasks in progress and mails its supervisor, all in the transaction of `rows`. Checks
 * again there whether the member is still stalled. Returns the ids of the returned tasks.
 */
export async function failStalledMember(parts: StalledParts, rows: TeamWriter, id: string): Promise<string[]> {
  // Locks tasks before members, like every move of a task, to avoid deadlocks.
  const tasks = await tasksInProgress(rows, id);
  const member = await rows.member(id);
  if (!member) return [];
  const at = parts.clock.now();
  const timeOf = await parts.presentTime(rows);
  const silentMs = silentFor(timeOf, { memberId: id, tasks, lastCall: await rows.lastCall(id) });
  if (silentMs <= parts.settings.stalledAfterMs) return [];
  const silence = `${id} made no call for ${durationWords(silentMs)}`;
  const failed: StoredMember = { ...member, state: 'FAILED' };
  await rows.changeMember(id, { state: 'FAILED' }, at);
  for (const task of tasks) {
    // Not a regular move: members cannot move a task from IN_PROGRESS to PENDING.
    await rows.changeTask(task.id, { state: 'PENDING', assigneeId: null }, at);
    await releaseTask(rows, failed, { taskId: task.id, at });
    const body = `Returned by the hub: ${silence}. Any free member may take the task.`;
    await rows.addComment({ id: newId('comment', at), taskId: task.id, authorId: null, body, at });
  }
  await mailStalled(parts, rows, { member, tasks, silence });
  return tasks.map((task) => task.id);
}

async function tasksInProgress(rows: TeamWriter, assigneeId: string): Promise<Task[]> {
  const found = await allTasks(rows, { state: ['IN_PROGRESS'], assigneeId });
  const tasks: Task[] = [];
  for (const id of found.map((task) => task.id).sort()) {
    // Reading by id locks the task.
    const task = await rows.task(id);
    if (task?.state === 'IN_PROGRESS' && task.assigneeId === assigneeId) tasks.push(task);
  }
  return tasks;
}

/** Sends the mail in the member's name, so that the member finds a reply when it comes back. */
async function mailStalled(
  parts: StalledParts,
  rows: TeamWriter,
  { member, tasks, silence }: { member: StoredMember; tasks: readonly Task[]; silence: string },
): Promise<void> {
  await postMail(parts, rows, {
    from: { kind: 'member', member: toMember(member, undefined) },
    toAgentId: nearestSupervisor(await rows.members(), member),
    subject: `Stalled: ${silence}`,
    body: [
      `${silence} while it had a task in progress. It is marked FAILED, and its tasks are pending again:`,
      '',
      ...tasks.map((task) => `- ${task.id}: ${task.title}${locationOf(task)}`),
      '',
      `"zoo log --member ${member.id}" shows its last calls. Its next call makes it IDLE again.`,
      'Assign the tasks to another member, or let free members claim them.',
    ].join('\n'),
  });
}

function locationOf({ branchName, worktreePath }: Task): string {
  const parts = [branchName && `branch ${branchName}`, worktreePath && `worktree ${worktreePath}`].filter(Boolean);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
