import type { NewMail, StoredMember, TeamStore } from '../../../src/team/team-store.ts';
import type { Epic, Task } from '../../../src/team/work/work.ts';

/** Rows of a team with all that a test does not care about. */

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

/** From the person to `w`, unless it is said otherwise. */
export function mailRow(id: string, fields: Partial<NewMail> = {}): NewMail {
  return {
    id,
    threadId: id,
    inReplyTo: null,
    fromAgentId: null,
    fromAgentType: 'HUMAN',
    toAgentId: 'w',
    isForHuman: false,
    subject: `About ${id}`,
    body: `Body of ${id}`,
    at: teamTime,
    escalation: null,
    ...fields,
  };
}

/** From the member `w` to the person. */
export function mailToPerson(id: string, fields: Partial<NewMail> = {}): NewMail {
  return mailRow(id, { fromAgentId: 'w', fromAgentType: 'WORKER', toAgentId: null, isForHuman: true, ...fields });
}

export function taskRow(id: string, fields: Partial<Task> = {}): Task {
  return {
    id,
    title: `Do ${id}`,
    description: '',
    state: 'PENDING',
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

export async function addMails(team: TeamStore, mails: readonly NewMail[]): Promise<void> {
  await team.write(async (rows) => {
    for (const mail of mails) await rows.addMail(mail);
  });
}
