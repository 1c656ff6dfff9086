import { type Mail, newMail, type Posting } from '../../../src/team/mail/mail.ts';
import { human, type StoredMember } from '../../../src/team/members/member.ts';
import type { TeamStore } from '../../../src/team/team.store.ts';
import type { Epic, Task } from '../../../src/team/work/work.ts';

/** Rows of a team with defaults for the fields that a test does not mention. */

export const teamTime = Date.UTC(2026, 10, 15, 12);
const at = new Date(teamTime).toISOString();

export function memberRow(id: string, fields: Partial<StoredMember> = {}): StoredMember {
  return {
    id,
    agent: null,
    type: 'WORKER',
    state: 'IDLE',
    supervisorId: null,
    currentEpicId: null,
    currentTaskId: null,
    tmuxSessionName: null,
    tokenHash: null,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}

type MailFields = Partial<Omit<Mail, 'escalation'>> & Pick<Posting, 'escalation'> & { at?: number };

/** A mail from the user to `w`, sent `at` a time in milliseconds. */
export function mailRow(id: string, { at: sentAt = teamTime, escalation, ...fields }: MailFields = {}): Mail {
  const posting = { from: human, toAgentId: 'w', subject: `About ${id}`, body: `Body of ${id}` };
  const mail = newMail(
    { ...posting, ...(escalation && { escalation }) },
    { id, createdAt: new Date(sentAt).toISOString() },
  );
  return { ...mail, ...fields };
}

/** A mail from the member `w` to the user. */
export function mailToUser(id: string, fields: MailFields = {}): Mail {
  return mailRow(id, { fromAgentId: 'w', fromAgentType: 'WORKER', toAgentId: null, isForHuman: true, ...fields });
}

export function taskRow(id: string, fields: Partial<Task> = {}): Task {
  return {
    id,
    title: `Do ${id}`,
    description: '',
    state: 'PENDING',
    priority: 'normal',
    dueDate: null,
    labels: [],
    epicId: null,
    assigneeId: null,
    createdBy: null,
    worktreePath: null,
    branchName: null,
    prUrl: null,
    comments: 0,
    stateSince: at,
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    ...fields,
  };
}

export function epicRow(id: string, fields: Partial<Epic> = {}): Epic {
  return {
    id,
    linearIssueId: null,
    linearIssueUrl: null,
    title: `Epic ${id}`,
    description: '',
    state: 'PLANNING',
    createdAt: at,
    updatedAt: at,
    completedAt: null,
    ...fields,
  };
}

/** Adds the mails in the order of their times, as they would have arrived. */
export async function addMails(team: TeamStore, mails: readonly Mail[]): Promise<void> {
  const inOrder = mails.toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt));
  await team.write(async (rows) => {
    for (const mail of inOrder) await rows.addMail(mail);
  });
}
