import { z } from 'zod';
import { defineContract } from '../../base/contract.ts';
import { DeletedBody } from '../../base/contract-fields.ts';
import { DeliveryCounts } from '../events/deliveries.contract.ts';
import { Task, TaskState } from '../work/work.ts';
import { Member, MemberChange, MemberState, MemberType, NewMember } from './member.ts';

const moment = z.iso.datetime();
const verdict = { allowed: z.boolean(), rule: z.string().describe('The rule that decided, in plain words.') };

/** The token is shown only once. */
const MemberTokenBody = z.object({ member: Member, token: z.string().nullable() });
export type MemberTokenBody = z.infer<typeof MemberTokenBody>;

const MemberListBody = z.object({
  members: z.array(Member),
  believesCallers: z
    .boolean()
    .describe('True while no member has a token: the member id in a call is accepted without proof.'),
});
export type MemberListBody = z.infer<typeof MemberListBody>;

const PermissionBody = z.object({ tool: z.string(), ...verdict });
export type PermissionBody = z.infer<typeof PermissionBody>;

const MemberBody = z.object({
  member: Member,
  permissions: z.array(PermissionBody),
  tasks: z.array(Task).describe('Its unfinished tasks, most recently changed first.'),
});
export type MemberBody = z.infer<typeof MemberBody>;

const PermissionMatrixBody = z.object({
  types: z.array(z.object({ type: MemberType, allow: z.array(z.string()), deny: z.array(z.string()) })),
  tools: z.array(z.object({ tool: z.string(), decisions: z.record(MemberType, z.object(verdict)) })),
});
export type PermissionMatrixBody = z.infer<typeof PermissionMatrixBody>;

const MemberHealth = z.object({
  agentId: z.string(),
  type: MemberType,
  state: MemberState,
  currentTaskId: z.string().nullable(),
  lastActiveAt: moment.nullable(),
  isStalled: z.boolean(),
  reason: z.string().nullable(),
});
export type MemberHealth = z.infer<typeof MemberHealth>;

export const HealthReport = z.object({
  members: z.array(MemberHealth),
  tasks: z
    .array(z.object({ taskId: z.string(), state: TaskState, since: moment, reason: z.string() }))
    .describe('Tasks that have waited too long.'),
  deliveries: DeliveryCounts,
  isHealthy: z.boolean(),
});
export type HealthReport = z.infer<typeof HealthReport>;

/** The result of a recovery. */
export const RecoveryReport = z.object({
  failedMembers: z.array(z.string()).describe('Members that were marked FAILED. Their tasks were returned.'),
  returnedTasks: z.array(z.string()),
  closedCalls: z
    .array(z.string())
    .describe('Calls that a crash left without an outcome. The log now has one for each.'),
  mails: z.int(),
});
export type RecoveryReport = z.infer<typeof RecoveryReport>;

export const membersContract = defineContract('Team', {
  'GET /api/team/members': {
    right: 'administer',
    summary: 'List members',
    answer: 'All members of the team.',
    output: MemberListBody,
  },
  'POST /api/team/members': {
    right: 'administer',
    summary: 'Add a member',
    description: 'The token is shown only once; the hub stores only its hash.',
    body: NewMember.extend({
      withToken: z.boolean().default(true).describe('Whether to create a token for the member.'),
    }),
    example: { id: 'worker-1', type: 'WORKER', supervisorId: 'lead' },
    status: 201,
    answer: 'The member and its token.',
    output: MemberTokenBody,
    errors: [400, 409],
  },
  'GET /api/team/members/{id}': {
    right: 'administer',
    summary: 'Read a member',
    answer: 'The member, its permissions and its tasks.',
    output: MemberBody,
    errors: [404],
  },
  'PATCH /api/team/members/{id}': {
    right: 'administer',
    summary: 'Change a member',
    body: MemberChange,
    example: { type: 'ORCHESTRATOR' },
    answer: 'The member.',
    output: Member,
    errors: [400, 404],
  },
  'DELETE /api/team/members/{id}': {
    right: 'administer',
    summary: 'Remove a member',
    description: 'Its open tasks become pending again.',
    answer: 'The member was removed.',
    output: DeletedBody,
    errors: [404],
  },
  'POST /api/team/members/{id}/token': {
    right: 'administer',
    summary: 'Create a new token',
    description: 'The previous token stops working at once in this process, and within a second in others.',
    answer: 'The member and its token, which is shown only once.',
    output: MemberTokenBody,
    errors: [404],
  },
  'DELETE /api/team/members/{id}/token': {
    right: 'administer',
    summary: 'Revoke the token',
    answer: 'The member.',
    output: Member,
    errors: [404],
  },
  'GET /api/team/permissions': {
    right: 'administer',
    summary: 'Read the permissions of all member types',
    answer: 'The rules of each member type, and their decision for each tool.',
    output: PermissionMatrixBody,
  },
  'GET /api/team/health': {
    right: 'administer',
    summary: 'Check the health of the team',
    answer: 'Members, waiting tasks and failed deliveries.',
    output: HealthReport,
  },
});
