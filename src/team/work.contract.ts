import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { commaList, DeletedBody, nextCursor, pageQuery } from '../base/contract-fields.ts';
import { MemberId } from './member.ts';
import {
  Epic,
  EpicChange,
  EpicState,
  EpicWithTasks,
  NewEpic,
  NewTask,
  Task,
  TaskChange,
  TaskComment,
  TaskMove,
  TaskState,
  TaskWithComments,
} from './work.ts';

const comment = z.string().min(1).max(20_000);
const severalStates = 'One state, or several with commas.';

const TaskListBody = z.object({ tasks: z.array(Task), cursor: nextCursor });
export type TaskListBody = z.infer<typeof TaskListBody>;

/** Tasks as the person sees and steers them; members have their tools. */
export const tasksContract = defineContract('Tasks', {
  'GET /api/tasks': {
    right: 'administer',
    summary: 'List tasks',
    query: pageQuery.extend({
      state: commaList(TaskState).describe(severalStates),
      epicId: z.string().min(1).max(100).optional(),
      assigneeId: z.string().min(1).max(100).optional(),
    }),
    answer: 'Newest change first.',
    output: TaskListBody,
    errors: [400],
  },
  'POST /api/tasks': {
    right: 'administer',
    summary: 'Make a task',
    body: NewTask,
    example: { title: 'Add JWT-based authentication', assigneeId: 'worker-1' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'The task.',
    output: Task,
    errors: [400, 404],
  },
  'GET /api/tasks/{id}': {
    right: 'administer',
    summary: 'Read a task',
    answer: 'The task with its comments.',
    output: TaskWithComments,
    errors: [404],
  },
  'PATCH /api/tasks/{id}': {
    right: 'administer',
    summary: 'Change a task',
    body: TaskChange,
    example: { branchName: 'feature/auth' },
    answer: 'The task.',
    output: Task,
    errors: [400, 404],
  },
  'DELETE /api/tasks/{id}': {
    right: 'administer',
    summary: 'Delete a task',
    answer: 'It is gone.',
    output: DeletedBody,
    errors: [404],
  },
  'POST /api/tasks/{id}/move': {
    right: 'administer',
    summary: 'Move a task',
    description: 'To a state that can follow its own; `invalid_state` says which ones can.',
    body: TaskMove.omit({ taskId: true }),
    example: { status: 'IN_PROGRESS' },
    takesIdempotencyKey: true,
    answer: 'The task.',
    output: Task,
    errors: [400, 404, 409],
  },
  'POST /api/tasks/{id}/assign': {
    right: 'administer',
    summary: 'Give a task to a member',
    body: z.strictObject({ agentId: MemberId.nullable().describe('Null takes it away.') }),
    example: { agentId: 'worker-1' },
    takesIdempotencyKey: true,
    answer: 'The task.',
    output: Task,
    errors: [400, 404, 409],
  },
  'POST /api/tasks/{id}/comments': {
    right: 'administer',
    summary: 'Comment on a task',
    body: z.strictObject({ body: comment }),
    example: { body: 'The tests are red on Windows.' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'The comment.',
    output: TaskComment,
    errors: [400, 404],
  },
});

export const epicsContract = defineContract('Epics', {
  'GET /api/epics': {
    right: 'administer',
    summary: 'List epics',
    query: pageQuery.extend({ state: commaList(EpicState).describe(severalStates) }),
    answer: 'With the numbers of their tasks.',
    output: z.object({ epics: z.array(EpicWithTasks), cursor: nextCursor }),
    errors: [400],
  },
  'POST /api/epics': {
    right: 'administer',
    summary: 'Make an epic',
    body: NewEpic,
    example: { title: 'User Management System' },
    takesIdempotencyKey: true,
    status: 201,
    answer: 'The epic.',
    output: Epic,
    errors: [400],
  },
  'GET /api/epics/{id}': {
    right: 'administer',
    summary: 'Read an epic',
    answer: 'The epic with the numbers of its tasks.',
    output: EpicWithTasks,
    errors: [404],
  },
  'PATCH /api/epics/{id}': {
    right: 'administer',
    summary: 'Change an epic',
    description: '`status` moves it; completed and cancelled are final.',
    body: EpicChange.extend({ status: EpicState.optional() }),
    example: { status: 'IN_PROGRESS' },
    answer: 'The epic.',
    output: EpicWithTasks,
    errors: [400, 404, 409],
  },
  'DELETE /api/epics/{id}': {
    right: 'administer',
    summary: 'Delete an epic',
    description: 'Its tasks stay, without an epic.',
    answer: 'It is gone.',
    output: DeletedBody,
    errors: [404],
  },
  'POST /api/tasks/{id}/approve': {
    right: 'administer',
    summary: 'Approve a task in review',
    body: z.strictObject({ comment: comment.optional() }),
    isBodyOptional: true,
    example: {},
    takesIdempotencyKey: true,
    answer: 'The task, completed.',
    output: Task,
    errors: [404, 409],
  },
  'POST /api/tasks/{id}/request-changes': {
    right: 'administer',
    summary: 'Ask for changes',
    body: z.strictObject({ comment }),
    example: { comment: 'The second case has no test.' },
    takesIdempotencyKey: true,
    answer: 'The task, in progress again.',
    output: Task,
    errors: [400, 404, 409],
  },
});
