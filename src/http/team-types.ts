import type { Mail, MailThread } from '../team/mail.ts';
import type { Member, MemberType } from '../team/member.ts';
import type { EpicWithTasks, HealthReport, TaskWithComments } from '../team/team.ts';
import type { Delivery } from '../team/team-store.ts';
import type { Task } from '../team/work.ts';
import type { DecisionKind } from '../tools/decision-log.ts';

/** The bodies of the team's routes as the web app sees them. Times are ISO 8601. */

/** `GET /api/team/members`. */
export interface MemberListBody {
  members: Member[];
  /** No member has a token yet: whoever says a member's id is believed. */
  believesCallers: boolean;
}

/** `POST /api/team/members` (a NewMember) and `POST /api/team/members/{id}/token`: the token is shown this once. */
export interface MemberTokenBody {
  member: Member;
  token: string | null;
}

export interface PermissionBody {
  tool: string;
  allowed: boolean;
  /** The rule that decided, for people. */
  rule: string;
}

/** `GET /api/team/members/{id}`; `PATCH` (a MemberChange) answers with a Member, `DELETE` with `{success, id}`. */
export interface MemberBody {
  member: Member;
  permissions: PermissionBody[];
  /** Those it has not finished, newest change first. */
  tasks: Task[];
}

/** `GET /api/team/permissions`: types × tools. */
export interface PermissionMatrixBody {
  types: { type: MemberType; allow: string[]; deny: string[] }[];
  tools: { tool: string; decisions: Record<MemberType, { allowed: boolean; rule: string }> }[];
}

/** `GET /api/team/health`. */
export type HealthBody = HealthReport;

/** `GET /api/team/deliveries?state&limit&cursor`; `POST /api/team/deliveries/{id}/retry` answers `{success: true}`. */
export interface DeliveryListBody {
  deliveries: Delivery[];
  cursor: string | null;
  pending: number;
  dead: number;
}

/** `GET /api/mail?all&unread&escalations&text&limit&cursor` (the three flags: `true`). */
export interface MailListBody {
  threads: MailThread[];
  cursor: string | null;
  /** Unread mails for the person, counted up to 1,000. */
  unread: number;
}

/** `GET /api/mail/threads/{threadId}?limit&cursor`: oldest first, of a long one the newest. `?peek=true` leaves unread what is unread. */
export interface MailThreadBody {
  mails: Mail[];
  /** For the mails before these. */
  cursor: string | null;
}

/** `POST /api/mail` (`{toAgentId, subject, body}`) and `POST /api/mail/{mailId}/reply` (`{body}`). */
export interface MailSentBody {
  mailId: string;
  timestamp: string;
}

/** `GET /api/tasks?state&epicId&assigneeId&limit&cursor` (`state` may hold several, with commas). `POST` (a NewTask) answers with a Task. */
export interface TaskListBody {
  tasks: Task[];
  cursor: string | null;
}

/**
 * `GET /api/tasks/{id}`. `PATCH` (a TaskChange), `POST …/move` (`{status, comment?, worktreePath?, branchName?, prUrl?}`) and
 * `POST …/assign` (`{agentId}`, null takes it away) answer with a Task; `POST …/comments` (`{body}`) with a TaskComment.
 */
export type TaskBody = TaskWithComments;

/** `GET /api/epics?state&limit&cursor`. `POST` (a NewEpic), `PATCH /api/epics/{id}` (an EpicChange with an optional `status`). */
export interface EpicListBody {
  epics: EpicWithTasks[];
  cursor: string | null;
}

export interface DecisionBody {
  seq: number;
  callId: string;
  kind: DecisionKind;
  at: string;
  surface: string;
  agentId: string | null;
  persona: string | null;
  taskId: string | null;
  tool: string;
  decision: string;
  reasoning: string;
  /** Input or output as it was kept; null when it is not JSON. Stack traces stay on the server. */
  context: unknown;
  chain: string;
  chainNo: number;
  hash: string;
}

/** `GET /api/decisions?agentId&tool&kind&taskId&callId&since&until&text&cursor&after&limit`. */
export interface DecisionListBody {
  decisions: DecisionBody[];
  cursor: string | null;
  /** Send it as `after` to get what is new, oldest first. */
  newest: string | null;
}

/** `GET /api/decisions/counts?since&until&step&agentId&tool` (`step` in minutes). */
export interface DecisionCountsBody {
  stepMinutes: number;
  counts: { at: string; calls: number; errors: number }[];
}

/** `GET /api/decisions/tools`: the names of tools that were called. */
export interface DecisionToolsBody {
  tools: string[];
}
