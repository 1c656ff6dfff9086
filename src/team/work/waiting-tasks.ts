import { durationWords } from '../duration-words.ts';
import { postMail } from '../mail/send-mail.ts';
import type { PresentTime, presentTimes } from '../members/hub-presence.ts';
import type { Actor, StoredMember } from '../members/member.ts';
import { toMember } from '../members/roster.ts';
import { upTheLine } from '../members/up-the-line.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import type { TaskState } from './task-moves.ts';
import type { Task } from './work.ts';

type WaitingParts = Pick<TeamParts, 'clock' | 'redact' | 'settings'> & { presentTime: ReturnType<typeof presentTimes> };

/** States in which a task waits for somebody. */
export const waitingStates = ['ASSIGNED', 'REVIEW', 'BLOCKED'] as const satisfies readonly TaskState[];

/** For people; undefined when it does not wait, or not for long. */
export function waitingReason(
  { waitingAfterMs }: Pick<TeamParts['settings'], 'waitingAfterMs'>,
  task: Task,
  timeOf: PresentTime,
): string | undefined {
  const since = Date.parse(task.stateSince);
  const waitedMs = timeOf({ key: waitingKey(task), since, memberId: task.assigneeId });
  if (waitedMs <= waitingAfterMs) return undefined;
  const time = durationWords(waitedMs);
  switch (task.state) {
    case 'ASSIGNED':
      return `assigned to ${task.assigneeId ?? 'nobody'} for ${time} and not begun`;
    case 'REVIEW':
      return `in review for ${time}`;
    case 'BLOCKED':
      return `blocked for ${time}`;
    default:
      return undefined;
  }
}

/** The name under which a mail about it is noted: one for each task and state. */
export function waitingKey(task: Pick<Task, 'id' | 'state'>): string {
  return `waiting:${task.id}:${task.state}`;
}

/** One mail up the line for each task and state, and a new one when it still waits as long again. True when it was sent now. */
export async function mailWaitingTask(parts: WaitingParts, rows: TeamWriter, taskId: string): Promise<boolean> {
  const task = await rows.task(taskId);
  if (!task) return false;
  const reason = waitingReason(parts.settings, task, await parts.presentTime(rows));
  if (reason === undefined) return false;
  const at = parts.clock.now();
  const key = waitingKey(task);
  const { waitingAfterMs } = parts.settings;
  // Later than that lies only what was sent while a clock was ahead.
  if ((await rows.escalations(key, at - waitingAfterMs, at + waitingAfterMs)).length > 0) return false;
  const members = await rows.members();
  const { mailId } = await postMail(parts, rows, {
    from: senderOf(task, members),
    toAgentId: recipientOf(task, members),
    subject: `Waiting: ${task.title.slice(0, 200)}`,
    body: [
      `The task ${task.id} is ${reason}.`,
      '',
      `Title: ${task.title}`,
      `State: ${task.state} since ${task.stateSince}`,
      `Assignee: ${task.assigneeId ?? 'none'}`,
      '',
      whatHelps(task),
    ].join('\n'),
  });
  await rows.addEscalation({ fault: key, mailId, at });
  return true;
}

/** The one above the assignee; a task that nobody has goes to who made it. */
function recipientOf(task: Task, members: readonly StoredMember[]): string | null {
  const assignee = members.find(({ id }) => id === task.assigneeId);
  if (assignee) return upTheLine(members, assignee);
  return upTheLine(members, { id: '', supervisorId: task.createdBy });
}

/** The assignee, so that an answer reaches it. */
function senderOf(task: Task, members: readonly StoredMember[]): Actor | { kind: 'system' } {
  const assignee = members.find(({ id }) => id === task.assigneeId);
  return assignee ? { kind: 'member', member: toMember(assignee, undefined) } : { kind: 'system' };
}

function whatHelps(task: Task): string {
  if (task.state === 'REVIEW') return 'Approve it or request changes.';
  if (task.state === 'BLOCKED')
    return `Read its comments with "zoo task show ${task.id}", and answer what holds it up.`;
  return 'Ask its assignee, or assign it to another member.';
}
