import { z } from 'zod';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { human } from '../../team/actor.ts';
import { Epic, EpicChange, EpicState, NewEpic, Task } from '../../team/work.ts';
import { DeletedBody } from '../api-schemas.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { defineRoute, type Route } from '../route.ts';
import { EpicBody, EpicListBody } from '../team-schemas.ts';
import { commaList, pageQuery } from './page-query.ts';

const group = 'Epics';
const Change = EpicChange.extend({ status: EpicState.optional() });
const Approval = z.strictObject({ comment: z.string().min(1).max(20_000).optional() });
const Changes = z.strictObject({ comment: z.string().min(1).max(20_000) });

export function epicRoutes(hub: Hub): Route[] {
  const { epics } = hub.team;
  return [
    defineRoute({
      method: 'get',
      path: '/api/epics',
      group,
      summary: 'List epics',
      query: pageQuery.extend({ state: commaList(EpicState).describe('One state, or several with commas.') }),
      answer: { status: 200, description: 'With the numbers of their tasks.', schema: EpicListBody },
      errors: [400],
      handle: async ({ context, query }) => {
        const { items, cursor } = await epics.list(query);
        return context.json({ epics: items, cursor });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/epics',
      group,
      summary: 'Make an epic',
      body: { schema: NewEpic, example: { title: 'User Management System' } },
      answer: { status: 201, description: 'The epic.', schema: Epic },
      errors: [400],
      handle: async ({ context, body }) =>
        context.json(await epics.create(human, parseWith(NewEpic, body), idempotencyKeyOf(context)), 201),
    }),
    defineRoute({
      method: 'get',
      path: '/api/epics/{id}',
      group,
      summary: 'Read an epic',
      answer: { status: 200, description: 'The epic with the numbers of its tasks.', schema: EpicBody },
      errors: [404],
      handle: async ({ context, param }) => context.json(await epics.get(param('id'))),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/epics/{id}',
      group,
      summary: 'Change an epic',
      description: '`status` moves it; completed and cancelled are final.',
      body: { schema: Change, example: { status: 'IN_PROGRESS' } },
      answer: { status: 200, description: 'The epic.', schema: EpicBody },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const { status, ...change } = parseWith(Change, body);
        const epicId = param('id');
        if (status !== undefined) await epics.move(human, { epicId, status });
        if (Object.keys(change).length > 0) await epics.change(human, epicId, change);
        return context.json(await epics.get(epicId));
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/epics/{id}',
      group,
      summary: 'Delete an epic',
      description: 'Its tasks stay, without an epic.',
      answer: { status: 200, description: 'It is gone.', schema: DeletedBody },
      errors: [404],
      handle: async ({ context, param }) => {
        await epics.remove(param('id'));
        return context.json({ success: true, id: param('id') });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tasks/{id}/approve',
      group,
      summary: 'Approve a task in review',
      body: { schema: Approval, isOptional: true, example: {} },
      answer: { status: 200, description: 'The task, completed.', schema: Task },
      errors: [404, 409],
      handle: async ({ context, param, body }) => {
        const review = { taskId: param('id'), ...parseWith(Approval, body ?? {}) };
        return context.json(await epics.approve(human, review, idempotencyKeyOf(context)));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tasks/{id}/request-changes',
      group,
      summary: 'Ask for changes',
      body: { schema: Changes, example: { comment: 'The second case has no test.' } },
      answer: { status: 200, description: 'The task, in progress again.', schema: Task },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const review = { taskId: param('id'), ...parseWith(Changes, body) };
        return context.json(await epics.requestChanges(human, review, idempotencyKeyOf(context)));
      },
    }),
  ];
}
