import { Trash2 } from 'lucide-react';
import { taskMoves } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { useRemoveTask } from '../../../api/work-queries.ts';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { Button } from '../../../ui/button.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { needsMember } from './task-steps.ts';
import { useTaskSteps } from './use-task-steps.tsx';

/** Where the task can go from here. */
export function TaskActions({ task, onRemoved }: { task: Task; onRemoved: () => void }) {
  const { move, dialog } = useTaskSteps();
  const remove = useRemoveTask();
  const ask = async () => {
    const sure = await confirm({
      title: `Delete “${task.title}”?`,
      message: 'Its comments go with it. What was called for it stays in the decision log.',
      confirmLabel: 'Delete',
      danger: true,
    });
    if (!sure) return;
    remove.mutate(task.id, {
      onSuccess: () => {
        showToast(`Deleted “${task.title}”`);
        onRemoved();
      },
      onError: (error) => showError('Not deleted', error),
    });
  };
  // In review the person's word does the rest.
  const moves = taskMoves[task.state].filter((to) => task.state !== 'REVIEW' || to === 'BLOCKED');
  return (
    <>
      <Button variant="ghost" icon={<Trash2 aria-hidden />} className="mr-auto" onClick={() => void ask()}>
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
