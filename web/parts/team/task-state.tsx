import {
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleX,
  GitPullRequestArrow,
  type LucideIcon,
  OctagonPause,
  UserRoundCheck,
} from 'lucide-react';
import type { EpicState, TaskState } from '../../../src/team/work/task-moves.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';

export interface StateLook {
  label: string;
  tone: BadgeTone;
  icon: LucideIcon;
  /** A background class for bars and dots. */
  fill: string;
}

export const taskStateLooks: Record<TaskState, StateLook> = {
  PENDING: { label: 'Pending', tone: 'neutral', icon: CircleDashed, fill: 'bg-line-strong' },
  ASSIGNED: { label: 'Assigned', tone: 'info', icon: UserRoundCheck, fill: 'bg-info/50' },
  IN_PROGRESS: { label: 'In progress', tone: 'info', icon: CircleDot, fill: 'bg-info' },
  REVIEW: { label: 'Review', tone: 'violet', icon: GitPullRequestArrow, fill: 'bg-violet' },
  BLOCKED: { label: 'Blocked', tone: 'warn', icon: OctagonPause, fill: 'bg-warn' },
  COMPLETED: { label: 'Completed', tone: 'accent', icon: CircleCheck, fill: 'bg-accent' },
  FAILED: { label: 'Failed', tone: 'danger', icon: CircleX, fill: 'bg-danger' },
};

export const epicStateLooks: Record<EpicState, StateLook> = {
  PLANNING: { label: 'Planning', tone: 'neutral', icon: CircleDashed, fill: 'bg-line-strong' },
  IN_PROGRESS: taskStateLooks.IN_PROGRESS,
  BLOCKED: taskStateLooks.BLOCKED,
  COMPLETED: taskStateLooks.COMPLETED,
  CANCELLED: { label: 'Cancelled', tone: 'danger', icon: CircleX, fill: 'bg-danger' },
};

export function TaskStateBadge({ state }: { state: TaskState }) {
  return <StateBadge look={taskStateLooks[state]} />;
}

export function EpicStateBadge({ state }: { state: EpicState }) {
  return <StateBadge look={epicStateLooks[state]} />;
}

function StateBadge({ look: { label, tone, icon: Icon } }: { look: StateLook }) {
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {label}
    </Badge>
  );
}
