import { parseWith } from '../../base/validate.ts';
import { type ConfigOption, withHub } from '../../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../../cli/terminal/context.ts';
import { printTable, shortTime } from '../../cli/terminal/print-table.ts';
import { printable, printableLine } from '../../cli/terminal/text-width.ts';
import type { EpicState, TaskState } from './task-moves.ts';
import {
  type Epic,
  NewComment,
  NewEpic,
  NewTask,
  type Task,
  TaskAssignment,
  type TaskComment,
  TaskFilters,
  TaskMove,
} from './work.ts';

type Options = ConfigOption & { json?: boolean };

const surface = 'cli';

interface TaskListOptions extends Options {
  state?: TaskState[];
  epic?: string;
  assignee?: string;
  priority?: string;
  dueBy?: string;
  label?: string;
  text?: string;
  sort?: string;
  limit?: number;
}

/** `zoo task list`: prints tasks. */
export function listTasks(context: CliContext, options: TaskListOptions): Promise<void> {
  return withHub(context, options, async ({ team }) => {
    const { state, limit = 100, epic: epicId, assignee: assigneeId, dueBy, label, text, priority, sort } = options;
    const filters = parseWith(TaskFilters, { epicId, assigneeId, dueBy, label, text, priority, sort });
    const { items } = await team.tasks.list({ ...filters, state, limit });
    if (options.json) return printJson(context, items);
    if (items.length === 0) return printLine(context, 'No tasks found. "zoo task create TITLE" creates one.');
    const rows = items.map((task) => [
      task.id,
      task.state,
      task.priority,
      task.dueDate ?? '–',
      task.assigneeId ?? '–',
      shortTime(task.stateSince),
      task.title,
    ]);
    printTable(context, ['TASK', 'STATE', 'PRIORITY', 'DUE', 'MEMBER', 'SINCE', 'TITLE'], rows);
  });
}

/** `zoo task show ID`: prints a task with its comments. */
export function showTask(context: CliContext, id: string, options: Options): Promise<void> {
  return withHub(context, options, async ({ team }) => {
    const task = await team.tasks.get(id);
    if (options.json) return printJson(context, task);
    const { bold, dim } = colorsFor(context);
    printLine(context, bold(printableLine(task.title)));
    const facts: [string, string | null][] = [
      ['State', `${task.state} since ${shortTime(task.stateSince)}`],
      ['Member', task.assigneeId],
      ['Priority', task.priority],
      ['Due', task.dueDate],
      ['Labels', task.labels.join(', ') || null],
      ['Epic', task.epicId],
      ['Worktree', task.worktreePath],
      ['Branch', task.branchName],
      ['PR', task.prUrl],
    ];
    for (const [label, value] of facts) {
      if (value !== null) printLine(context, `${dim(label.padEnd(8))} ${printableLine(value)}`);
    }
    if (task.description !== '') printLine(context, `\n${printable(task.description)}`);
    for (const { authorId, createdAt, body } of task.commentList) {
      printLine(context, `\n${dim(`${authorId ?? 'you or the hub'}, ${shortTime(createdAt)}`)}\n${printable(body)}`);
    }
  });
}

export interface NewTaskOptions extends Options {
  description?: string;
  epic?: string;
  assignee?: string;
  priority?: string;
  due?: string;
  label?: string[];
}

/** `zoo task create TITLE`: creates a task. */
export function createTask(context: CliContext, title: string, options: NewTaskOptions): Promise<void> {
  return withHub(context, options, async ({ team, callAsUser }) => {
    // Checked first, because the error about an unknown assignee would name a task that was never created.
    if (options.assignee !== undefined) await team.members.get(options.assignee);
    const { description, epic: epicId, assignee: assigneeId, priority, due: dueDate, label: labels } = options;
    const plan = { priority, dueDate, labels };
    const input = parseWith(NewTask, { title, description, epicId, assigneeId, ...plan });
    printTask(context, await callAsUser<Task>({ surface, tool: 'mcp__task__create', input }), options);
  });
}

/** `zoo task assign ID [MEMBER]`: assigns a task, or unassigns it. */
export function assignTask(
  context: CliContext,
  taskId: string,
  agentId: string | null,
  options: Options,
): Promise<void> {
  return withHub(context, options, async ({ callAsUser }) => {
    const input = parseWith(TaskAssignment, { taskId, agentId });
    printTask(context, await callAsUser<Task>({ surface, tool: 'mcp__task__assign', input }), options);
  });
}

/** `zoo task move ID STATE`: moves a task. */
export function moveTask(
  context: CliContext,
  taskId: string,
  status: TaskState,
  options: Options & { comment?: string },
): Promise<void> {
  return withHub(context, options, async ({ callAsUser }) => {
    const input = parseWith(TaskMove, { taskId, status, comment: options.comment });
    printTask(context, await callAsUser<Task>({ surface, tool: 'mcp__task__update_status', input }), options);
  });
}

/** `zoo task comment ID TEXT`: comments on a task. */
export function commentTask(context: CliContext, taskId: string, body: string, options: Options): Promise<void> {
  return withHub(context, options, async ({ callAsUser }) => {
    const input = parseWith(NewComment, { taskId, body });
    const comment = await callAsUser<TaskComment>({ surface, tool: 'mcp__task__add_comment', input });
    if (options.json) return printJson(context, comment);
    printLine(context, `Comment added (${comment.id}).`);
  });
}

function printTask(context: CliContext, task: Task, options: Options): void {
  if (options.json) printJson(context, task);
  else
    printLine(
      context,
      `${task.id} is ${task.state}${task.assigneeId === null ? '' : `, assigned to ${task.assigneeId}`}.`,
    );
}

/** `zoo epic list`: prints epics. */
export function listEpics(context: CliContext, options: Options & { state?: EpicState[] }): Promise<void> {
  return withHub(context, options, async ({ team }) => {
    const { items } = await team.epics.list({ ...(options.state && { state: options.state }), limit: 100 });
    if (options.json) return printJson(context, items);
    if (items.length === 0) return printLine(context, 'No epics found. "zoo epic create TITLE" creates one.');
    const rows = items.map((epic) => {
      const all = Object.values(epic.tasks).reduce((sum, count) => sum + count, 0);
      return [epic.id, epic.state, `${epic.tasks.COMPLETED} of ${all} tasks`, epic.title];
    });
    printTable(context, ['EPIC', 'STATE', 'DONE', 'TITLE'], rows);
  });
}

/** `zoo epic create TITLE`: creates an epic. */
export function createEpic(
  context: CliContext,
  title: string,
  options: Options & { description?: string; linearId?: string; linearUrl?: string },
): Promise<void> {
  return withHub(context, options, async ({ callAsUser }) => {
    const { description, linearId: linearIssueId, linearUrl: linearIssueUrl } = options;
    const input = parseWith(NewEpic, { title, description, linearIssueId, linearIssueUrl });
    const epic = await callAsUser<Epic>({ surface, tool: 'mcp__epic__create', input });
    if (options.json) return printJson(context, epic);
    printLine(context, `${epic.id} is ${epic.state}.`);
  });
}

/** `zoo epic move ID STATE`: moves an epic. */
export function moveEpic(context: CliContext, epicId: string, status: EpicState, options: Options): Promise<void> {
  return withHub(context, options, async ({ callAsUser }) => {
    const epic = await callAsUser<Epic>({ surface, tool: 'mcp__epic__update_status', input: { epicId, status } });
    if (options.json) return printJson(context, epic);
    printLine(context, `${epic.id} is ${epic.state}.`);
  });
}
