import { newId } from '../../base/ids.ts';
import { durationWords } from '../duration-words.ts';
import { postMail } from '../mail/send-mail.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks, letGo } from '../work/follow-task.ts';
import type { Task } from '../work/work.ts';
import type { PresentTime, presentTimes } from './hub-presence.ts';
import type { StoredMember } from './member.ts';
import { toMember } from './roster.ts';
import { upTheLine } from './up-the-line.ts';

type StalledParts = Pick<TeamParts, 'clock' | 'redact' | 'settings'> & { presentTime: ReturnType<typeof presentTimes> };

/** A member with tasks in progress is silent since its last call, or since a task came into progress where that was later. */
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
 * Marks a stalled member FAILED, returns its tasks in progress and mails up the line, all in the transaction of `rows`. Looks at
 * everything again there: who has called meanwhile, or was seen to by another process, is left alone. Returns the tasks.
 */
export async function failStalledMember(parts: StalledParts, rows: TeamWriter, id: string): Promise<string[]> {
  // Rows are taken in the order task, member, as every move of a task does.
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
    // The hub's own act, and no move of a member: the table of moves has no way back for a task in progress.
    await rows.changeTask(task.id, { state: 'PENDING', assigneeId: null }, at);
    await letGo(rows, failed, { taskId: task.id, at });
    const body = `Returned by the hub: ${silence}. Whoever is free may take the task.`;
    await rows.addComment({ id: newId('comment', at), taskId: task.id, authorId: null, body, at });
  }
  await mailStalled(parts, rows, { member, tasks, silence });
  return tasks.map((task) => task.id);
}

async function tasksInProgress(rows: TeamWriter, assigneeId: string): Promise<Task[]> {
  const found = await allTasks(rows, { state: ['IN_PROGRESS'], assigneeId });
  const tasks: Task[] = [];
  for (const id of found.map((task) => task.id).sort()) {
    // Read by its id, it is locked.
    const task = await rows.task(id);
    if (task?.state === 'IN_PROGRESS' && task.assigneeId === assigneeId) tasks.push(task);
  }
  return tasks;
}

/** From the member, so that an answer waits for it when it comes back. */
async function mailStalled(
  parts: StalledParts,
  rows: TeamWriter,
  { member, tasks, silence }: { member: StoredMember; tasks: readonly Task[]; silence: string },
): Promise<void> {
  await postMail(parts, rows, {
    from: { kind: 'member', member: toMember(member, undefined) },
    toAgentId: upTheLine(await rows.members(), member),
    subject: `Stalled: ${silence}`,
    body: [
      `${silence} while it had a task in progress. It is marked FAILED, and its work is back among the pending tasks:`,
      '',
      ...tasks.map((task) => `- ${task.id}: ${task.title}${placeOf(task)}`),
      '',
      `Look at its last calls with "zoo log --member ${member.id}". With its next call it is IDLE again.`,
      'Assign the work to another member, or leave it to whoever claims it.',
    ].join('\n'),
  });
}

function placeOf({ branchName, worktreePath }: Task): string {
  const places = [branchName && `branch ${branchName}`, worktreePath && `worktree ${worktreePath}`].filter(Boolean);
  return places.length === 0 ? '' : ` (${places.join(', ')})`;
}
