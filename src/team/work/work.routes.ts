import { implement, type Route } from '../../http/route.ts';
import { human } from '../members/member.ts';
import type { Team } from '../team.ts';
import { epicsContract, tasksContract } from './work.contract.ts';

export function workRoutes({ tasks, epics }: Pick<Team, 'tasks' | 'epics'>): Route[] {
  return [
    ...implement(tasksContract)({
      'GET /api/tasks': async ({ query }) => {
        const { items, cursor } = await tasks.list(query);
        return { tasks: items, cursor };
      },
      'POST /api/tasks': ({ body, once }) => tasks.create(human, body, once),
      'GET /api/tasks/{id}': ({ params }) => tasks.get(params.id),
      'PATCH /api/tasks/{id}': ({ params, body }) => tasks.change(human, params.id, body),
      'DELETE /api/tasks/{id}': async ({ params: { id } }) => {
        await tasks.remove(id);
        return { success: true, id };
      },
      'POST /api/tasks/{id}/move': ({ params, body, once }) => tasks.move(human, { taskId: params.id, ...body }, once),
      'POST /api/tasks/{id}/assign': ({ params, body, once }) =>
        tasks.assign(human, { taskId: params.id, ...body }, once),
      'POST /api/tasks/{id}/comments': ({ params, body, once }) =>
        tasks.comment(human, { taskId: params.id, ...body }, once),
    }),
    ...implement(epicsContract)({
      'GET /api/epics': async ({ query }) => {
        const { items, cursor } = await epics.list(query);
        return { epics: items, cursor };
      },
      'POST /api/epics': ({ body, once }) => epics.create(human, body, once),
      'GET /api/epics/{id}': ({ params }) => epics.get(params.id),
      'PATCH /api/epics/{id}': async ({ params: { id }, body: { status, ...change } }) => {
        if (status !== undefined) await epics.move(human, { epicId: id, status });
        if (Object.keys(change).length > 0) await epics.change(id, change);
        return epics.get(id);
      },
      'DELETE /api/epics/{id}': async ({ params: { id } }) => {
        await epics.remove(id);
        return { success: true, id };
      },
      'POST /api/tasks/{id}/approve': ({ params, body, once }) =>
        epics.approve(human, { taskId: params.id, ...body }, once),
      'POST /api/tasks/{id}/request-changes': ({ params, body, once }) =>
        epics.requestChanges(human, { taskId: params.id, ...body }, once),
    }),
  ];
}
