import type { Kysely, Transaction } from 'kysely';
import { toIso } from '../base/clock.ts';
import type { Write } from '../db/database.ts';
import type { SqlDialect } from '../db/sql-dialect.ts';
import type { EpicRow, MailRow, Tables, TaskCommentRow, TaskRow, TeamMemberRow } from '../db/tables.ts';
import type { Mail } from './mail/mail.ts';
import type { StoredMember } from './team-store.ts';
import type { Epic, Task, TaskComment } from './work/work.ts';

/** How the team's rows are reached: each statement on its own, or all in one transaction. */
export interface TeamRows {
  run<T>(query: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** In a transaction, keeps a row that is read by its id locked until the transaction ends. */
  lockRows: SqlDialect['lockRows'];
}

export interface TeamWrite extends TeamRows {
  db: Transaction<Tables>;
  dialect: SqlDialect;
  changed: Write['changed'];
}

/** In `recipient`; no member can have it as its id. */
export const person = '';

// The words in `type`, `state` and JSON columns were checked by the team's schemas before they were written.

export function toMember(row: TeamMemberRow): StoredMember {
  return {
    id: row.id,
    agent: row.agent,
    type: row.type as StoredMember['type'],
    state: row.state as StoredMember['state'],
    supervisorId: row.supervisor_id,
    currentEpicId: row.current_epic_id,
    currentTaskId: row.current_task_id,
    tmuxSessionName: row.tmux_session_name,
    tokenHash: row.token_hash,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}

export function toMail(row: MailRow): Mail {
  return {
    id: row.id,
    threadId: row.thread_id,
    inReplyTo: row.in_reply_to,
    fromAgentId: row.from_agent_id,
    fromAgentType: row.from_agent_type as Mail['fromAgentType'],
    toAgentId: row.recipient === person ? null : row.recipient,
    isForHuman: row.recipient === person,
    subject: row.subject,
    body: row.body,
    isRead: row.read_at !== null,
    createdAt: toIso(row.at),
    readAt: isoOrNull(row.read_at),
    escalation:
      row.escalation === null
        ? null
        : {
            ...JSON.parse(row.escalation),
            count: row.escalation_count,
            lastAt: toIso(row.escalation_at ?? row.at),
          },
  };
}

export function toEpic(row: EpicRow): Epic {
  return {
    id: row.id,
    linearIssueId: row.linear_issue_id,
    linearIssueUrl: row.linear_issue_url,
    title: row.title,
    description: row.description,
    state: row.state as Epic['state'],
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    completedAt: isoOrNull(row.completed_at),
  };
}

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    state: row.state as Task['state'],
    epicId: row.epic_id,
    assigneeId: row.assignee_id,
    createdBy: row.created_by,
    worktreePath: row.worktree_path,
    branchName: row.branch_name,
    prUrl: row.pr_url,
    comments: row.comments,
    stateSince: toIso(row.state_since),
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    completedAt: isoOrNull(row.completed_at),
  };
}

export function toComment(row: TaskCommentRow): TaskComment {
  return { id: row.id, taskId: row.task_id, authorId: row.author_id, body: row.body, createdAt: toIso(row.at) };
}

export function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIso(milliseconds);
}

export function msOrNull(moment: string | null): number | null {
  return moment === null ? null : Date.parse(moment);
}
