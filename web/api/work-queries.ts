import {
  keepPreviousData,
  type QueryClient,
  skipToken,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback } from 'react';
import type { TaskState } from '../../src/team/work/task-moves.ts';
import type { EpicWithTasks, NewEpic, NewTask, Task, TaskChange } from '../../src/team/work/work.ts';
import { type BodyOf, type ReplyOf, request } from './client.ts';
import { settleDeletion } from './pending-deletions.ts';
import {
  beginMove,
  endMove,
  movingTasks,
  type PendingMoves,
  type TaskFilter,
  taskKeys,
  withMoves,
} from './task-lists.ts';

const pageSize = 100;

const epicKeys = { epics: ['epics'] as const };

/** One column of the board. */
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

/** Returns whether there is any task. */
export const useHasTasks = ({ enabled }: { enabled: boolean }) =>
  useQuery({
    queryKey: taskKeys.any,
    queryFn: async ({ signal }) => (await request('GET /api/tasks', { query: { limit: 1 }, signal })).tasks.length > 0,
    enabled,
  });

/** The labels of all tasks. */
export const useTaskLabels = () =>
  useQuery({
    queryKey: taskKeys.labels,
    queryFn: async ({ signal }) => (await request('GET /api/task-labels', { signal })).labels,
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

/** A task's next state and the member that it is assigned to for that, if another one. */
export interface TaskStep {
  status: TaskState;
  agentId?: string;
}

/** Returns a task as boards show it: with a move that the hub has not confirmed yet. */
export function useShownTask<T extends Task>(task: T | undefined): T | undefined {
  const { data } = useQuery<PendingMoves>({ queryKey: taskKeys.moves, queryFn: skipToken });
  const move = task && data?.[task.id]?.shown;
  return move ? { ...task, state: move.state, assigneeId: move.assigneeId, stateSince: move.stateSince } : task;
}

/** Returns the tasks with moves that are shown and not confirmed yet, as they are shown. */
export function useMovingTasks(): () => readonly Task[] {
  const client = useQueryClient();
  return useCallback(() => movingTasks(client), [client]);
}

/** Asks the hub whether a member has a task in progress. */
export async function isBusy(assigneeId: string): Promise<boolean> {
  const { tasks } = await request('GET /api/tasks', { query: { state: 'IN_PROGRESS', assigneeId, limit: 1 } });
  return tasks.length > 0;
}

/** What waits under this key is sent before the next step of the task. */
export function taskMoveKey({ id }: Pick<Task, 'id'>): string {
  return `task-move/${id}`;
}

/** A move that is shown, and that the hub does not know yet. */
interface HeldMove {
  /** Asks the hub, which may refuse. The request finishes even if the page closes. */
  send: () => Promise<Task>;
  /** Shows the task as the hub knows it. */
  release: () => void;
}

/** Shows a task as moved without asking the hub. */
export function useHoldMove(): (task: Task, step: TaskStep) => HeldMove {
  const client = useQueryClient();
  return useCallback(
    (task, step) => {
      void beginMove(client, task, afterStep(task, step));
      const end = (moved: Task | null) => endMove(client, task.id, moved);
      return {
        release: () => end(null),
        // Not a mutation: that would wait for others, and a page that closes does not wait.
        async send() {
          let moved: Task | null = null;
          try {
            moved = await sendStep(task, step);
            return moved;
          } finally {
            end(moved);
            void refreshWork(client);
          }
        },
      };
    },
    [client],
  );
}

/** One request, so that it can be sent while the page closes. */
function sendStep({ id }: Task, { agentId, status }: TaskStep): Promise<Task> {
  const params = { id };
  if (agentId === undefined) return request('POST /api/tasks/{id}/move', { params, body: { status }, keepalive: true });
  const body = { agentId };
  return status === 'ASSIGNED'
    ? request('POST /api/tasks/{id}/assign', { params, body })
    : request('POST /api/tasks/{id}/start', { params, body, keepalive: true });
}

function afterStep(task: Task, { agentId, status }: TaskStep): Task {
  const assigneeId = agentId ?? (status === 'PENDING' ? null : task.assigneeId);
  return { ...task, assigneeId, state: status, stateSince: new Date().toISOString() };
}

/** Serialized: the steps of one task must reach the hub in order. */
const taskMoves = { id: 'move-task' };

/** Moves a task on the board at once, and back if the hub refuses. */
export function useMoveTask() {
  const client = useQueryClient();
  const refresh = useRefreshWork();
  return useMutation({
    scope: taskMoves,
    mutationFn: async ({ task, step }: { task: Task; step: TaskStep }) => {
      await settleDeletion(taskMoveKey(task));
      return sendStep(task, step);
    },
    onMutate: ({ task, step }) => beginMove(client, task, afterStep(task, step)),
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
    scope: taskMoves,
    mutationFn: async ({ isApproved, comment }: { isApproved: boolean; comment: string }) => {
      await settleDeletion(taskMoveKey({ id }));
      return isApproved
        ? request('POST /api/tasks/{id}/approve', { params: { id }, body: comment === '' ? {} : { comment } })
        : request('POST /api/tasks/{id}/request-changes', { params: { id }, body: { comment } });
    },
    onSettled: useRefreshWork(),
  });
}

export function useAssignTask() {
  return useMutation({
    scope: taskMoves,
    mutationFn: async ({ id, agentId }: { id: string; agentId: string | null }) => {
      await settleDeletion(taskMoveKey({ id }));
      return request('POST /api/tasks/{id}/assign', { params: { id }, body: { agentId } });
    },
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
    // Serialized: moves of one epic must reach the hub in order.
    scope: { id: `epic-move/${id}` },
    mutationFn: (body: BodyOf<'PATCH /api/epics/{id}'>) =>
      request('PATCH /api/epics/{id}', { params: { id }, body, keepalive: body.status !== undefined }),
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
  return () => refreshWork(client);
}

function refreshWork(client: QueryClient): Promise<unknown> {
  void client.invalidateQueries({ queryKey: ['members'] });
  return Promise.all([epicKeys.epics, taskKeys.tasks].map((queryKey) => client.invalidateQueries({ queryKey })));
}
