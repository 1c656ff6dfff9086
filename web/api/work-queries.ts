import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { EpicWithTasks, NewEpic, NewTask, Task, TaskChange } from '../../src/team/work/work.ts';
import { type BodyOf, type ReplyOf, request } from './client.ts';
import { beginMove, endMove, type TaskFilter, taskKeys, withMoves } from './task-lists.ts';

const pageSize = 100;

const epicKeys = { epics: ['epics'] as const };

/** One column of the board, newest change first. */
export const useTaskColumn = (state: TaskState, filter: TaskFilter) =>
  useInfiniteQuery({
    queryKey: taskKeys.column(state, filter),
    queryFn: async ({ client, queryKey, signal, pageParam }) => {
      const query = { ...filter, state, limit: pageSize, cursor: pageParam };
      const page = await request('GET /api/tasks', { query, signal });
      return withMoves(client, queryKey, page, pageParam === null);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  });

export const useTask = (id: string) =>
  useQuery({
    queryKey: taskKeys.task(id),
    queryFn: ({ signal }) => request('GET /api/tasks/{id}', { params: { id }, signal }),
  });

/** Loads all epics: there are few, and names and filters need each one. */
export const useEpics = () =>
  useQuery({
    queryKey: epicKeys.epics,
    queryFn: async ({ signal }) => {
      const epics: EpicWithTasks[] = [];
      let cursor: string | null = null;
      do {
        const query = { limit: pageSize, cursor };
        const page: ReplyOf<'GET /api/epics'> = await request('GET /api/epics', { query, signal });
        epics.push(...page.epics);
        cursor = page.cursor;
      } while (cursor !== null);
      return epics;
    },
  });

/** A task's next state and, optionally, its new assignee. */
export interface TaskStep {
  status: TaskState;
  agentId?: string;
}

/** Moves a task on the board at once, and back if the hub refuses. */
export function useMoveTask() {
  const client = useQueryClient();
  const refresh = useRefreshWork();
  return useMutation({
    // Serialized: moves of one task must reach the hub in order.
    scope: { id: 'move-task' },
    mutationFn: async ({ task, step }: { task: Task; step: TaskStep }) => {
      const params = { id: task.id };
      const { agentId, status } = step;
      if (agentId !== undefined) {
        const assigned = await request('POST /api/tasks/{id}/assign', { params, body: { agentId } });
        if (assigned.state === status) return assigned;
      }
      return request('POST /api/tasks/{id}/move', { params, body: { status } });
    },
    onMutate: ({ task, step }) => {
      const assigneeId = step.agentId ?? (step.status === 'PENDING' ? null : task.assigneeId);
      return beginMove(client, task, {
        ...task,
        assigneeId,
        state: step.status,
        stateSince: new Date().toISOString(),
      });
    },
    onSettled: (moved, _error, { task }) => {
      endMove(client, task.id, moved ?? null);
      // Not awaited: the next move must not wait for it.
      void refresh();
    },
  });
}

/** Approves a task, which completes it, or requests changes, which returns it to In progress. */
export function useReviewTask(id: string) {
  return useMutation({
    mutationFn: ({ isApproved, comment }: { isApproved: boolean; comment: string }) =>
      isApproved
        ? request('POST /api/tasks/{id}/approve', { params: { id }, body: comment === '' ? {} : { comment } })
        : request('POST /api/tasks/{id}/request-changes', { params: { id }, body: { comment } }),
    onSettled: useRefreshWork(),
  });
}

export function useAssignTask() {
  return useMutation({
    mutationFn: ({ id, agentId }: { id: string; agentId: string | null }) =>
      request('POST /api/tasks/{id}/assign', { params: { id }, body: { agentId } }),
    onSettled: useRefreshWork(),
  });
}

export function useCreateTask() {
  return useMutation({
    mutationFn: (body: NewTask) => request('POST /api/tasks', { body }),
    onSettled: useRefreshWork(),
  });
}

export function useChangeTask(id: string) {
  return useMutation({
    mutationFn: (body: TaskChange) => request('PATCH /api/tasks/{id}', { params: { id }, body }),
    onSettled: useRefreshWork(),
  });
}

export function useRemoveTask() {
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/tasks/{id}', { params: { id } }),
    onSettled: useRefreshWork(),
  });
}

export function useCommentTask(id: string) {
  return useMutation({
    mutationFn: (body: string) => request('POST /api/tasks/{id}/comments', { params: { id }, body: { body } }),
    onSettled: useRefreshWork(),
  });
}

export function useCreateEpic() {
  return useMutation({
    mutationFn: (body: NewEpic) => request('POST /api/epics', { body }),
    onSettled: useRefreshWork(),
  });
}

export function useChangeEpic(id: string) {
  return useMutation({
    mutationFn: (body: BodyOf<'PATCH /api/epics/{id}'>) => request('PATCH /api/epics/{id}', { params: { id }, body }),
    onSettled: useRefreshWork(),
  });
}

export function useRemoveEpic() {
  return useMutation({
    mutationFn: (id: string) => request('DELETE /api/epics/{id}', { params: { id } }),
    onSettled: useRefreshWork(),
  });
}

function useRefreshWork() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: epicKeys.epics });
    void client.invalidateQueries({ queryKey: ['members'] });
    return client.invalidateQueries({ queryKey: taskKeys.tasks });
  };
}
