import { useCallback, useState } from 'react';
import type { TaskState } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { type TaskStep, useMoveTask } from '../../../api/work-queries.ts';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { AssignDialog } from './assign-dialog.tsx';
import { canMove, describeRefusal, needsMember } from './task-steps.ts';

/** Moves tasks: refuses what the table forbids, asks for the member where one is needed, says how it went. */
export function useTaskSteps(onMoved?: (task: Task, to: TaskState) => void) {
  const { mutate } = useMoveTask();
  const [toAssign, setToAssign] = useState<{ task: Task; to: TaskState } | null>(null);
  const [said, setSaid] = useState('');

  const send = useCallback(
    (task: Task, step: TaskStep) => {
      setSaid(`“${task.title}” is in ${taskStateLooks[step.status].label} now`);
      onMoved?.(task, step.status);
      mutate(
        { task, step },
        {
          onError: (error) => {
            setSaid(`“${task.title}” is back in ${taskStateLooks[task.state].label}`);
            showError(`“${task.title}” was not moved`, error);
          },
        },
      );
    },
    [mutate, onMoved],
  );

  const move = useCallback(
    (task: Task, to: TaskState) => {
      if (!canMove(task.state, to)) {
        showToast('It cannot go there', { description: describeRefusal(task.state, to) });
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
        {said}
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
