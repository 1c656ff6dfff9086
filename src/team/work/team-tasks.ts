import { toIso } from '../../base/clock.ts';
import { HubError } from '../../base/hub-error.ts';
import { newId } from '../../base/ids.ts';
import { type WriteOptions, writeOnce } from '../calls/once.ts';
import { type Actor, actorId, type Member } from '../members/member.ts';
import type { TeamWriter } from '../team.store.ts';
import type { TeamParts } from '../team-parts.ts';
import { allTasks, byPriority, byTurn, nextAssigned, nowOn, releaseTask } from './follow-task.ts';
import { addComment, assignTask, lockMembers, moveTask, readTask } from './move-task.ts';
import type { TaskState } from './task-moves.ts';
import { ensureMayChange, ensureOpen } from './task-rules.ts';
import type {
  NewComment,
  NewTask,
  Task,
  TaskAssignment,
  TaskChange,
  TaskComment,
  TaskMove,
  TaskQuery,
  TaskStart,
  TaskWithComments,
} from './work.ts';

type MemberActor = Extract<Actor, { kind: 'member' }>;

export type WorkParts = Pick<TeamParts, 'store' | 'clock' | 'redact' | 'settings'>;

export type TeamTasks = ReturnType<typeof teamTasks>;

export function teamTasks(parts: WorkParts) {
  const { store } = parts;
  return {
    list: (query: TaskQuery) => store.tasks(query),
    labels: () => store.labels(),
    /** Throws RESOURCE_NOT_FOUND. */
    async get(id: string): Promise<TaskWithComments> {
      const [task, commentList] = await Promise.all([readTask(store, id), store.comments(id)]);
      return { ...task, commentList };
    },
    create: (actor: Actor, draft: NewTask, options?: WriteOptions): Promise<Task> =>
      writeOnce(parts, { actor, tool: 'mcp__task__create', input: draft, ...options }, (rows) =>
        createTask(parts, rows, { actor, draft }),
      ),
    change: (actor: Actor, id: string, change: TaskChange): Promise<Task> =>
      store.write((rows) => changeTask(parts, rows, { actor, id, change })),
    remove: (id: string): Promise<void> => store.write((rows) => removeTask(rows, id, parts.clock.now())),
    /** Assigns a task to a member; null makes it PENDING again. Throws INVALID_AGENT_STATE for a move that is not in the table. */
    assign: (actor: Actor, assignment: TaskAssignment, options?: WriteOptions): Promise<Task> =>
      writeOnce(parts, { actor, tool: 'mcp__task__assign', input: assignment, ...options }, async (rows) => {
        const task = await readTask(rows, assignment.taskId);
        const { agentId } = assignment;
        if (agentId === null) return moveTask(parts, rows, { actor, task, to: 'PENDING' });
        return assignTask(parts, rows, { actor, task, agentId });
      }),
    /** Assigns a task to a member and moves it to IN_PROGRESS. If the member is busy, neither happens. */
    start: (actor: Actor, start: TaskStart, options?: WriteOptions): Promise<Task> =>
      writeOnce(parts, { actor, tool: 'mcp__task__start', input: start, ...options }, async (rows) => {
        const { taskId, agentId } = start;
        const before = await readTask(rows, taskId);
        const isAssigned = before.assigneeId === agentId;
        const task = isAssigned ? before : await assignTask(parts, rows, { actor, task: before, agentId });
        return moveTask(parts, rows, { actor, task, to: 'IN_PROGRESS' });
      }),
    /** Moves a task. A member that moves a PENDING task to IN_PROGRESS claims it, and no other member can. */
    move: (actor: Actor, move: TaskMove, options?: WriteOptions): Promise<Task> =>
      writeOnce(parts, { actor, tool: 'mcp__task__update_status', input: move, ...options }, (rows) =>
        moveOrClaim(parts, rows, actor, move),
      ),
    comment: (actor: Actor, comment: NewComment, options?: WriteOptions): Promise<TaskComment> =>
      writeOnce(parts, { actor, tool: 'mcp__task__add_comment', input: comment, ...options }, async (rows) => {
        const task = await readTask(rows, comment.taskId ?? (await ownTaskId(rows, actor)) ?? throwNoTask(actor));
        ensureMayChange(actor, task);
        const { at, ...added } = await addComment(parts, rows, { actor, taskId: task.id, body: comment.body });
        return { ...added, createdAt: toIso(at) };
      }),
    /** Returns a member's current task. Throws INVALID_AGENT_STATE if there is none. */
    async currentOf(member: Member): Promise<Task> {
      const taskId = (await store.member(member.id))?.currentTaskId;
      if (taskId) return readTask(store, taskId);
      throw new HubError('INVALID_AGENT_STATE', `${member.type} "${member.id}" has no current task.`);
    },
  };
}

