import { z } from 'zod';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { Member, MemberChange, memberTypes, NewMember } from '../../team/member.ts';
import { taskStates } from '../../team/task-moves.ts';
import { DeletedBody } from '../api-schemas.ts';
import { defineRoute, type Route } from '../route.ts';
import {
  DeliveryListBody,
  HealthBody,
  MemberBody,
  MemberListBody,
  MemberTokenBody,
  PermissionMatrixBody,
} from '../team-schemas.ts';
import type * as Api from '../team-types.ts';
import { pageQuery } from './page-query.ts';

const group = 'Team';
const NewMemberBody = NewMember.extend({
  withToken: z.boolean().default(true).describe('False makes a member without a token.'),
});
const openStates = taskStates.filter((state) => state !== 'COMPLETED');

export function teamRoutes(hub: Hub): Route[] {
  const { members, health, events } = hub.team;
  return [
    defineRoute({
      method: 'get',
      path: '/api/team/members',
      group,
      summary: 'List members',
      answer: { status: 200, description: 'Everybody in the team.', schema: MemberListBody },
      handle: async ({ context }) => {
        const body: Api.MemberListBody = {
          members: await members.list(),
          believesCallers: await members.believesCallers(),
        };
        return context.json(body);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/team/members',
      group,
      summary: 'Add a member',
      description: 'The token in the answer is shown this once; only its hash is stored.',
      body: { schema: NewMemberBody, example: { id: 'worker-1', type: 'WORKER', supervisorId: 'lead' } },
      answer: { status: 201, description: 'The member and its token.', schema: MemberTokenBody },
      errors: [400, 409],
      handle: async ({ context, body }) => {
        const { withToken, ...member } = parseWith(NewMemberBody, body);
        return context.json(await members.add(member, { withToken }), 201);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/team/members/{id}',
      group,
      summary: 'Read a member',
      answer: { status: 200, description: 'The member, what it may call and its tasks.', schema: MemberBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const member = await members.get(param('id'));
        const decisions = await members.permissions(member.id, await hub.allTools());
        const { items } = await hub.team.tasks.list({ assigneeId: member.id, state: openStates, limit: 100 });
        const permissions = decisions.map(({ tool, decision: { allowed, rule } }) => ({ tool, allowed, rule }));
        return context.json({ member, permissions, tasks: items } satisfies Api.MemberBody);
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/team/members/{id}',
      group,
      summary: 'Change a member',
      body: { schema: MemberChange, example: { type: 'ORCHESTRATOR' } },
      answer: { status: 200, description: 'The member.', schema: Member },
      errors: [400, 404],
      handle: async ({ context, param, body }) =>
        context.json(await members.change(param('id'), parseWith(MemberChange, body))),
    }),
    defineRoute({
      method: 'delete',
      path: '/api/team/members/{id}',
      group,
      summary: 'Remove a member',
      description: 'Its open tasks become pending again.',
      answer: { status: 200, description: 'It is gone.', schema: DeletedBody },
      errors: [404],
      handle: async ({ context, param }) => {
        const { id } = await members.remove(param('id'));
        return context.json({ success: true, id });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/team/members/{id}/token',
      group,
      summary: 'Make a new token',
      description: 'The one before it stops to work at once.',
      answer: { status: 200, description: 'The member and its token, shown this once.', schema: MemberTokenBody },
      errors: [404],
      handle: async ({ context, param }) => context.json(await members.makeToken(param('id'))),
    }),
    defineRoute({
      method: 'delete',
      path: '/api/team/members/{id}/token',
      group,
      summary: 'Take the token away',
      answer: { status: 200, description: 'The member.', schema: Member },
      errors: [404],
      handle: async ({ context, param }) => context.json(await members.revokeToken(param('id'))),
    }),
    defineRoute({
      method: 'get',
      path: '/api/team/permissions',
      group,
      summary: 'Read who may call what',
      answer: { status: 200, description: 'Types of members × tools.', schema: PermissionMatrixBody },
      handle: async ({ context }) => context.json(await permissionMatrix(hub)),
    }),
    defineRoute({
      method: 'get',
      path: '/api/team/health',
      group,
      summary: 'Ask what is stalled',
      answer: { status: 200, description: 'Members, tasks and deliveries that need a look.', schema: HealthBody },
      handle: async ({ context }) => context.json(await health.check()),
    }),
    defineRoute({
      method: 'get',
      path: '/api/team/deliveries',
      group,
      summary: 'List deliveries of events',
      query: pageQuery.extend({ state: z.enum(['pending', 'done', 'dead']).optional() }),
      answer: { status: 200, description: 'Newest first.', schema: DeliveryListBody },
      errors: [400],
      handle: async ({ context, query }) => {
        const { items, cursor } = await events.deliveries(query);
        return context.json({ deliveries: items, cursor, ...(await events.count()) } satisfies Api.DeliveryListBody);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/team/deliveries/{id}/retry',
      group,
      summary: 'Try a dead letter again',
      answer: { status: 200, description: 'It is due now.', schema: z.object({ success: z.literal(true) }) },
      errors: [404],
      handle: async ({ context, param }) => {
        await events.retry(param('id'));
        return context.json({ success: true });
      },
    }),
  ];
}

async function permissionMatrix(hub: Hub): Promise<Api.PermissionMatrixBody> {
  const { members } = hub.team;
  const rows = await members.matrix(await hub.allTools());
  const types = memberTypes.map(async (type) => {
    const { allow, deny } = await members.rules(type);
    return { type, allow: [...allow], deny: [...deny] };
  });
  return { types: await Promise.all(types), tools: rows };
}
