import { type Kysely, type RawBuilder, sql } from 'kysely';
import { toIso } from '../../base/clock.ts';
import type { Page } from '../../base/contract-fields.ts';
import { parseCursor, toPage } from '../../db/page.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import { cleanOrNull, isoOrNull, msOrNull, type TeamRows, type TeamWrite } from '../team-rows.store.ts';
import { type EpicState, type TaskState, taskStates } from './task-moves.ts';
import type { Epic, Task, TaskComment, TaskQuery } from './work.ts';

const defaultLimit = 100;

type TaskFields = 'title' | 'description' | 'state' | 'epicId' | 'assigneeId' | 'worktreePath' | 'branchName' | 'prUrl';
export type StoredTaskChange = Partial<Pick<Task, TaskFields>> & { completedAt?: number | null };

type EpicFields = 'title' | 'description' | 'state' | 'linearIssueId' | 'linearIssueUrl';
type StoredEpicChange = Partial<Pick<Epic, EpicFields>> & { completedAt?: number | null };

type EpicQuery = { state?: readonly EpicState[] | undefined; limit: number; cursor?: string | undefined };

export function taskReader(rows: TeamRows) {
  return {
    async task(id: string): Promise<Task | undefined> {
      const row = await rows.run((db) =>
        db.selectFrom('tasks').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toTask(row);
    },
    /** Lists tasks by their last change, newest first. */
    tasks: (query: TaskQuery): Promise<Page<Task>> => rows.run((db) => pageOfTasks(db, query)),
    /** Counts the tasks of each epic by state. The key of tasks without an epic is ''. */
    async countTasks(): Promise<Map<string, Record<TaskState, number>>> {
      const found = await rows.run((db) =>
        db
          .selectFrom('tasks')
          .select((each) => ['epic_id', 'state', each.fn.countAll<number>().as('count')])
          .groupBy(['epic_id', 'state'])
          .execute(),
      );
      const counts = new Map<string, Record<TaskState, number>>();
      for (const { epic_id, state, count } of found) {
        const epicCounts = counts.get(epic_id ?? '') ?? noTasks();
        counts.set(epic_id ?? '', { ...epicCounts, [state]: count });
      }
      return counts;
    },
    /** Oldest first. */
    async comments(taskId: string): Promise<TaskComment[]> {
      const found = await rows.run((db) =>
        db
          .selectFrom('task_comments')
          .selectAll()
          .where('task_id', '=', cleanText(taskId))
          .orderBy('at')
          .orderBy('id')
          .execute(),
      );
      return found.map(toComment);
    },
  };
}

export function taskWriter({ db, changed, dialect }: TeamWrite) {
  return {
    async addTask(task: Task): Promise<void> {
      await db.insertInto('tasks').values(toTaskRow(task)).execute();
      changed('work');
    },
    /** Sets updatedAt, and stateSince if the state changes. Returns false if there is no such task. */
    async changeTask(id: string, change: StoredTaskChange, at: number): Promise<boolean> {
      const { state } = change;
      const { numUpdatedRows } = await db
        .updateTable('tasks')
        .set({
          ...toTaskColumns(change),
          updated_at: at,
          // On the right-hand side, `state` is still the previous state.
          ...(state !== undefined && {
            state_since: sql<number>`case when state = ${state} then state_since else ${at} end`,
          }),
        })
        .where('id', '=', cleanText(id))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('work');
      return numUpdatedRows > 0n;
    },
    /** Also removes its comments, and takes it from the member who works on it. */
    async removeTask(id: string): Promise<boolean> {
      const key = cleanText(id);
      const { numDeletedRows } = await db.deleteFrom('tasks').where('id', '=', key).executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      changed('work');
      await db.deleteFrom('task_comments').where('task_id', '=', key).execute();
      const { numUpdatedRows } = await db
        .updateTable('team_members')
        .set({ current_task_id: null })
        .where('current_task_id', '=', key)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('members');
      return true;
    },
    /**
     * Locks and returns the oldest PENDING task that has no assignee, belongs to no closed epic and is not being claimed by another
     * transaction. With `epicId`, looks only in that epic.
     */
    async nextPendingTask(epicId: string | null): Promise<Task | undefined> {
      let query = db
        .selectFrom('tasks')
        .selectAll()
        // A literal, because SQLite uses a partial index only for literals.
        .where('state', '=', sql.lit('PENDING'))
        .where('assignee_id', 'is', null)
        .where(isInOpenEpic)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1);
      if (epicId !== null) query = query.where('epic_id', '=', cleanText(epicId));
      const row = await query.$call(dialect.lockFreeRows).executeTakeFirst();
      return row && toTask(row);
    },
    async addComment(comment: NewCommentRow): Promise<void> {
      const { id, taskId, authorId, body, at } = comment;
      const task_id = cleanText(taskId);
      const row = { id: cleanText(id), task_id, author_id: authorId, at, body: cleanText(body) };
      await db.insertInto('task_comments').values(row).execute();
      await db.updateTable('tasks').set({ comments: sql<number>`comments + 1` }).where('id', '=', task_id).execute();
      changed('work');
    },
  };
}