async function removeTask(rows: TeamWriter, id: string, at: number): Promise<void> {
  const task = await readTask(rows, id);
  const members = await lockMembers(rows, [task.assigneeId]);
  await rows.removeTask(id);
  const member = members.get(task.assigneeId ?? '');
  if (member) await releaseTask(rows, member, { taskId: id, at });
}

async function createTask(
  parts: WorkParts,
  rows: TeamWriter,
  { actor, draft }: { actor: Actor; draft: NewTask },
): Promise<Task> {
  const { epicId = null, assigneeId = null } = draft;
  if (epicId !== null) await ensureEpic(rows, epicId);
  const now = parts.clock.now();
  const at = toIso(now);
  const task: Task = {
    id: newId('task', now),
    title: parts.redact(draft.title),
    description: parts.redact(draft.description),
    state: 'PENDING',
    priority: draft.priority ?? 'normal',
    dueDate: draft.dueDate ?? null,
    labels: (draft.labels ?? []).map(parts.redact),
    epicId,
    assigneeId: null,
    createdBy: actorId(actor),
    worktreePath: null,
    branchName: null,
    prUrl: null,
    ...cleanLocations(parts, draft),
    comments: 0,
    stateSince: at,
    createdAt: at,
    updatedAt: at,
    completedAt: null,
  };
  await rows.addTask(task);
  return assigneeId === null ? readTask(rows, task.id) : assignTask(parts, rows, { actor, task, agentId: assigneeId });
}

async function changeTask(
  parts: WorkParts,
  rows: TeamWriter,
  { actor, id, change }: { actor: Actor; id: string; change: TaskChange },
): Promise<Task> {
  const before = await readTask(rows, id);
  ensureMayChange(actor, before);
  const { title, description, epicId, priority, dueDate, labels } = change;
  if (epicId && epicId !== before.epicId) await ensureEpic(rows, epicId);
  const members = await lockMembers(rows, epicId === undefined ? [] : [before.assigneeId]);
  const at = parts.clock.now();
  await rows.changeTask(
    id,
    {
      ...(title !== undefined && { title: parts.redact(title) }),
      ...(description !== undefined && { description: parts.redact(description) }),
      ...(priority !== undefined && { priority }),
      ...(dueDate !== undefined && { dueDate }),
      ...(labels !== undefined && { labels: labels.map(parts.redact) }),
      ...(epicId !== undefined && { epicId }),
      ...cleanLocations(parts, change),
    },
    at,
  );
  const task = await readTask(rows, id);
  const member = members.get(task.assigneeId ?? '');
  if (member?.currentTaskId === id) await rows.changeMember(member.id, nowOn(member, task), at);
  return task;
}

/** Moves the named task, or else the member's current one. IN_PROGRESS without an id begins the member's next task. */
async function moveOrClaim(parts: WorkParts, rows: TeamWriter, actor: Actor, move: TaskMove): Promise<Task> {
  const { status: to, comment } = move;
  const request = { actor, to, comment, locations: cleanLocations(parts, move) };
  if (move.taskId === undefined && to === 'IN_PROGRESS' && actor.kind === 'member') {
    return moveTask(parts, rows, { ...request, ...(await taskToBegin(rows, actor)) });
  }
  const taskId = move.taskId ?? (await ownTaskId(rows, actor)) ?? throwNoTask(actor);
  return moveTask(parts, rows, { ...request, task: await readTask(rows, taskId) });
}

