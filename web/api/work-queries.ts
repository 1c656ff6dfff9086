import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { EpicState, TaskState } from '../../src/team/task-moves.ts';
import type { EpicChange, NewEpic, NewTask, Task, TaskChange } from '../../src/team/work.ts';
import { placeTask, taskKeys } from './task-lists.ts';
import { type TaskFilter, teamApi } from './team.ts';

const epicKeys = { epics: ['epics'] as const };

/** One column of the board, newest change first. */
export const useTaskColumn = (state: TaskState, filter: TaskFilter) =>
  useInfiniteQuery({
    queryKey: taskKeys.column(state, filter),
    queryFn: ({ signal, pageParam }) => teamApi.listTasks(state, filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  });

export const useTask = (id: string) =>
  useQuery({ queryKey: taskKeys.task(id), queryFn: ({ signal }) => teamApi.getTask(id, signal) });

export const useEpics = () =>
  useInfiniteQuery({
    queryKey: epicKeys.epics,
    queryFn: ({ signal, pageParam }) => teamApi.listEpics(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
  });

/** Where a task goes. `agentId` comes with ASSIGNED. */
export type TaskStep =
  | { status: 'ASSIGNED'; agentId: string }
  | { status: Exclude<TaskState, 'ASSIGNED'>; comment?: string };

/** The board shows the move at once; when the hub refuses it, the task goes back to where it was. */
export function useMoveTask() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ task, step }: { task: Task; step: TaskStep }) => {
      if (step.status === 'ASSIGNED') return teamApi.assignTask(task.id, step.agentId);
      return teamApi.moveTask(task.id, step.status, step.comment);
    },
    onMutate: async ({ task, step }) => {
      await client.cancelQueries({ queryKey: taskKeys.columns });
      placeTask(client, { ...task, ...expected(step), state: step.status, stateSince: new Date().toISOString() });
    },
    onError: (_error, { task }) => placeTask(client, task),
    onSuccess: (moved) => placeTask(client, moved),
    onSettled: useRefreshWork(),
  });
}

function expected(step: TaskStep): Partial<Task> {
  if (step.status === 'ASSIGNED') return { assigneeId: step.agentId };
  return step.status === 'PENDING' ? { assigneeId: null } : {};
}

export function useAssignTask() {
  return useMutation({
    mutationFn: ({ id, agentId }: { id: string; agentId: string | null }) => teamApi.assignTask(id, agentId),
    onSettled: useRefreshWork(),
  });
}

export function useCreateTask() {
  return useMutation({ mutationFn: (task: NewTask) => teamApi.createTask(task), onSettled: useRefreshWork() });
}

export function useChangeTask(id: string) {
  return useMutation({
    mutationFn: (change: TaskChange) => teamApi.changeTask(id, change),
    onSettled: useRefreshWork(),
  });
}

export function useRemoveTask() {
  return useMutation({ mutationFn: (id: string) => teamApi.removeTask(id), onSettled: useRefreshWork() });
}

export function useCommentTask(id: string) {
  return useMutation({ mutationFn: (body: string) => teamApi.commentTask(id, body), onSettled: useRefreshWork() });
}

export function useCreateEpic() {
  return useMutation({ mutationFn: (epic: NewEpic) => teamApi.createEpic(epic), onSettled: useRefreshWork() });
}

export function useChangeEpic(id: string) {
  return useMutation({
    mutationFn: (change: EpicChange & { status?: EpicState }) => teamApi.changeEpic(id, change),
    onSettled: useRefreshWork(),
  });
}

export function useRemoveEpic() {
  return useMutation({ mutationFn: (id: string) => teamApi.removeEpic(id), onSettled: useRefreshWork() });
}

function useRefreshWork() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: epicKeys.epics });
    void client.invalidateQueries({ queryKey: ['members'] });
    return client.invalidateQueries({ queryKey: taskKeys.tasks });
  };
}
