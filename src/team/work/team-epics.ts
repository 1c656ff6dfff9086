import { toIso } from '../../base/clock.ts';
import type { Page } from '../../base/contract-fields.ts';
import { HubError } from '../../base/hub-error.ts';
import { newId } from '../../base/ids.ts';
import { type OneWrite, type WriteOptions, writeOnce } from '../calls/once.ts';
import type { Actor, Member } from '../members/member.ts';
import type { TeamWriter } from '../team.store.ts';
import { allTasks, byTurn } from './follow-task.ts';
import { moveTask, readTask } from './move-task.ts';
import { reviewsForUser } from './reviews.ts';
import { type EpicState, epicMoves, type TaskState, taskStates } from './task-moves.ts';
import { ensureMayReview } from './task-rules.ts';
import type { TeamTasks, WorkParts } from './team-tasks.ts';
import type { Epic, EpicChange, EpicMove, EpicWithTasks, NewEpic, Task, TaskReview } from './work.ts';

export function teamEpics(parts: WorkParts, tasks: Pick<TeamTasks, 'currentOf'>) {
  const { store } = parts;
  const review = (write: OneWrite & { input: TaskReview }, to: TaskState) =>
    writeOnce(parts, write, async (rows) => {
      const { actor, input } = write;
      const task = await readTask(rows, input.taskId);
      ensureMayReview(actor, task);
      ensureInReview(task);
      return moveTask(parts, rows, { actor, task, to, comment: input.comment, isSentBack: to === 'IN_PROGRESS' });
    });
  return {
    async list({ state, limit = 100, cursor }: EpicQuery = {}): Promise<Page<EpicWithTasks>> {
      const [page, counts] = await Promise.all([store.epics({ state, limit, cursor }), store.countTasks()]);
      return { ...page, items: page.items.map((epic) => ({ ...epic, tasks: counts.get(epic.id) ?? noTasks() })) };
    },
    /** Throws RESOURCE_NOT_FOUND. */
    async get(id: string): Promise<EpicWithTasks> {
      const [epic, counts] = await Promise.all([readEpic(store, id), store.countTasks()]);
      return { ...epic, tasks: counts.get(id) ?? noTasks() };
    },
    create: (actor: Actor, epic: NewEpic, options?: WriteOptions): Promise<Epic> =>
      writeOnce(parts, { actor, tool: 'mcp__epic__create', input: epic, ...options }, (rows) =>
        createEpic(parts, rows, epic),
      ),
    change: (id: string, change: EpicChange): Promise<Epic> =>
      store.write(async (rows) => {
        await readEpic(rows, id);
        await rows.changeEpic(id, clean(parts, change), parts.clock.now());
        return readEpic(rows, id);
      }),
    move: (actor: Actor, move: EpicMove, options?: WriteOptions): Promise<Epic> =>
      writeOnce(parts, { actor, tool: 'mcp__epic__update_status', input: move, ...options }, (rows) =>
        moveEpic(parts, rows, move),
      ),
    /** Removes an epic. Its tasks stay, without an epic. */
    remove: (id: string): Promise<void> =>
      store.write(async (rows) => {
        if (!(await rows.removeEpic(id))) throw noEpic(id);
      }),
    /** Returns the tasks in review, the most urgent first, then the longest waiting. */
    async reviewQueue(epicId?: string): Promise<Task[]> {
      if (epicId !== undefined) await readEpic(store, epicId);
      return (await allTasks(store, { state: ['REVIEW'], epicId })).sort(byTurn);
    },
    /** Returns tasks that wait for the user's review, last changed first. */
    reviewsForUser: (limit: number): Promise<Task[]> => reviewsForUser(store, limit),
    /** Completes a task in review. Its assignee gets a mail. */
    approve: (actor: Actor, input: TaskReview, options?: WriteOptions) =>
      review({ actor, tool: 'mcp__epic__approve_task', input, ...options }, 'COMPLETED'),
    requestChanges: (actor: Actor, input: TaskReview & { comment: string }, options?: WriteOptions) =>
      review({ actor, tool: 'mcp__epic__request_changes', input, ...options }, 'IN_PROGRESS'),
    /** Returns a member's epic; a worker's is that of its task. Throws INVALID_AGENT_STATE, RESOURCE_NOT_FOUND. */
    async currentOf(member: Member): Promise<Epic> {
      const epicId =
        member.type === 'WORKER'
          ? (await tasks.currentOf(member)).epicId
          : ((await store.member(member.id))?.currentEpicId ?? null);
      if (epicId !== null) return readEpic(store, epicId);
      throw new HubError('INVALID_AGENT_STATE', `${member.type} "${member.id}" has no current epic.`);
    },
  };
}

