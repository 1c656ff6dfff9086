import { z } from 'zod';
import { Mail } from '../team/mail.ts';
import { Member, MemberState, MemberType } from '../team/member.ts';
import { Epic, Task, TaskComment, TaskState } from '../team/work.ts';
import { decisionKinds } from '../tools/decision-log.ts';
import type * as Api from './team-types.ts';

/** The bodies of `team-types.ts` as schemas, for the API's description of itself. The compiler keeps both alike. */

const cursor = z.string().nullable().describe('For the next page; null at the end.');
const moment = z.iso.datetime();

export const MemberListBody = z.object({
  members: z.array(Member),
  believesCallers: z.boolean(),
}) satisfies z.ZodType<Api.MemberListBody>;

export const MemberTokenBody = z.object({
  member: Member,
  token: z.string().nullable(),
}) satisfies z.ZodType<Api.MemberTokenBody>;

export const MemberBody = z.object({
  member: Member,
  permissions: z.array(z.object({ tool: z.string(), allowed: z.boolean(), rule: z.string() })),
  tasks: z.array(Task),
}) satisfies z.ZodType<Api.MemberBody>;

export const PermissionMatrixBody = z.object({
  types: z.array(z.object({ type: MemberType, allow: z.array(z.string()), deny: z.array(z.string()) })),
  tools: z.array(
    z.object({
      tool: z.string(),
      decisions: z.record(MemberType, z.object({ allowed: z.boolean(), rule: z.string() })),
    }),
  ),
}) satisfies z.ZodType<Api.PermissionMatrixBody>;

const counts = z.object({ pending: z.int(), dead: z.int() });

export const HealthBody = z.object({
  members: z.array(
    z.object({
      agentId: z.string(),
      type: MemberType,
      state: MemberState,
      currentTaskId: z.string().nullable(),
      lastActiveAt: moment.nullable(),
      isStalled: z.boolean(),
      reason: z.string().nullable(),
    }),
  ),
  tasks: z.array(z.object({ taskId: z.string(), state: TaskState, since: moment, reason: z.string() })),
  deliveries: counts,
  isHealthy: z.boolean(),
}) satisfies z.ZodType<Api.HealthBody>;

export const DeliveryListBody = z.object({
  deliveries: z.array(
    z.object({
      id: z.string(),
      eventId: z.string(),
      type: z.string(),
      data: z.string(),
      createdAt: moment,
      target: z.string(),
      state: z.enum(['pending', 'done', 'dead']),
      attempts: z.int(),
      nextAttemptAt: moment.nullable(),
      lastError: z.string().nullable(),
      deliveredAt: moment.nullable(),
    }),
  ),
  cursor,
  ...counts.shape,
}) satisfies z.ZodType<Api.DeliveryListBody>;

export const MailListBody = z.object({
  threads: z.array(
    z.object({
      threadId: z.string(),
      subject: z.string(),
      participants: z.array(z.string().nullable()),
      mails: z.int(),
      unread: z.int(),
      last: Mail,
      hasEscalation: z.boolean(),
    }),
  ),
  cursor,
  unread: z.int(),
}) satisfies z.ZodType<Api.MailListBody>;

export const MailThreadBody = z.object({
  mails: z.array(Mail),
  cursor,
}) satisfies z.ZodType<Api.MailThreadBody>;
export const MailSentBody = z.object({ mailId: z.string(), timestamp: moment }) satisfies z.ZodType<Api.MailSentBody>;

export const TaskListBody = z.object({ tasks: z.array(Task), cursor }) satisfies z.ZodType<Api.TaskListBody>;
export const TaskBody = z.object({
  ...Task.shape,
  commentList: z.array(TaskComment),
}) satisfies z.ZodType<Api.TaskBody>;

export const EpicBody = z.object({ ...Epic.shape, tasks: z.record(TaskState, z.int()) });
export const EpicListBody = z.object({ epics: z.array(EpicBody), cursor }) satisfies z.ZodType<Api.EpicListBody>;

export const DecisionBody = z.object({
  seq: z.int(),
  callId: z.string(),
  kind: z.enum(decisionKinds),
  at: moment,
  surface: z.string(),
  agentId: z.string().nullable(),
  persona: z.string().nullable(),
  taskId: z.string().nullable(),
  tool: z.string(),
  decision: z.string(),
  reasoning: z.string(),
  context: z.unknown(),
  chain: z.string(),
  chainNo: z.int(),
  hash: z.string(),
}) satisfies z.ZodType<Api.DecisionBody>;

export const DecisionListBody = z.object({
  decisions: z.array(DecisionBody),
  cursor,
  newest: z.string().nullable(),
}) satisfies z.ZodType<Api.DecisionListBody>;

export const DecisionCountsBody = z.object({
  stepMinutes: z.int(),
  counts: z.array(z.object({ at: moment, calls: z.int(), errors: z.int() })),
}) satisfies z.ZodType<Api.DecisionCountsBody>;

export const DecisionToolsBody = z.object({ tools: z.array(z.string()) }) satisfies z.ZodType<Api.DecisionToolsBody>;
