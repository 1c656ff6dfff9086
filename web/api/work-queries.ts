import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { EpicListBody } from '../../src/http/team-types.ts';
import type { EpicState, TaskState } from '../../src/team/task-moves.ts';
import type { EpicWithTasks } from '../../src/team/team.ts';
import type { EpicChange, NewEpic, NewTask, Task, TaskChange } from '../../src/team/work.ts';
import { beginMove, endMove, taskKeys, withMoves } from './task-lists.ts';
import { type TaskFilter, teamApi } from './team.ts';

const epicKeys = { epics: ['epics'] as const };

/** One column of the board, newest change first. */
export const useTaskColumn = (state: TaskState, filter: TaskFilter) =>
  useInfiniteQuery({
    queryKey: taskKeys.column(state, filter),
    queryFn: async ({ client, queryKey, signal, pageParam }) => {
      const page = await teamApi.listTasks(state, filter, pageParam, signal);
      return withMoves(client, queryKey, page, pageParam === null);
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  });

export const useTask = (id: string) =>
  useQuery({ queryKey: taskKeys.task(id), queryFn: ({ signal }) => teamApi.getTask(id, signal) });

/** All of them: there are few, and names and filters need each. */
export const useEpics = () =>
  useQuery({
    queryKey: epicKeys.epics,
    queryFn: async ({ signal }) => {
      const epics: EpicWithTasks[] = [];
      let cursor: string | null = null;
      do {
        const page: EpicListBody = await teamApi.listEpics(cursor, signal);
        epics.push(...page.epics);
        cursor = page.cursor;
      } while (cursor !== null);
      return epics;
    },
  });

/** Where a task goes, and who gets it on the way. */
export interface TaskStep {
  status: TaskState;
  agentId?: string;
}

/** The board shows the move at once; when the hub refuses it, the task goes back to where it was. */
export function useMoveTask() {
  const client = useQueryClient();
  const refresh = useRefreshWork();
  return useMutation({
    // One after the other: two moves of one task reach the hub in the order they were made.
    scope: { id: 'move-task' },
    mutationFn: async ({ task, step }: { task: Task; step: TaskStep }) => {
      const assigned = step.agentId === undefined ? null : await teamApi.assignTask(task.id, step.agentId);
      return assigned?.state === step.status ? assigned : teamApi.moveTask(task.id, step.status);
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
      // Not waited for, or the next move would be.
      void refresh();
    },
  });
}

/** Approved it is completed; with changes asked for it is in progress again. */
export function useReviewTask(id: string) {
  return useMutation({
    mutationFn: ({ isApproved, comment }: { isApproved: boolean; comment: string }) =>
      isApproved ? teamApi.approveTask(id, comment) : teamApi.requestChanges(id, comment),
    onSettled: useRefreshWork(),
  });
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