type NewCommentRow = Omit<TaskComment, 'createdAt'> & { at: number };

export function epicReader(rows: TeamRows) {
  return {
    async epic(id: string): Promise<Epic | undefined> {
      const row = await rows.run((db) =>
        db.selectFrom('epics').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toEpic(row);
    },
    /** Lists epics by their last change, newest first. */
    epics: (query: EpicQuery): Promise<Page<Epic>> =>
      rows.run((db) => newestChanges<EpicRow, Epic>(db, { table: 'epics', ...query, toItem: toEpic })),
  };
}

export function epicWriter({ db, changed }: TeamWrite) {
  return {
    async addEpic(epic: Epic): Promise<void> {
      await db.insertInto('epics').values(toEpicRow(epic)).execute();
      changed('work');
    },
    /** Sets updatedAt. Returns false if there is no such epic. */
    async changeEpic(id: string, change: StoredEpicChange, at: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('epics')
        .set({ ...toEpicColumns(change), updated_at: at })
        .where('id', '=', cleanText(id))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('work');
      return numUpdatedRows > 0n;
    },
    /** Its tasks and members stay, without an epic. */
    async removeEpic(id: string): Promise<boolean> {
      const key = cleanText(id);
      const { numDeletedRows } = await db.deleteFrom('epics').where('id', '=', key).executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      changed('work');
      await db.updateTable('tasks').set({ epic_id: null }).where('epic_id', '=', key).execute();
      const { numUpdatedRows } = await db
        .updateTable('team_members')
        .set({ current_epic_id: null })
        .where('current_epic_id', '=', key)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('members');
      return true;
    },
  };
}

function pageOfTasks(db: Kysely<Tables>, query: TaskQuery): Promise<Page<Task>> {
  const conditions: RawBuilder<unknown>[] = [];
  if (query.epicId !== undefined) conditions.push(sql`epic_id = ${cleanText(query.epicId)}`);
  if (query.assigneeId !== undefined) conditions.push(sql`assignee_id = ${cleanText(query.assigneeId)}`);
  const { state, limit = defaultLimit, cursor } = query;
  return newestChanges<TaskRow, Task>(db, { table: 'tasks', state, conditions, limit, cursor, toItem: toTask });
}

/** Nobody claims the tasks of a closed epic. */
const isInOpenEpic = sql<boolean>`not exists (
  select 1 from epics where epics.id = tasks.epic_id and epics.state in ('COMPLETED', 'CANCELLED')
)`;

function noTasks(): Record<TaskState, number> {
  // `taskStates` names every key of the type.
  return Object.fromEntries(taskStates.map((state) => [state, 0])) as Record<TaskState, number>;
}

interface NewestQuery<Row, T> {
  table: 'tasks' | 'epics';
  state?: readonly string[] | undefined;
  conditions?: readonly RawBuilder<unknown>[];
  limit: number;
  cursor?: string | undefined;
  toItem: (row: Row) => T;
}

/**
 * Lists rows by their last change, newest first. Selects each state separately, because the index orders only the rows of one state,
 * but in one statement, so that a row that moves in the meantime is listed once.
 */
async function newestChanges<Row extends { updated_at: number; id: string }, T>(
  db: Kysely<Tables>,
  query: NewestQuery<Row, T>,
): Promise<Page<T>> {
  const { limit, state } = query;
  const after = parseCursor(query.cursor);
  const order = sql`order by updated_at desc, id desc limit ${limit + 1}`;
  const common = [...(query.conditions ?? [])];
  if (after) common.push(sql`(updated_at, id) < (${after[0]}, ${after[1]})`);
  const ranges = state === undefined ? [common] : [...new Set(state)].map((each) => [sql`state = ${each}`, ...common]);
  if (ranges.length === 0) return { items: [], cursor: null };
  const parts = ranges.map((conditions) => {
    const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
    return sql`select * from (select * from ${sql.table(query.table)} ${where} ${order}) as part`;
  });
  const { rows } = await sql<Row>`${sql.join(parts, sql` union all `)} ${order}`.execute(db);
  return toPage(rows, limit, { item: query.toItem, position: (row) => [row.updated_at, row.id] });
}

// The schemas of work.ts checked `state` before it was written.
function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    state: row.state as Task['state'],
    epicId: row.epic_id,
    assigneeId: row.assignee_id,
    createdBy: row.created_by,
    worktreePath: row.worktree_path,
    branchName: row.branch_name,
    prUrl: row.pr_url,
    comments: row.comments,
    stateSince: toIso(row.state_since),
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    completedAt: isoOrNull(row.completed_at),
  };
}

