import { useNavigate } from '@tanstack/react-router';
import { UserRoundPlus } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { settleDeletion } from '../../../api/pending-deletions.ts';
import { useMembers } from '../../../api/team-queries.ts';
import {
  isBusy,
  type TaskStep,
  taskMoveKey,
  useHoldMove,
  useMoveTask,
  useMovingTasks,
} from '../../../api/work-queries.ts';
import { MemberAvatar, MemberStateMark, memberTypeNames } from '../../../parts/team/member-badge.tsx';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { offerUndo, sendLater } from '../../../parts/undo/delete-later.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { LongList } from '../../../ui/long-list.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { canMove, describeRefusal, needsMember, stepBack } from './task-steps.ts';

/** Moves tasks: rejects moves that are not allowed, asks for a member if needed, and announces the result. */
export function useTaskSteps(onMoved?: (task: Task, to: TaskState) => void) {
  const { mutateAsync } = useMoveTask();
  const hold = useHoldMove();
  const movingTasks = useMovingTasks();
  const [toAssign, setToAssign] = useState<{ task: Task; to: TaskState } | null>(null);
  const [announcement, setAnnouncement] = useState('');

  const announceReturn = useCallback(
    (task: Task) => setAnnouncement(`“${task.title}” is back in ${taskStateLooks[task.state].label}`),
    [],
  );

  const send = useCallback(
    (task: Task, step: TaskStep) => {
      mutateAsync({ task, step }).then(
        (moved) => {
          const back = stepBack(task, moved);
          const isMovingOn = movingTasks().some(({ id }) => id === moved.id);
          if (!back || isMovingOn) return;
          offerUndo(`Moved “${task.title}” to ${taskStateLooks[moved.state].label}`, {
            key: taskMoveKey(task),
            onUndo: () => send(moved, back),
          });
        },
        (error: unknown) => {
          announceReturn(task);
          showError(`“${task.title}” could not be moved`, error);
        },
      );
    },
    [mutateAsync, movingTasks, announceReturn],
  );

  /** Shows the move at once and sends it when its notice closes, because the hub allows no way back. */
  const sendWithoutReturn = useCallback(
    (task: Task, step: TaskStep) => {
      const { send: sendNow, release } = hold(task, step);
      sendLater({
        keys: [taskMoveKey(task)],
        message: `Moved “${task.title}” to ${taskStateLooks[step.status].label}`,
        description: 'The team sees it when this notice closes.',
        carryOut: () =>
          sendNow().catch((error: unknown) => {
            announceReturn(task);
            throw error;
          }),
        failure: `“${task.title}” could not be moved`,
        isUrgent: true,
        onUndo: () => {
          release();
          announceReturn(task);
        },
      });
    },
    [hold, announceReturn],
  );

  const take = useCallback(
    (known: Task, step: TaskStep) => {
      const moving = movingTasks();
      // Its card is perhaps about to move.
      const task = moving.find(({ id }) => id === known.id) ?? known;
      if (!canMove(task.state, step.status)) return;
      const workerId = step.agentId ?? task.assigneeId;
      const isStart = step.status === 'IN_PROGRESS' && workerId !== null;
      const started = moving.find(
        ({ id, state, assigneeId }) => isStart && id !== task.id && state === 'IN_PROGRESS' && assigneeId === workerId,
      );
      if (started) {
        showToast('Move not allowed', {
          description: `${workerId} is about to start “${started.title}” and works on one task at a time.`,
        });
        return;
      }
      setAnnouncement(`“${task.title}” moved to ${taskStateLooks[step.status].label}`);
      onMoved?.(task, step.status);
      if (stepBack(task, { state: step.status })) {
        send(task, step);
        return;
      }
      sendWithoutReturn(task, step);
      // The hub refuses to let a member start a second task. It says so at once, not when the notice closes.
      if (isStart) void isBusy(workerId).then((busy) => (busy ? settleDeletion(taskMoveKey(task)) : undefined), ignore);
    },
    [movingTasks, onMoved, send, sendWithoutReturn],
  );

  const move = useCallback(
    (task: Task, to: TaskState) => {
      if (!canMove(task.state, to)) {
        showToast('Move not allowed', { description: describeRefusal(task.state, to) });
      } else if (needsMember(task, to)) {
        setToAssign({ task, to });
      } else {
        take(task, { status: to });
      }
    },
    [take],
  );

  const dialog = (
    <>
      <p role="status" className="sr-only">
        {announcement}
      </p>
      {toAssign && (
        <AssignDialog
          task={toAssign.task}
          onClose={() => setToAssign(null)}
          onAssign={(agentId) => {
            setToAssign(null);
            take(toAssign.task, { status: toAssign.to, agentId });
          }}
        />
      )}
    </>
  );
  return { move, dialog };
}

/** Sending the move reports what is wrong. */
function ignore(): void {}

interface AssignDialogProps {
  task: Task;
  onAssign: (agentId: string) => void;
  onClose: () => void;
}

/** Chooses the member for a task. Idle members come first. */
function AssignDialog({ task, onAssign, onClose }: AssignDialogProps) {
  const navigate = useNavigate();
  const { data, error, refetch } = useMembers();
  const members = data?.members.toSorted(
    (a, b) => Number(b.state === 'IDLE') - Number(a.state === 'IDLE') || a.id.localeCompare(b.id),
  );
  return (
    <Dialog open onClose={onClose} size="sm" title="Assign to" description={`“${task.title}”`}>
      {members?.length === 0 ? (
        <EmptyState
          title="No members yet"
          actions={
            <Button
              variant="primary"
              icon={<UserRoundPlus aria-hidden />}
              onClick={() => void navigate({ to: '/team/members', search: { add: true } })}
            >
              Add member
            </Button>
          }
        >
          Add a member to assign this task.
        </EmptyState>
      ) : members ? (
        <LongList label="Members" items={members} keyOf={({ id }) => id} estimateSize={52} className="-mx-2">
          {(member, index) => (
            <button
              type="button"
              data-row={index}
              onClick={() => onAssign(member.id)}
              className="flex w-full items-center gap-3 rounded-lg px-2 py-2 text-left hover:bg-hover"
            >
              <MemberAvatar id={member.id} size={28} />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium text-sm">{member.id}</span>
                <span className="block truncate text-faint text-xs">{memberTypeNames[member.type]}</span>
              </span>
              <MemberStateMark state={member.state} />
            </button>
          )}
        </LongList>
      ) : error ? (
        <ErrorState title="The members could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading members" className="flex flex-col gap-2">
          <Skeleton className="h-10" />
          <Skeleton className="h-10" />
        </div>
      )}
    </Dialog>
  );
}
