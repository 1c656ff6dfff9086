import { z } from 'zod';
import { DeletedBody } from '../../base/contract-fields.ts';
import type { Tool } from '../../tools/tool.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import {
  NewComment,
  NewTask,
  Task,
  TaskAssignment,
  TaskChange,
  TaskComment,
  TaskFilters,
  TaskMove,
  TaskStart,
  TaskState,
  WorkId,
} from './work.ts';

const reading = { readOnlyHint: true, idempotentHint: true };

/** One task state, or several. */
export const StateFilter = z.union([TaskState, z.array(TaskState).min(1).max(TaskState.options.length)]).optional();

export const taskPage = {
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(500).optional().describe('The cursor of the previous page.'),
};

export const TaskPage = z.object({ count: z.int(), tasks: z.array(Task), cursor: z.string().nullable() });

export function taskTools({ members, tasks }: Pick<Team, 'members' | 'tasks'>): Tool[] {
  const updateStatus = defineTeamTool(members, {
    name: 'mcp__task__update_status',
    title: 'Move a task',
    description:
      'Moves a task to another state: PENDING → ASSIGNED → IN_PROGRESS → REVIEW → COMPLETED, with BLOCKED and FAILED along the way. Without taskId, moves your current task. IN_PROGRESS without taskId begins a task assigned to you, or else claims the most urgent pending one; it never takes your task out of REVIEW. worktreePath, branchName and prUrl are recorded.',
    input: TaskMove,
    output: Task,
    run: (move, { actor, options }) => tasks.move(actor, move, options),
  });
  return [
    defineTeamTool(members, {
      name: 'mcp__task__create',
      title: 'Create a task',
      description:
        'Creates a task, in an epic if epicId is given. priority is urgent, high, normal or low; members start urgent tasks first. With assigneeId, assigns it to that member at once and tells the member by mail.',
      input: NewTask,
      output: Task,
      run: (task, { actor, options }) => tasks.create(actor, task, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__task__assign',
      title: 'Assign a task',
      description:
        'Assigns a task that nobody works on to a member, who gets a mail. With agentId null, an assigned task becomes PENDING again.',
      input: TaskAssignment,
      output: Task,
      run: (assignment, { actor, options }) => tasks.assign(actor, assignment, options),
    }),
    updateStatus,
    // A second name, with the same permissions. Lists leave it out.
    { ...updateStatus, name: 'mcp__task__update_state', isHidden: true, permissionName: updateStatus.name },
    defineTeamTool(members, {
      name: 'mcp__task__add_comment',
      title: 'Comment on a task',
      description: 'Adds a comment to a task; without taskId, to your current one.',
      input: NewComment,
      output: TaskComment,
      run: (comment, { actor, options }) => tasks.comment(actor, comment, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__task__change',
      title: 'Change a task',
      description:
        'Changes the text, priority, due date, labels, epic or locations of a task. Omitted fields keep their values.',
      annotations: { idempotentHint: true },
      isForUser: true,
      input: TaskChange.extend({ taskId: WorkId }),
      output: Task,
      run: ({ taskId, ...change }, { actor }) => tasks.change(actor, taskId, change),
    }),
    defineTeamTool(members, {
      name: 'mcp__task__start',
      title: 'Start a task',
      description: 'Assigns a task to a member, who starts it at once.',
      isForUser: true,
      input: TaskStart,
      output: Task,
      run: (start, { actor, options }) => tasks.start(actor, start, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__task__delete',
      title: 'Delete a task',
      description: 'Deletes a task with its comments.',
      annotations: { destructiveHint: true, idempotentHint: true },
      isForUser: true,
      input: z.strictObject({ taskId: WorkId }),
      output: DeletedBody,
      async run({ taskId }) {
        await tasks.remove(taskId);
        return { success: true as const, id: taskId };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__task__list',
      title: 'List tasks',
      description:
        'Lists tasks by state, epic, assignee, priority, due date, label or words of the title, last changed first or most urgent first.',
      annotations: reading,
      input: TaskFilters.extend({ state: StateFilter, ...taskPage }),
      output: TaskPage,
      async run({ state, ...query }) {
        const { items, cursor } = await tasks.list({ ...query, state: toStates(state) });
        return { count: items.length, tasks: items, cursor };
      },
    }),
  ];
}

export function toStates(filter: z.output<typeof StateFilter>): z.infer<typeof TaskState>[] | undefined {
  return typeof filter === 'string' ? [filter] : filter;
}
