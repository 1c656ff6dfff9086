import { implement, type Route } from '../../http/route.ts';
import type { UserCalls } from '../../hub/user-calls.ts';
import type { Team } from '../team.ts';
import { epicsContract, tasksContract } from './work.contract.ts';
import type { Epic, Task, TaskComment } from './work.ts';

interface WorkParts extends UserCalls {
  team: Pick<Team, 'tasks' | 'epics'>;
}

export function workRoutes({ team: { tasks, epics }, callAsUser }: WorkParts): Route[] {
  const surface = 'web';
  return [
    ...implement(tasksContract)({
      'GET /api/tasks': async ({ query }) => {
        const { items, cursor } = await tasks.list(query);
        return { tasks: items, cursor };
      },
      'GET /api/task-labels': async () => ({ labels: await tasks.labels() }),
      'POST /api/tasks': ({ body, once, signal }) =>
        callAsUser<Task>({ surface, tool: 'mcp__task__create', input: body, ...once, signal }),
      'GET /api/tasks/{id}': ({ params }) => tasks.get(params.id),
      'PATCH /api/tasks/{id}': ({ params, body, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<Task>({ surface, tool: 'mcp__task__change', input, signal });
      },
      'DELETE /api/tasks/{id}': async ({ params: { id }, signal }) => {
        await callAsUser({ surface, tool: 'mcp__task__delete', input: { taskId: id }, signal });
        return { success: true, id };
      },
      'POST /api/tasks/{id}/move': ({ params, body, once, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<Task>({ surface, tool: 'mcp__task__update_status', input, ...once, signal });
      },
      'POST /api/tasks/{id}/assign': ({ params, body, once, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<Task>({ surface, tool: 'mcp__task__assign', input, ...once, signal });
      },
      'POST /api/tasks/{id}/start': ({ params, body, once, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<Task>({ surface, tool: 'mcp__task__start', input, ...once, signal });
      },
      'POST /api/tasks/{id}/comments': ({ params, body, once, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<TaskComment>({ surface, tool: 'mcp__task__add_comment', input, ...once, signal });
      },
    }),
    ...implement(epicsContract)({
      'GET /api/epics': async ({ query }) => {
        const { items, cursor } = await epics.list(query);
        return { epics: items, cursor };
      },
      'POST /api/epics': ({ body, once, signal }) =>
        callAsUser<Epic>({ surface, tool: 'mcp__epic__create', input: body, ...once, signal }),
      'GET /api/epics/{id}': ({ params }) => epics.get(params.id),
      'PATCH /api/epics/{id}': async ({ params: { id: epicId }, body: { status, ...change }, signal }) => {
        if (status !== undefined)
          await callAsUser({ surface, tool: 'mcp__epic__update_status', input: { epicId, status }, signal });
        if (Object.keys(change).length > 0)
          await callAsUser({ surface, tool: 'mcp__epic__change', input: { epicId, ...change }, signal });
        return epics.get(epicId);
      },
      'DELETE /api/epics/{id}': async ({ params: { id }, signal }) => {
        await callAsUser({ surface, tool: 'mcp__epic__delete', input: { epicId: id }, signal });
        return { success: true, id };
      },
      'POST /api/tasks/{id}/approve': ({ params, body, once, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<Task>({ surface, tool: 'mcp__epic__approve_task', input, ...once, signal });
      },
      'POST /api/tasks/{id}/request-changes': ({ params, body, once, signal }) => {
        const input = { taskId: params.id, ...body };
        return callAsUser<Task>({ surface, tool: 'mcp__epic__request_changes', input, ...once, signal });
      },
    }),
  ];
}
