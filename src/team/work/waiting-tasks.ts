import { durationWords } from '../../base/duration-words.ts';
import { postMail } from '../mail/send-mail.ts';
import type { PresentTime, presentTimes } from '../members/hub-presence.ts';
import type { Actor, StoredMember } from '../members/member.ts';
import { toMember } from '../members/roster.ts';
import { nearestSupervisor } from '../members/supervisors.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import type { TaskState } from './task-moves.ts';
import type { Task } from './work.ts';

type WaitingParts = Pick<TeamParts, 'clock' | 'redact' | 'settings'> & { presentTime: ReturnType<typeof presentTimes> };

/** States in which a task waits for someone. */
export const waitingStates = ['ASSIGNED', 'REVIEW', 'BLOCKED'] as const satisfies readonly TaskState[];

/** Returns why a task counts as waiting, in words, or undefined if it does not. */
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

/** Returns the key under which a mail about a waiting task is recorded: one per task and state. */
export function waitingKey(task: Pick<Task, 'id' | 'state'>): string {
  return `waiting:${task.id}:${task.state}`;
}

/** Mails a supervisor once per task and state, and again each time the limit passes once more. Returns whether it sent a mail. */
export async function mailWaitingTask(parts: WaitingParts, rows: TeamWriter, taskId: string): Promise<boolean> {
  const task = await rows.task(taskId);
  if (!task) return false;
  const reason = waitingReason(parts.settings, task, await parts.presentTime(rows));
  if (reason === undefined) return false;
  const at = parts.clock.now();
  const key = waitingKey(task);
  const { waitingAfterMs } = parts.settings;
  // The upper limit leaves out mails sent while a clock was ahead.
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
      nextStepFor(task),
    ].join('\n'),
  });
  await rows.addEscalation({ fault: key, mailId, at });
  return true;
}

/** Returns the assignee's supervisor, or the creator of a task without an assignee. */
function recipientOf(task: Task, members: readonly StoredMember[]): string | null {
  const assignee = members.find(({ id }) => id === task.assigneeId);
  if (assignee) return nearestSupervisor(members, assignee);
  return nearestSupervisor(members, { id: '', supervisorId: task.createdBy });
}

/** Returns the assignee, so that a reply reaches it. */
function senderOf(task: Task, members: readonly StoredMember[]): Actor | { kind: 'system' } {
  const assignee = members.find(({ id }) => id === task.assigneeId);
  return assignee ? { kind: 'member', member: toMember(assignee, undefined) } : { kind: 'system' };
}

function nextStepFor(task: Task): string {
  if (task.state === 'REVIEW') return 'Approve it or request changes.';
  if (task.state === 'BLOCKED') return `Read its comments with "zoo task show ${task.id}", and resolve what blocks it.`;
  return 'Ask its assignee, or assign it to another member.';
}
