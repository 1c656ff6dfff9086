import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FileQuestion, Trash2 } from 'lucide-react';
import { taskMoves } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { ApiError } from '../../../api/client.ts';
import { taskMoveKey, useRemoveTask, useShownTask, useTask } from '../../../api/work-queries.ts';
import { useNoteOpened } from '../../../parts/recent/opened.ts';
import { TaskStateBadge, taskStateLooks } from '../../../parts/team/task-state.tsx';
import { TimeInState } from '../../../parts/team/time-in-state.tsx';
import { deleteLater } from '../../../parts/undo/delete-later.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { TaskPanel } from './task-panel.tsx';
import { needsMember } from './task-steps.ts';
import { useTaskSteps } from './use-task-steps.tsx';

/** One task in a sheet over the board. */
export function TaskSheet() {
  const { id } = useParams({ from: '/team/board/tasks/$id' });
  const { add: _, ...filters } = useSearch({ from: '/team/board' });
  const navigate = useNavigate();
  const { data, error, refetch } = useTask(id);
  const task = useShownTask(data);
  useTitle(task?.title ?? 'Task');
  useNoteOpened('task', id, error instanceof ApiError && error.isNotFound ? null : task?.title);
  const close = () => void navigate({ to: '/team', search: filters, resetScroll: false });
  return (
    <Sheet
      title={task?.title ?? 'Task'}
      onClose={close}
      {...(task && {
        header: (
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-faint text-xs">
            <TaskStateBadge state={task.state} />
            <span>
              for <TimeInState since={task.stateSince} />
            </span>
            <span className="font-mono text-2xs">{task.id}</span>
          </div>
        ),
        footer: <TaskActions task={task} onRemoved={close} />,
      })}
    >
      {task ? (
        <TaskPanel key={task.id} task={task} />
      ) : error instanceof ApiError && error.isNotFound ? (
        <EmptyState
          art={<FileQuestion className="size-10" strokeWidth={1.5} />}
          title="Task not found"
          actions={<Button onClick={close}>Back to board</Button>}
        >
          It may have been deleted.
        </EmptyState>
      ) : error ? (
        <ErrorState title="The task could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading task" className="flex flex-col gap-3">
          <Skeleton className="h-6 w-2/3" />
          <Skeleton className="h-28" />
          <Skeleton className="h-40" />
        </div>
      )}
    </Sheet>
  );
}

/** The moves that the task allows, and deletion. */
function TaskActions({ task, onRemoved }: { task: Task; onRemoved: () => void }) {
  const { move, dialog } = useTaskSteps();
  const remove = useRemoveTask();
  const removeTask = () => {
    onRemoved();
    deleteLater({
      keys: [`task/${task.id}`, taskMoveKey(task)],
      message: `Deleted “${task.title}”`,
      carryOut: () => remove.mutateAsync(task.id),
      failure: `“${task.title}” could not be deleted`,
    });
  };
  // In review, approving or requesting changes does the rest.
  const moves = taskMoves[task.state].filter((to) => task.state !== 'REVIEW' || to === 'BLOCKED');
  return (
    <>
      <Button variant="ghost" icon={<Trash2 aria-hidden />} className="mr-auto" onClick={removeTask}>
        Delete
      </Button>
      {moves.length > 0 && <span className="text-muted text-xs">Move to</span>}
      {moves.map((to) => {
        const { label, icon: Icon } = taskStateLooks[to];
        return (
          <Button key={to} aria-label={`Move to ${label}`} icon={<Icon aria-hidden />} onClick={() => move(task, to)}>
            {`${label}${needsMember(task, to) ? '…' : ''}`}
          </Button>
        );
      })}
      {dialog}
    </>
  );
}
