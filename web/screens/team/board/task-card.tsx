import { useDraggable } from '@dnd-kit/core';
import { Link } from '@tanstack/react-router';
import { Ellipsis, FolderKanban, GitPullRequest, MessageSquare, Tag } from 'lucide-react';
import { memo } from 'react';
import { type TaskState, taskMoves } from '../../../../src/team/work/task-moves.ts';
import type { Task } from '../../../../src/team/work/work.ts';
import { MemberName } from '../../../parts/team/member-badge.tsx';
import { DueBadge, PriorityBadge } from '../../../parts/team/task-plan.tsx';
import { taskStateLooks } from '../../../parts/team/task-state.tsx';
import { TimeInState } from '../../../parts/team/time-in-state.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import type { BoardSearch } from './board-search.ts';
import { needsMember } from './task-steps.ts';

export interface TaskCardProps {
  task: Task;
  /** Its place in the column. */
  row: number;
  epicName: string | undefined;
  filters: BoardSearch;
  isTabStop: boolean;
  onMove: (task: Task, to: TaskState) => void;
}

export const TaskCard = memo(function TaskCard(props: TaskCardProps) {
  const { task, row, epicName, filters, isTabStop, onMove } = props;
  const { setNodeRef, listeners, isDragging } = useDraggable({ id: task.id });
  return (
    <div
      ref={setNodeRef}
      {...listeners}
      className={classes('group relative touch-manipulation select-none', isDragging && 'opacity-40')}
    >
      <TaskCardFace {...{ task, row, epicName, filters, isTabStop }} />
      <div className="absolute top-1.5 right-1.5">
        <Menu
          trigger={
            <IconButton
              size="sm"
              tabIndex={isTabStop ? 0 : -1}
              label={`Move ${task.title}`}
              icon={<Ellipsis aria-hidden />}
              className="bg-raised focus-visible:opacity-100 data-popup-open:opacity-100 group-focus-within:opacity-100 group-hover:opacity-100 md:opacity-0"
            />
          }
        >
          {taskMoves[task.state].map((to) => {
            const { label, icon: Icon } = taskStateLooks[to];
            return (
              <MenuItem key={to} icon={<Icon aria-hidden />} onClick={() => onMove(task, to)}>
                {`Move to ${label}${needsMember(task, to) ? '…' : ''}`}
              </MenuItem>
            );
          })}
          {taskMoves[task.state].length === 0 && <MenuItem disabled>Completed tasks cannot move</MenuItem>}
        </Menu>
      </div>
    </div>
  );
});

export interface TaskCardFaceProps {
  task: Task;
  row?: number;
  epicName: string | undefined;
  /** Without filters the card is only a picture, without a link. */
  filters?: BoardSearch;
  isTabStop?: boolean;
  isLifted?: boolean;
}

export function TaskCardFace(props: TaskCardFaceProps) {
  const { task, row, epicName, filters, isTabStop = false, isLifted = false } = props;
  return (
    <div
      className={classes(
        'flex flex-col gap-2 rounded-xl border border-line bg-raised p-2.5 transition-colors',
        isLifted ? 'cursor-grabbing shadow-pop' : 'shadow-card hover:border-line-strong',
      )}
    >
      <div className="pr-7">
        {filters ? (
          <Link
            to="/team/tasks/$id"
            params={{ id: task.id }}
            search={filters}
            draggable={false}
            tabIndex={isTabStop ? 0 : -1}
            data-task={task.id}
            data-row={row}
            className="line-clamp-3 break-words font-medium text-sm leading-4.5 outline-none after:absolute after:inset-0 after:rounded-xl focus-visible:after:outline-2 focus-visible:after:outline-(--focus)"
          >
            {task.title}
          </Link>
        ) : (
          <span className="line-clamp-3 break-words font-medium text-sm leading-4.5">{task.title}</span>
        )}
      </div>
      {hasPlan(task) && (
        <div className="flex flex-wrap gap-1">
          <PriorityBadge priority={task.priority} />
          <DueBadge task={task} />
          {task.labels.map((label) => (
            <Badge key={label} icon={<Tag aria-hidden />}>
              <span className="max-w-32 truncate">{label}</span>
            </Badge>
          ))}
        </div>
      )}
      {task.epicId !== null && (
        <span className="flex min-w-0 items-center gap-1 text-muted text-xs">
          <FolderKanban aria-label="Epic" className="size-3 shrink-0" />
          <span className="truncate">{epicName ?? task.epicId}</span>
        </span>
      )}
      <div className="flex min-w-0 items-center gap-1.5 text-faint text-xs">
        {task.assigneeId === null ? (
          <span className="min-w-0 truncate">Unassigned</span>
        ) : (
          <MemberName id={task.assigneeId} size={16} className="text-muted" />
        )}
        <span className="ml-auto flex shrink-0 items-center gap-2 tabular-nums">
          {task.comments > 0 && (
            <span className="inline-flex items-center gap-1">
              <MessageSquare aria-label="Comments" className="size-3" />
              {task.comments}
            </span>
          )}
          {task.prUrl !== null && (
            <a
              href={task.prUrl}
              target="_blank"
              rel="noreferrer noopener"
              draggable={false}
              tabIndex={isTabStop ? 0 : -1}
              aria-label={`Pull request for ${task.title}`}
              className="relative z-10 rounded hover:text-accent-text"
            >
              <GitPullRequest aria-hidden className="size-3.5" />
            </a>
          )}
          <TimeInState since={task.stateSince} />
        </span>
      </div>
    </div>
  );
}

function hasPlan({ priority, dueDate, labels }: Task): boolean {
  return priority !== 'normal' || dueDate !== null || labels.length > 0;
}
