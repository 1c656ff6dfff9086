import { Link } from '@tanstack/react-router';
import { Ellipsis, ExternalLink, Pencil, SquareKanban, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { type EpicState, epicMoves, epicStates, type TaskState } from '../../../../src/team/work/task-moves.ts';
import type { EpicWithTasks } from '../../../../src/team/work/work.ts';
import { settleDeletion, useDeleted } from '../../../api/pending-deletions.ts';
import { useChangeEpic, useRemoveEpic } from '../../../api/work-queries.ts';
import { EpicStateBadge, epicStateLooks, taskStateLooks } from '../../../parts/team/task-state.tsx';
import { deleteLater, offerUndo, sendLater } from '../../../parts/undo/delete-later.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { formatCount } from '../../../ui/format-count.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import type { Place } from '../../../ui/virtual-list.tsx';
import { epicProgress } from './epic-progress.ts';

export function EpicCard({ epic: known, place }: { epic: EpicWithTasks; place: Place }) {
  const pending = useDeleted();
  // A move that the hub cannot take back waits for its notice.
  const epic = { ...known, state: epicStates.find((state) => pending.has(heldKey(known, state))) ?? known.state };
  return (
    <li
      aria-label={epic.title}
      data-epic={epic.id}
      {...place}
      tabIndex={-1}
      className="rounded-card border border-line bg-surface p-4 shadow-card"
    >
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <h2 className="min-w-0 break-words font-semibold text-base leading-6">{epic.title}</h2>
            <EpicStateBadge state={epic.state} />
          </div>
          <p className="flex flex-wrap items-center gap-x-3 text-faint text-xs">
            <span>
              changed <RelativeTime at={epic.updatedAt} />
            </span>
            {epic.linearIssueUrl !== null ? (
              <a
                href={epic.linearIssueUrl}
                target="_blank"
                rel="noreferrer noopener"
                className="inline-flex items-center gap-1 text-accent-text underline-offset-2 hover:underline"
              >
                {epic.linearIssueId ?? 'Linear issue'}
                <ExternalLink aria-hidden className="size-3" />
              </a>
            ) : (
              epic.linearIssueId !== null && <span>{epic.linearIssueId}</span>
            )}
          </p>
        </div>
        <Link to="/team" search={{ epic: epic.id }} className={buttonClass({ size: 'sm' })}>
          <SquareKanban aria-hidden />
          Board
        </Link>
        <EpicMenu epic={epic} />
      </div>
      {epic.description.trim() !== '' && (
        <div className="mt-2 line-clamp-4 text-muted text-sm">
          <Markdown text={epic.description} />
        </div>
      )}
      <Progress epic={epic} />
    </li>
  );
}

function Progress({ epic }: { epic: EpicWithTasks }) {
  const { total, done, parts } = epicProgress(epic.tasks);
  if (total === 0) return <p className="mt-3 text-faint text-xs">No tasks yet. Add one on the board.</p>;
  return (
    <div className="mt-3">
      <div
        role="progressbar"
        aria-label={`Progress of ${epic.title}`}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={done}
        aria-valuetext={`${done} of ${formatCount(total, 'task')} completed`}
        className="flex h-2 gap-px overflow-hidden rounded-full bg-pressed"
      >
        {parts.map(({ state, share }) => (
          <div key={state} className={taskStateLooks[state].fill} style={{ width: `${share * 100}%` }} />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-3.5 gap-y-1 text-muted text-xs tabular-nums">
        {parts.map(({ state, count }) => (
          <li key={state} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={classes('size-2 rounded-full', taskStateLooks[state].fill)} />
            {`${count.toLocaleString('en')} ${labelOf(state)}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

function labelOf(state: TaskState): string {
  return state === 'REVIEW' ? 'in review' : taskStateLooks[state].label.toLowerCase();
}

function moveKey({ id }: Pick<EpicWithTasks, 'id'>): string {
  return `epic-move/${id}`;
}

function heldKey(epic: Pick<EpicWithTasks, 'id'>, state: EpicState): string {
  return `${moveKey(epic)}/${state}`;
}

function hasOpenTasks({ tasks: { COMPLETED: _, FAILED: __, ...open } }: Pick<EpicWithTasks, 'tasks'>): boolean {
  return Object.values(open).some((count) => count > 0);
}

function EpicMenu({ epic }: { epic: EpicWithTasks }) {
  const change = useChangeEpic(epic.id);
  const remove = useRemoveEpic();
  const steps = useRef(0);
  const mark = async (status: EpicState, before: EpicState) => {
    steps.current += 1;
    const step = steps.current;
    const message = `Marked “${epic.title}” as ${epicStateLooks[status].label.toLowerCase()}`;
    const failure = 'The epic could not be changed';
    const canReturn = epicMoves[status].includes(before);
    // The hub refuses to complete an epic with open tasks. It says so at once, not when a notice closes.
    if (!canReturn && !(status === 'COMPLETED' && hasOpenTasks(epic))) {
      sendLater({
        keys: [moveKey(epic), heldKey(epic, status)],
        message,
        description: 'The team sees it when this notice closes.',
        carryOut: () => change.mutateAsync({ status }),
        failure,
        isUrgent: true,
      });
      return;
    }
    await settleDeletion(moveKey(epic));
    change.mutateAsync({ status }).then(
      () => {
        // The notice of the next step offers the way back.
        if (step !== steps.current) return;
        if (canReturn) offerUndo(message, { key: moveKey(epic), onUndo: () => void mark(before, status) });
        else showToast(message);
      },
      (error: unknown) => showError(failure, error),
    );
  };
  const removeEpic = () => {
    steps.current += 1;
    deleteLater({
      keys: [`epic/${epic.id}`, moveKey(epic)],
      message: `Deleted “${epic.title}”. Its tasks stay without an epic.`,
      carryOut: () => remove.mutateAsync(epic.id),
      failure: `“${epic.title}” could not be deleted`,
    });
  };
  return (
    <Menu trigger={<IconButton size="sm" label={`Actions for ${epic.title}`} icon={<Ellipsis aria-hidden />} />}>
      <MenuItem icon={<Pencil aria-hidden />} render={<Link to="/team/epics" search={{ epic: epic.id }} />}>
        Edit
      </MenuItem>
      {epicMoves[epic.state].map((status) => {
        const { label, icon: Icon } = epicStateLooks[status];
        return (
          <MenuItem key={status} icon={<Icon aria-hidden />} onClick={() => void mark(status, epic.state)}>
            {`Mark as ${label.toLowerCase()}`}
          </MenuItem>
        );
      })}
      <MenuSeparator />
      <MenuItem danger icon={<Trash2 aria-hidden />} onClick={removeEpic}>
        Delete
      </MenuItem>
    </Menu>
  );
}
