import { z } from 'zod';
import { MemberId } from '../members/member.ts';
import { epicStates, taskStates } from './task-moves.ts';

const moment = z.iso.datetime();
/** The id of a task or an epic. */
export const WorkId = z.string().min(1).max(100);
/** Maximum lengths in characters. */
export const workLimits = { title: 300, description: 100_000, comment: 20_000, label: 50, labels: 20 } as const;
const title = z.string().trim().min(1).max(workLimits.title);
const description = z.string().max(workLimits.description);
const commentText = z.string().min(1).max(workLimits.comment);
const path = z.string().min(1).max(4_096);
const url = z.url({ protocol: /^https?$/ }).max(2_000);

/** In the order in which members begin tasks. */
export const priorities = ['urgent', 'high', 'normal', 'low'] as const;
export const Priority = z.enum(priorities);
export type Priority = z.infer<typeof Priority>;
const TaskLabel = z.string().trim().min(1).max(workLimits.label);
const labels = z
  .array(TaskLabel)
  .max(workLimits.labels)
  .transform((list) => [...new Set(list)]);

export const TaskState = z.enum(taskStates);
export const EpicState = z.enum(epicStates);

export const Epic = z.object({
  id: z.string(),
  linearIssueId: z.string().nullable(),
  linearIssueUrl: z.string().nullable(),
  title: z.string(),
  description: z.string(),
  state: EpicState,
  createdAt: moment,
  updatedAt: moment,
  completedAt: moment.nullable(),
});
export type Epic = z.infer<typeof Epic>;

export const Task = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  state: TaskState,
  priority: Priority,
  /** The day by which it should be completed. */
  dueDate: z.iso.date().nullable(),
  labels: z.array(z.string()),
  epicId: z.string().nullable(),
  assigneeId: z.string().nullable(),
  /** The member that created it; null for the user. */
  createdBy: z.string().nullable(),
  worktreePath: z.string().nullable(),
  branchName: z.string().nullable(),
  prUrl: z.string().nullable(),
  comments: z.int(),
  /** When it entered its current state. */
  stateSince: moment,
  createdAt: moment,
  updatedAt: moment,
  completedAt: moment.nullable(),
});
export type Task = z.infer<typeof Task>;

/** Compares tasks by urgency: by priority, then by due date, then by age. */
export function compareUrgency(one: Task, other: Task): number {
  const difference = priorities.indexOf(one.priority) - priorities.indexOf(other.priority);
  if (difference !== 0) return difference;
  const keys = ({ dueDate, createdAt, id }: Task) => [dueDate ?? afterEveryDay, createdAt, id];
  const others = keys(other);
  for (const [index, key] of keys(one).entries()) {
    const against = others[index] ?? '';
    if (key !== against) return key < against ? -1 : 1;
  }
  return 0;
}

/** Sorts tasks without a due date behind those with one. */
export const afterEveryDay = '9999-99-99';

export const TaskComment = z.object({
  id: z.string(),
  taskId: z.string(),
  /** Null for the user and for the hub itself. */
  authorId: z.string().nullable(),
  body: z.string(),
  createdAt: moment,
});
export type TaskComment = z.infer<typeof TaskComment>;

export const TaskWithComments = z.object({ ...Task.shape, commentList: z.array(TaskComment) });
export type TaskWithComments = z.infer<typeof TaskWithComments>;

/** An epic with the number of its tasks in each state. */
export const EpicWithTasks = z.object({ ...Epic.shape, tasks: z.record(TaskState, z.int()) });
export type EpicWithTasks = z.infer<typeof EpicWithTasks>;

export const NewEpic = z.strictObject({
  title,
  description: description.default(''),
  linearIssueId: z.string().min(1).max(200).nullable().optional(),
  linearIssueUrl: url.nullable().optional(),
});
export type NewEpic = z.infer<typeof NewEpic>;

/** Removes the default of `description`, which would clear the text with every other change. */
export const EpicChange = NewEpic.extend({ description }).partial();
export type EpicChange = z.infer<typeof EpicChange>;

const planFields = {
  priority: Priority.optional(),
  dueDate: z.iso.date().nullable().optional().describe('The day by which it should be completed, such as 2027-03-31.'),
  labels: labels.optional(),
};

const locationFields = {
  worktreePath: path.nullable().optional(),
  branchName: z.string().min(1).max(500).nullable().optional(),
  prUrl: url.nullable().optional(),
};

export const NewTask = z.strictObject({
  title,
  description: description.default(''),
  epicId: WorkId.nullable().optional(),
  /** If given, the task is assigned at once. */
  assigneeId: MemberId.nullable().optional(),
  ...planFields,
  ...locationFields,
});
export type NewTask = z.infer<typeof NewTask>;

export const TaskChange = z.strictObject({
  title: title.optional(),
  description: description.optional(),
  epicId: WorkId.nullable().optional(),
  ...planFields,
  ...locationFields,
});
export type TaskChange = z.infer<typeof TaskChange>;

export const TaskAssignment = z.strictObject({
  taskId: WorkId,
  agentId: MemberId.nullable().describe('Null unassigns the task.'),
});
export type TaskAssignment = z.infer<typeof TaskAssignment>;

/** A task that a member starts, whoever it was assigned to before. */
export const TaskStart = z.strictObject({ taskId: WorkId, agentId: MemberId });
export type TaskStart = z.infer<typeof TaskStart>;

/** A comment on a task; without taskId, on the member's current one. */
export const NewComment = z.strictObject({ taskId: WorkId.optional(), body: commentText });
export type NewComment = z.infer<typeof NewComment>;

/** A review of a task. */
export const TaskReview = z.strictObject({ taskId: WorkId, comment: commentText.optional() });
export type TaskReview = z.infer<typeof TaskReview>;
export const ChangeRequest = TaskReview.required();

export const EpicMove = z.strictObject({ epicId: WorkId, status: EpicState });
export type EpicMove = z.infer<typeof EpicMove>;

/** A move of a task, with locations of the work to record. */
export const TaskMove = z.strictObject({
  /** If omitted: the member's current task. IN_PROGRESS without a current task takes the next pending one. */
  taskId: WorkId.optional(),
  status: TaskState,
  comment: commentText.optional(),
  ...locationFields,
});
export type TaskMove = z.infer<typeof TaskMove>;

const taskSorts = ['change', 'urgency'] as const;

/** How lists of tasks are filtered and sorted, over HTTP, by members and on the command line. */
export const TaskFilters = z.strictObject({
  epicId: WorkId.optional(),
  assigneeId: z.string().min(1).max(100).optional(),
  priority: Priority.optional(),
  dueBy: z.iso
    .date()
    .optional()
    .describe('A day such as 2027-03-31: only tasks that are not completed and due on this day or before it.'),
  label: TaskLabel.optional(),
  text: z.string().max(200).optional().describe('Words to find in the title; all must occur.'),
  sort: z
    .enum(taskSorts)
    .optional()
    .describe('By the last change, newest first (the default), or by urgency: priority, then due date, then age.'),
});

export interface TaskQuery extends z.infer<typeof TaskFilters> {
  state?: readonly z.infer<typeof TaskState>[] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}