type EpicQuery = {
  state?: readonly EpicState[] | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

function ensureInReview(task: Task): void {
  if (task.state === 'REVIEW') return;
  throw new HubError(
    'INVALID_AGENT_STATE',
    `Task "${task.id}" is ${task.state}, not in REVIEW: it cannot be approved or sent back.`,
  );
}

async function createEpic(parts: WorkParts, rows: TeamWriter, draft: NewEpic): Promise<Epic> {
  const now = parts.clock.now();
  const at = toIso(now);
  const epic: Epic = {
    id: newId('epic', now),
    title: draft.title,
    description: draft.description,
    linearIssueId: null,
    linearIssueUrl: null,
    ...clean(parts, draft),
    state: 'PLANNING',
    createdAt: at,
    updatedAt: at,
    completedAt: null,
  };
  await rows.addEpic(epic);
  return readEpic(rows, epic.id);
}

async function moveEpic(parts: WorkParts, rows: TeamWriter, { epicId, status }: EpicMove): Promise<Epic> {
  const epic = await readEpic(rows, epicId);
  const possible = epicMoves[epic.state];
  if (!possible.includes(status)) {
    const what = epic.state === status ? `is already ${status}` : `is ${epic.state} and cannot become ${status}`;
    const ways = possible.length === 0 ? 'That state is final.' : `It can move to ${possible.join(', ')}.`;
    throw new HubError('INVALID_AGENT_STATE', `Epic "${epicId}" ${what}. ${ways}`);
  }
  if (status === 'COMPLETED') await ensureNothingOpen(rows, epicId);
  const at = parts.clock.now();
  await rows.changeEpic(epicId, { state: status, completedAt: status === 'COMPLETED' ? at : null }, at);
  return readEpic(rows, epicId);
}

/** Throws INVALID_AGENT_STATE. The epic's row is locked, so that no task can be added or begun in the meantime. */
async function ensureNothingOpen(rows: TeamWriter, epicId: string): Promise<void> {
  const { COMPLETED: _, FAILED: __, ...open } = (await rows.countTasks()).get(epicId) ?? noTasks();
  const states = Object.entries(open).filter(([, count]) => count > 0);
  if (states.length === 0) return;
  const total = states.reduce((sum, [, count]) => sum + count, 0);
  const list = states.map(([state, count]) => `${count} ${state}`).join(', ');
  throw new HubError(
    'INVALID_AGENT_STATE',
    `Epic "${epicId}" has ${total} open ${total === 1 ? 'task' : 'tasks'} (${list}). Complete them, move them to another epic, or cancel the epic.`,
  );
}

/** Throws RESOURCE_NOT_FOUND. */
async function readEpic(rows: Pick<TeamWriter, 'epic'>, id: string): Promise<Epic> {
  const epic = await rows.epic(id);
  if (epic) return epic;
  throw noEpic(id);
}

function noEpic(id: string): HubError {
  return new HubError('RESOURCE_NOT_FOUND', `There is no epic "${id.slice(0, 100)}". mcp__epic__list shows all epics.`);
}

type EpicText = Partial<Pick<Epic, 'title' | 'description' | 'linearIssueId' | 'linearIssueUrl'>>;

/** Removes secrets, and leaves out fields that are undefined. */
function clean({ redact }: Pick<WorkParts, 'redact'>, fields: { [K in keyof EpicText]: EpicText[K] | undefined }) {
  const { title, description, linearIssueId, linearIssueUrl } = fields;
  const text = (value: string | null) => (value === null ? null : redact(value));
  return {
    ...(title !== undefined && { title: redact(title) }),
    ...(description !== undefined && { description: redact(description) }),
    ...(linearIssueId !== undefined && { linearIssueId: text(linearIssueId) }),
    ...(linearIssueUrl !== undefined && { linearIssueUrl: text(linearIssueUrl) }),
  };
}

function noTasks(): Record<TaskState, number> {
  // `taskStates` names every key of the type.
  return Object.fromEntries(taskStates.map((state) => [state, 0])) as Record<TaskState, number>;
}