function toComment(row: TaskCommentRow): TaskComment {
  return { id: row.id, taskId: row.task_id, authorId: row.author_id, body: row.body, createdAt: toIso(row.at) };
}

function toTaskRow(task: Task): TaskRow {
  return {
    id: cleanText(task.id),
    title: cleanText(task.title),
    state: task.state,
    epic_id: task.epicId,
    assignee_id: task.assigneeId,
    created_by: task.createdBy,
    worktree_path: cleanOrNull(task.worktreePath),
    branch_name: cleanOrNull(task.branchName),
    pr_url: cleanOrNull(task.prUrl),
    comments: task.comments,
    state_since: Date.parse(task.stateSince),
    created_at: Date.parse(task.createdAt),
    updated_at: Date.parse(task.updatedAt),
    completed_at: msOrNull(task.completedAt),
    description: cleanText(task.description),
  };
}

function toTaskColumns(change: StoredTaskChange): Partial<TaskRow> {
  return {
    ...(change.title !== undefined && { title: cleanText(change.title) }),
    ...(change.description !== undefined && { description: cleanText(change.description) }),
    ...(change.state !== undefined && { state: change.state }),
    ...(change.epicId !== undefined && { epic_id: cleanOrNull(change.epicId) }),
    ...(change.assigneeId !== undefined && { assignee_id: change.assigneeId }),
    ...(change.worktreePath !== undefined && { worktree_path: cleanOrNull(change.worktreePath) }),
    ...(change.branchName !== undefined && { branch_name: cleanOrNull(change.branchName) }),
    ...(change.prUrl !== undefined && { pr_url: cleanOrNull(change.prUrl) }),
    ...(change.completedAt !== undefined && { completed_at: change.completedAt }),
  };
}

function toEpic(row: EpicRow): Epic {
  return {
    id: row.id,
    linearIssueId: row.linear_issue_id,
    linearIssueUrl: row.linear_issue_url,
    title: row.title,
    description: row.description,
    state: row.state as Epic['state'],
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
    completedAt: isoOrNull(row.completed_at),
  };
}

function toEpicRow(epic: Epic): EpicRow {
  return {
    id: cleanText(epic.id),
    linear_issue_id: cleanOrNull(epic.linearIssueId),
    linear_issue_url: cleanOrNull(epic.linearIssueUrl),
    title: cleanText(epic.title),
    state: epic.state,
    created_at: Date.parse(epic.createdAt),
    updated_at: Date.parse(epic.updatedAt),
    completed_at: msOrNull(epic.completedAt),
    description: cleanText(epic.description),
  };
}

function toEpicColumns(change: StoredEpicChange): Partial<EpicRow> {
  const { title, description, state, linearIssueId, linearIssueUrl, completedAt } = change;
  return {
    ...(title !== undefined && { title: cleanText(title) }),
    ...(description !== undefined && { description: cleanText(description) }),
    ...(state !== undefined && { state }),
    ...(linearIssueId !== undefined && { linear_issue_id: cleanOrNull(linearIssueId) }),
    ...(linearIssueUrl !== undefined && { linear_issue_url: cleanOrNull(linearIssueUrl) }),
    ...(completedAt !== undefined && { completed_at: completedAt }),
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    epics: EpicRow;
    tasks: TaskRow;
    task_comments: TaskCommentRow;
  }
}

interface EpicRow {
  id: string;
  linear_issue_id: string | null;
  linear_issue_url: string | null;
  title: string;
  state: string;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
  description: string;
}

interface TaskRow {
  id: string;
  title: string;
  state: string;
  epic_id: string | null;
  assignee_id: string | null;
  created_by: string | null;
  worktree_path: string | null;
  branch_name: string | null;
  pr_url: string | null;
  comments: number;
  state_since: number;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
  description: string;
}

interface TaskCommentRow {
  id: string;
  task_id: string;
  author_id: string | null;
  at: number;
  body: string;
}