/**
 * Returns the task that a member begins next: an assigned task, then a pending one, then a blocked one; of each, the most
 * urgent, and the oldest of those. A task in review waits for its reviewer; a member takes it back only by its id.
 */
async function taskToBegin(rows: TeamWriter, actor: MemberActor): Promise<{ task: Task; isEpicOpen?: boolean }> {
  const assigneeId = actor.member.id;
  const acting = await findActing(rows, actor);
  const openTasks = (await allTasks(rows, { assigneeId, state: ['ASSIGNED', 'IN_PROGRESS', 'BLOCKED'] })).sort(
    (one, other) => byPriority(one, other) || Number(isCurrent(other)) - Number(isCurrent(one)) || byTurn(one, other),
  );
  function isCurrent({ id }: Task): boolean {
    return id === acting?.currentTaskId;
  }
  /** Locks a task and checks it again, because the list was read without locks. */
  async function lock(state: TaskState): Promise<Task | undefined> {
    const found = openTasks.find((each) => each.state === state);
    const task = found && (await rows.task(found.id));
    return task?.state === state && task.assigneeId === assigneeId ? task : undefined;
  }
  // Returns a task in progress too: the table of moves rejects it, with an error that names it.
  const assigned = (await lock('IN_PROGRESS')) ?? (await lock('ASSIGNED'));
  if (assigned) return { task: assigned };
  const pending = await nextPendingTask(rows, acting?.currentEpicId ?? null);
  if (pending) return { task: pending, isEpicOpen: true };
  const blocked = await lock('BLOCKED');
  if (blocked) return { task: blocked };
  const [waiting] = (await rows.tasks({ assigneeId, state: ['REVIEW'], limit: 1 })).items;
  const hint = waiting ? ` Your task "${waiting.id}" is in REVIEW; to take it back, send its taskId.` : '';
  throw new HubError('INVALID_AGENT_STATE', `No task is pending, so there is nothing to begin.${hint}`);
}

/** Returns the next pending task of the epic, or else of any epic. */
async function nextPendingTask(rows: TeamWriter, epicId: string | null): Promise<Task | undefined> {
  const ofEpic = epicId === null ? undefined : await rows.nextPendingTask(epicId);
  return ofEpic ?? rows.nextPendingTask(null);
}

/** Returns the current task's id, or else that of the next assigned task, for a member that lost its current task by stalling. */
async function ownTaskId(rows: TeamWriter, actor: Actor): Promise<string | undefined> {
  if (actor.kind === 'human') throw new HubError('INVALID_ARGUMENTS', 'taskId: is required');
  const current = (await findActing(rows, actor))?.currentTaskId;
  return current ?? (await nextAssigned(rows, actor.member.id))?.id;
}

/** Reads the list, which locks no rows: tasks must be locked before members. */
async function findActing(rows: TeamWriter, actor: Actor) {
  const id = actorId(actor);
  return (await rows.members()).find((member) => member.id === id);
}

function throwNoTask(actor: Actor): never {
  throw new HubError(
    'INVALID_AGENT_STATE',
    `${actorId(actor)} has no current task. Send a taskId, or begin a task with status IN_PROGRESS.`,
  );
}

/** Throws RESOURCE_NOT_FOUND, and INVALID_AGENT_STATE for a closed epic. */
async function ensureEpic(rows: TeamWriter, id: string): Promise<void> {
  const epic = await rows.epic(id);
  if (!epic) throw new HubError('RESOURCE_NOT_FOUND', `There is no epic "${id.slice(0, 100)}".`);
  ensureOpen(epic);
}

type Locations = Pick<TaskMove, 'worktreePath' | 'branchName' | 'prUrl'>;

/** Removes secrets from the locations of the work, and leaves out those that are undefined. */
function cleanLocations({ redact }: Pick<TeamParts, 'redact'>, locations: Locations) {
  const clean = (text: string | null) => (text === null ? null : redact(text));
  const { worktreePath, branchName, prUrl } = locations;
  return {
    ...(worktreePath !== undefined && { worktreePath: clean(worktreePath) }),
    ...(branchName !== undefined && { branchName: clean(branchName) }),
    ...(prUrl !== undefined && { prUrl: clean(prUrl) }),
  };
}
