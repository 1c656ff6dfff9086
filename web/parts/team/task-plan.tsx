import { CalendarClock, ChevronDown, ChevronsUp, ChevronUp, Equal, type LucideIcon } from 'lucide-react';
import { dayMs } from '../../../src/base/clock.ts';
import { type Priority, priorities, type Task } from '../../../src/team/work/work.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { Select } from '../../ui/select.tsx';

interface PriorityLook {
  label: string;
  icon: LucideIcon;
  tone: BadgeTone;
}

const priorityLooks: Record<Priority, PriorityLook> = {
  urgent: { label: 'Urgent', icon: ChevronsUp, tone: 'danger' },
  high: { label: 'High', icon: ChevronUp, tone: 'warn' },
  normal: { label: 'Normal', icon: Equal, tone: 'neutral' },
  low: { label: 'Low', icon: ChevronDown, tone: 'neutral' },
};

interface PrioritySelectProps {
  id: string;
  value: Priority;
  onChange: (priority: Priority) => void;
}

export function PrioritySelect(props: PrioritySelectProps) {
  return <Select label="Priority" className="w-full" options={priorityOptions} {...props} />;
}

/** The options of a list of priorities. */
export const priorityOptions = priorities.map((value) => {
  const { label, icon: Icon } = priorityLooks[value];
  return { value, label, icon: <Icon aria-hidden className="size-3.5" /> };
});

/** The attributes of a field for a due date. */
export const dueDateField = { type: 'date', min: '1000-01-01', max: '9999-12-31' } as const;

/** Returns what is wrong with a field for a due date. One that is half typed has no value, but is not empty either. */
export function dueDateProblem(field: HTMLInputElement | null): string | null {
  return field?.validity.valid === false ? 'Enter a complete date, or clear it.' : null;
}

/** Shows a priority, unless it is the usual one. */
export function PriorityBadge({ priority }: { priority: Priority }) {
  if (priority === 'normal') return null;
  const { label, icon: Icon, tone } = priorityLooks[priority];
  return (
    <Badge tone={tone} icon={<Icon aria-hidden />}>
      {label}
    </Badge>
  );
}

export function DueBadge({ task }: { task: Pick<Task, 'dueDate' | 'state'> }) {
  if (task.dueDate === null || task.state === 'COMPLETED') return null;
  const { text, tone } = describeDue(task.dueDate, new Date());
  return (
    <Badge tone={tone} icon={<CalendarClock aria-hidden />} title={`Due on ${task.dueDate}`}>
      {text}
    </Badge>
  );
}

/** Describes a day such as 2027-03-31 as seen from `now`, in the browser's time zone. */
export function describeDue(dueDate: string, now: Date): { text: string; tone: BadgeTone } {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  const days = Math.round((Date.parse(`${dueDate}T00:00:00Z`) - today) / dayMs);
  if (days < -1) return { text: `${-days} days overdue`, tone: 'danger' };
  if (days === -1) return { text: 'Due yesterday', tone: 'danger' };
  if (days === 0) return { text: 'Due today', tone: 'warn' };
  if (days === 1) return { text: 'Due tomorrow', tone: 'warn' };
  if (days < 7) return { text: `Due in ${days} days`, tone: 'neutral' };
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  const year = dueDate.startsWith(String(now.getFullYear())) ? {} : ({ year: 'numeric' } as const);
  return { text: `Due ${new Date(dueDate).toLocaleDateString(undefined, { ...options, ...year })}`, tone: 'neutral' };
}
