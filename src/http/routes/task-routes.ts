import { z } from 'zod';
import { parseWith } from '../../base/validate.ts';
import type { Hub } from '../../hub.ts';
import { human } from '../../team/actor.ts';
import { MemberId } from '../../team/member.ts';
import { NewTask, Task, TaskChange, TaskComment, TaskMove, TaskState } from '../../team/work.ts';
import { DeletedBody } from '../api-schemas.ts';
import { idempotencyKeyOf } from '../idempotency-key.ts';
import { defineRoute, type Route } from '../route.ts';
import { TaskBody, TaskListBody } from '../team-schemas.ts';
import { commaList, pageQuery } from './page-query.ts';

const group = 'Tasks';
const Move = TaskMove.omit({ taskId: true });
const Assignment = z.strictObject({ agentId: MemberId.nullable().describe('Null takes it away.') });
const Comment = z.strictObject({ body: z.string().min(1).max(20_000) });

/** Tasks as the person sees and steers them; members have their tools. */
export function taskRoutes(hub: Hub): Route[] {
  const { tasks } = hub.team;
  return [
    defineRoute({
      method: 'get',
      path: '/api/tasks',
      group,
      summary: 'List tasks',
      query: pageQuery.extend({
        state: commaList(TaskState).describe('One state, or several with commas.'),
        epicId: z.string().min(1).max(100).optional(),
        assigneeId: z.string().min(1).max(100).optional(),
      }),
      answer: { status: 200, description: 'Newest change first.', schema: TaskListBody },
      errors: [400],
      handle: async ({ context, query }) => {
        const { items, cursor } = await tasks.list(query);
        return context.json({ tasks: items, cursor });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tasks',
      group,
      summary: 'Make a task',
      body: { schema: NewTask, example: { title: 'Add JWT-based authentication', assigneeId: 'worker-1' } },
      answer: { status: 201, description: 'The task.', schema: Task },
      errors: [400, 404],
      handle: async ({ context, body }) =>
        context.json(await tasks.create(human, parseWith(NewTask, body), idempotencyKeyOf(context)), 201),
    }),
    defineRoute({
      method: 'get',
      path: '/api/tasks/{id}',
      group,
      summary: 'Read a task',
      answer: { status: 200, description: 'The task with its comments.', schema: TaskBody },
      errors: [404],
      handle: async ({ context, param }) => context.json(await tasks.get(param('id'))),
    }),
    defineRoute({
      method: 'patch',
      path: '/api/tasks/{id}',
      group,
      summary: 'Change a task',
      body: { schema: TaskChange, example: { branchName: 'feature/auth' } },
      answer: { status: 200, description: 'The task.', schema: Task },
      errors: [400, 404],
      handle: async ({ context, param, body }) =>
        context.json(await tasks.change(human, param('id'), parseWith(TaskChange, body))),
    }),
    defineRoute({
      method: 'delete',
      path: '/api/tasks/{id}',
      group,
      summary: 'Delete a task',
      answer: { status: 200, description: 'It is gone.', schema: DeletedBody },
      errors: [404],
      handle: async ({ context, param }) => {
        await tasks.remove(param('id'));
        return context.json({ success: true, id: param('id') });
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tasks/{id}/move',
      group,
      summary: 'Move a task',
      description: 'To a state that can follow its own; `invalid_state` says which ones can.',
      body: { schema: Move, example: { status: 'IN_PROGRESS' } },
      answer: { status: 200, description: 'The task.', schema: Task },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const move = { taskId: param('id'), ...parseWith(Move, body) };
        return context.json(await tasks.move(human, move, idempotencyKeyOf(context)));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tasks/{id}/assign',
      group,
      summary: 'Give a task to a member',
      body: { schema: Assignment, example: { agentId: 'worker-1' } },
      answer: { status: 200, description: 'The task.', schema: Task },
      errors: [400, 404, 409],
      handle: async ({ context, param, body }) => {
        const assignment = { taskId: param('id'), ...parseWith(Assignment, body) };
        return context.json(await tasks.assign(human, assignment, idempotencyKeyOf(context)));
      },
    }),
    defineRoute({
      method: 'post',
      path: '/api/tasks/{id}/comments',
      group,
      summary: 'Comment on a task',
      body: { schema: Comment, example: { body: 'The tests are red on Windows.' } },
      answer: { status: 201, description: 'The comment.', schema: TaskComment },
      errors: [400, 404],
      handle: async ({ context, param, body }) => {
        const comment = { taskId: param('id'), ...parseWith(Comment, body) };
        return context.json(await tasks.comment(human, comment, idempotencyKeyOf(context)), 201);
      },
    }),
  ];
}
