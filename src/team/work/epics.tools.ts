import { z } from 'zod';
import { DeletedBody } from '../../base/contract-fields.ts';
import type { Tool } from '../../tools/tool.ts';
import { defineTeamTool } from '../define-team-tool.ts';
import type { Team } from '../team.ts';
import { StateFilter, TaskPage, taskPage, toStates } from './tasks.tools.ts';
import {
  ChangeRequest,
  Epic,
  EpicChange,
  EpicMove,
  EpicState,
  EpicWithTasks,
  NewEpic,
  Task,
  TaskFilters,
  TaskReview,
  WorkId,
} from './work.ts';

const reading = { readOnlyHint: true, idempotentHint: true };

export function epicTools({ members, epics, tasks }: Pick<Team, 'members' | 'epics' | 'tasks'>): Tool[] {
  return [
    defineTeamTool(members, {
      name: 'mcp__epic__create',
      title: 'Create an epic',
      description: 'Creates an epic: a larger goal that tasks belong to. It starts in PLANNING.',
      input: NewEpic,
      output: Epic,
      run: (epic, { actor, options }) => epics.create(actor, epic, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__update_status',
      title: 'Move an epic',
      description:
        'Moves an epic to PLANNING, IN_PROGRESS, BLOCKED, COMPLETED or CANCELLED. The last two are final; an epic with open tasks cannot be completed.',
      input: EpicMove,
      output: Epic,
      run: (move, { actor, options }) => epics.move(actor, move, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__change',
      title: 'Change an epic',
      description: 'Changes the text or the links of an epic. Omitted fields keep their values.',
      annotations: { idempotentHint: true },
      isForUser: true,
      input: EpicChange.extend({ epicId: WorkId }),
      output: Epic,
      run: ({ epicId, ...change }) => epics.change(epicId, change),
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__delete',
      title: 'Delete an epic',
      description: 'Deletes an epic. Its tasks stay, without an epic.',
      annotations: { destructiveHint: true, idempotentHint: true },
      isForUser: true,
      input: z.strictObject({ epicId: WorkId }),
      output: DeletedBody,
      async run({ epicId }) {
        await epics.remove(epicId);
        return { success: true as const, id: epicId };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__list',
      title: 'List epics',
      description: 'Lists epics with the number of their tasks in each state.',
      annotations: reading,
      input: z.strictObject({
        state: z.union([EpicState, z.array(EpicState).min(1).max(EpicState.options.length)]).optional(),
        ...taskPage,
      }),
      output: z.object({
        count: z.int(),
        epics: z.array(EpicWithTasks),
        cursor: z.string().nullable(),
      }),
      async run({ state, limit, cursor }) {
        const page = await epics.list({ limit, cursor, state: typeof state === 'string' ? [state] : state });
        return { count: page.items.length, epics: page.items, cursor: page.cursor };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__list_tasks',
      title: 'List the tasks of an epic',
      description:
        'Lists the tasks of an epic, last changed first or most urgent first; without epicId, those of your current epic.',
      annotations: reading,
      input: TaskFilters.extend({ state: StateFilter, ...taskPage }),
      output: TaskPage.extend({ epicId: z.string() }),
      async run({ epicId, state, ...query }, { member }) {
        const epic = epicId === undefined ? await epics.currentOf(member) : await epics.get(epicId);
        const page = await tasks.list({ ...query, epicId: epic.id, state: toStates(state) });
        return { epicId: epic.id, count: page.items.length, tasks: page.items, cursor: page.cursor };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__get_review_queue',
      title: 'List tasks in review',
      description: 'Lists tasks in REVIEW, of one epic or of all, the most urgent first, then the longest waiting.',
      annotations: reading,
      input: z.strictObject({ epicId: WorkId.optional() }),
      output: z.object({ count: z.int(), tasks: z.array(Task) }),
      async run({ epicId }) {
        const queue = await epics.reviewQueue(epicId);
        return { count: queue.length, tasks: queue };
      },
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__approve_task',
      title: 'Approve a task',
      description: 'Completes a task that is in REVIEW. Its assignee gets a mail.',
      input: TaskReview,
      output: Task,
      run: (review, { actor, options }) => epics.approve(actor, review, options),
    }),
    defineTeamTool(members, {
      name: 'mcp__epic__request_changes',
      title: 'Request changes to a task',
      description:
        'Sends a task that is in REVIEW back to IN_PROGRESS, or to BLOCKED while its assignee works on another task. Its assignee gets a mail with your comment.',
      input: ChangeRequest,
      output: Task,
      run: (review, { actor, options }) => epics.requestChanges(actor, review, options),
    }),
  ];
}
