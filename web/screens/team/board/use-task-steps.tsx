import { useNavigate } from '@tanstack/react-router';
import { UserRoundPlus } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { useMembers } from '../../../api/team-queries.ts';
import { type TaskStep, useMoveTask } from '../../../api/work-queries.ts';
import { MemberAvatar, MemberStateMark, memberTypeNames } from '../../../parts/team/member-badge.tsx';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { canMove, describeRefusal, needsMember, stepBack } from './task-steps.ts';

/** Moves tasks: rejects moves that are not allowed, asks for a member if needed, and announces the result. */
export function useTaskSteps(onMoved?: (task: Task, to: TaskState) => void) {
  const { mutateAsync } = useMoveTask();
  const [toAssign, setToAssign] = useState<{ task: Task; to: TaskState } | null>(null);
  const [announcement, setAnnouncement] = useState('');

  const send = useCallback(
    (task: Task, step: TaskStep) => {
      setAnnouncement(`“${task.title}” moved to ${taskStateLooks[step.status].label}`);
      onMoved?.(task, step.status);
      mutateAsync({ task, step }).then(
        (moved) => {
          const back = stepBack(task, moved);
          if (!back) return;
          const undo = () => send(moved, back);
          showToast(`Moved “${task.title}” to ${taskStateLooks[moved.state].label}`, {
            action: { label: 'Undo', onClick: undo },
          });
        },
        (error: unknown) => {
          setAnnouncement(`“${task.title}” is back in ${taskStateLooks[task.state].label}`);
          showError(`“${task.title}” could not be moved`, error);
        },
      );
    },
    [mutateAsync, onMoved],
  );

  const move = useCallback(
    (task: Task, to: TaskState) => {
      if (!canMove(task.state, to)) {
        showToast('Move not allowed', { description: describeRefusal(task.state, to) });
      } else if (needsMember(task, to)) {
        setToAssign({ task, to });
      } else {
        send(task, { status: to });
      }
    },
    [send],
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
            send(toAssign.task, { status: toAssign.to, agentId });
          }}
        />
      )}
    </>
  );
  return { move, dialog };
}

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
        <ul aria-label="Members" className="-mx-2 flex flex-col">
          {members.map((member) => (
            <li key={member.id}>
              <button
                type="button"
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
            </li>
          ))}
        </ul>
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
