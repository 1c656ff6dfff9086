import type { Mail } from '../../../src/team/mail/mail.ts';
import { type Actor, human, type MemberType } from '../../../src/team/members/member.ts';
import type { Team } from '../../../src/team/team.ts';
import type { TaskState } from '../../../src/team/work/task-moves.ts';
import { NewTask, type Task } from '../../../src/team/work/work.ts';

let memberCount = 0;

/** Adds a member with an id that no other test uses. */
export async function newMember(team: Team, type: MemberType, supervisor?: Actor): Promise<MemberActor> {
  memberCount += 1;
  const supervisorId = supervisor?.kind === 'member' ? supervisor.member.id : null;
  const id = `${type.toLowerCase()}-${String(memberCount).padStart(4, '0')}`;
  const { member } = await team.members.add({ id, type, supervisorId });
  return { kind: 'member', member };
}

export type MemberActor = Extract<Actor, { kind: 'member' }>;

/** The moves that lead from ASSIGNED to each state. */
const movesTo: Record<Exclude<TaskState, 'PENDING'>, readonly TaskState[]> = {
  ASSIGNED: [],
  IN_PROGRESS: ['IN_PROGRESS'],
  REVIEW: ['IN_PROGRESS', 'REVIEW'],
  BLOCKED: ['IN_PROGRESS', 'BLOCKED'],
  COMPLETED: ['IN_PROGRESS', 'REVIEW', 'COMPLETED'],
  FAILED: ['IN_PROGRESS', 'FAILED'],
};

/** Returns a task that the user moved to a state. A PENDING task has no assignee. */
export async function taskIn(
  team: Team,
  state: TaskState,
  { assignee, ...fields }: Partial<NewTask> & { assignee: MemberActor },
): Promise<Task> {
  const assigneeId = state === 'PENDING' ? null : assignee.member.id;
  let task = await team.tasks.create(human, NewTask.parse({ title: 'Write the manual', ...fields, assigneeId }));
  for (const status of state === 'PENDING' ? [] : movesTo[state]) {
    task = await team.tasks.move(human, { taskId: task.id, status });
  }
  return task;
}

/** Returns the mail of a member or the user, newest first, without marking it as read. */
export async function mailsTo(team: Team, actor: Actor): Promise<Mail[]> {
  return (await team.mail.inbox(actor, { includeRead: true, limit: 50 })).mails;
}
