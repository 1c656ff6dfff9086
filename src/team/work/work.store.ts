import { type Kysely, type RawBuilder, sql } from 'kysely';
import { toIso } from '../../base/clock.ts';
import type { Page } from '../../base/contract-fields.ts';
import { type PositionParts, parsePosition, toPage } from '../../db/page.ts';
import { cleanText } from '../../db/rows.ts';
import type { Tables } from '../../db/tables.ts';
import { cleanOrNull, isoOrNull, msOrNull, type TeamRows, type TeamWrite } from '../team-rows.store.ts';
import { type TaskState, taskStates } from './task-moves.ts';
import { afterEveryDay, priorities, type Task, type TaskComment, type TaskQuery } from './work.ts';

const defaultLimit = 100;

type TaskFields =
  | 'title'
  | 'description'
  | 'state'
  | 'priority'
  | 'dueDate'
  | 'labels'
  | 'epicId'
  | 'assigneeId'
  | 'worktreePath'
  | 'branchName'
  | 'prUrl';
export type StoredTaskChange = Partial<Pick<Task, TaskFields>> & { completedAt?: number | null };

export function taskReader(rows: TeamRows) {
  return {
    async task(id: string): Promise<Task | undefined> {
      const row = await rows.run((db) =>
        db.selectFrom('tasks').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toTask(row);
    },
    /** Lists tasks by their last change, newest first, or by urgency. */
    tasks: (query: TaskQuery): Promise<Page<Task>> => rows.run((db) => pageOfTasks(db, query, rows)),
    /** Lists the labels of all tasks, in order. */
    async labels(): Promise<string[]> {
      const found = await rows.run((db) =>
        db.selectFrom('tasks').select('labels').distinct().where('labels', '<>', '[]').execute(),
      );
      return [...new Set(found.flatMap(labelsOf))].sort((one, other) => one.localeCompare(other));
    },
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
     * Locks and returns the most urgent PENDING task, and the oldest of those, that has no assignee, belongs to no closed epic and is not
     * being claimed by another transaction. With `epicId`, looks only in that epic.
     */
    async nextPendingTask(epicId: string | null): Promise<Task | undefined> {
      let query = db
        .selectFrom('tasks')
        .selectAll()
        // A literal, because SQLite uses a partial index only for literals.
        .where('state', '=', sql.lit('PENDING'))
        .where('assignee_id', 'is', null)
        .where(isInOpenEpic)
        .orderBy('priority')
        .orderBy('created_at')
        .orderBy('id')
        .limit(1);
      if (epicId !== null) query = query.where('epic_id', '=', cleanText(epicId));
      const row = await query.$call(dialect.lockFreeRows).executeTakeFirst();
      return row && toTask(row);
    },
    /** Returns its time, which is later than `at` if the comment would not sort after the one before. */
    async addComment(comment: NewCommentRow): Promise<number> {
      const { id, taskId, authorId, body, at } = comment;
      const task_id = cleanText(taskId);
      const row = { id: cleanText(id), task_id, author_id: authorId, body: cleanText(body) };
      // Clocks of several machines differ.
      const afterLast = sql`select at + case when id >= ${row.id} then 1 else 0 end from task_comments
        where task_id = ${task_id} order by at desc, id desc limit 1`;
      const added = await db
        .insertInto('task_comments')
        .values({ ...row, at: dialect.greatest(sql`${at}`, sql`coalesce((${afterLast}), 0)`) })
        .returning('at')
        .executeTakeFirstOrThrow();
      await db.updateTable('tasks').set({ comments: sql<number>`comments + 1` }).where('id', '=', task_id).execute();
      changed('work');
      return added.at;
    },
  };
}

type NewCommentRow = Omit<TaskComment, 'createdAt'> & { at: number };

function pageOfTasks(
  db: Kysely<Tables>,
  query: TaskQuery,
  { dialect }: Pick<TeamRows, 'dialect'>,
): Promise<Page<Task>> {
  const conditions: RawBuilder<unknown>[] = [];
  if (query.epicId !== undefined) conditions.push(sql`epic_id = ${cleanText(query.epicId)}`);
  if (query.assigneeId !== undefined) conditions.push(sql`assignee_id = ${cleanText(query.assigneeId)}`);
  if (query.label !== undefined) conditions.push(sql`labels like ${labelPattern(query.label)} escape '!'`);
  const words = cleanText(query.text ?? '')
    .split(/\s+/)
    .filter(Boolean);
  for (const word of words) conditions.push(dialect.mentions(sql`title`, word));
  if (query.priority !== undefined) conditions.push(sql`priority = ${priorities.indexOf(query.priority)}`);
  if (query.dueBy !== undefined) conditions.push(sql`due_date <= ${query.dueBy} and state <> 'COMPLETED'`);
  const { state, limit = defaultLimit, cursor } = query;
  const order = query.sort === 'urgency' ? byUrgency : byChange;
  return pageOfWork<TaskRow, Task>(db, { table: 'tasks', order, state, conditions, limit, cursor, toItem: toTask });
}

/** Nobody claims the tasks of a closed epic. */
const isInOpenEpic = sql<boolean>`not exists (
  select 1 from epics where epics.id = tasks.epic_id and epics.state in ('COMPLETED', 'CANCELLED')
)`;

function noTasks(): Record<TaskState, number> {
  // `taskStates` names every key of the type.
  return Object.fromEntries(taskStates.map((state) => [state, 0])) as Record<TaskState, number>;
}

interface WorkOrder<Row> {
  by: RawBuilder<unknown>;
  /** What a row is ordered by, without nulls. */
  position: (row: Row) => PositionParts;
  /** The kinds of the parts of a position. */
  kinds: readonly ('number' | 'string')[];
  /** Matches the rows behind a position. */
  isAfter: (position: RawBuilder<unknown>) => RawBuilder<unknown>;
}

/** The newest change first. */
export const byChange: WorkOrder<{ updated_at: number; id: string }> = {
  by: sql`updated_at desc, id desc`,
  position: (row) => [row.updated_at, row.id],
  kinds: ['number', 'string'],
  isAfter: (position) => sql`(updated_at, id) < (${position})`,
};

/** As `compareUrgency` does. Without an index: the open tasks of a team are few. */
const byUrgency: WorkOrder<TaskRow> = {
  by: sql`priority, due_date nulls last, created_at, id`,
  position: (row) => [row.priority, row.due_date ?? afterEveryDay, row.created_at, row.id],
  kinds: ['number', 'string', 'number', 'string'],
  isAfter: (position) => sql`(priority, coalesce(due_date, ${afterEveryDay}), created_at, id) > (${position})`,
};

interface WorkQuery<Row, T> {
  table: 'tasks' | 'epics';
  order: WorkOrder<Row>;
  state?: readonly string[] | undefined;
  conditions?: readonly RawBuilder<unknown>[];
  limit: number;
  cursor?: string | undefined;
  toItem: (row: Row) => T;
}

/**
 * Lists rows in an order. Selects each state separately, because the index orders only the rows of one state, but in one
 * statement, so that a row that moves in the meantime is listed once.
 */
export async function pageOfWork<Row, T>(db: Kysely<Tables>, query: WorkQuery<Row, T>): Promise<Page<T>> {
  const { limit, state } = query;
  const { by, position, kinds, isAfter } = query.order;
  const after = parsePosition(query.cursor, kinds);
  const order = sql`order by ${by} limit ${limit + 1}`;
  const common = [...(query.conditions ?? [])];
  if (after) common.push(isAfter(sql.join([...after])));
  const ranges = state === undefined ? [common] : [...new Set(state)].map((each) => [sql`state = ${each}`, ...common]);
  if (ranges.length === 0) return { items: [], cursor: null };
  const parts = ranges.map((conditions) => {
    const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
    return sql`select * from (select * from ${sql.table(query.table)} ${where} ${order}) as part`;
  });
  const { rows } = await sql<Row>`${sql.join(parts, sql` union all `)} ${order}`.execute(db);
  return toPage(rows, limit, { item: query.toItem, position });
}

/** Matches the label inside the JSON array. Its quotes are part of it, so that "ui" does not match "build". */
function labelPattern(label: string): string {
  return `%${escapeLike(JSON.stringify(cleanText(label)))}%`;
}

function labelsOf({ labels }: Pick<TaskRow, 'labels'>): string[] {
  // Written by `toTaskRow` and `toTaskColumns`.
  return JSON.parse(labels) as string[];
}

/** For a pattern with `escape '!'`. */
function escapeLike(text: string): string {
  return text.replaceAll(/[%_!]/g, '!$&');
}

// The schemas of work.ts checked `state` and `priority` before they were written.
function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    state: row.state as Task['state'],
    priority: priorities[row.priority] ?? 'normal',
    dueDate: row.due_date,
    labels: labelsOf(row),
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
    priority: priorities.indexOf(task.priority),
    due_date: task.dueDate,
    labels: JSON.stringify(task.labels.map(cleanText)),
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
    ...(change.priority !== undefined && { priority: priorities.indexOf(change.priority) }),
    ...(change.dueDate !== undefined && { due_date: change.dueDate }),
    ...(change.labels !== undefined && { labels: JSON.stringify(change.labels.map(cleanText)) }),
    ...(change.epicId !== undefined && { epic_id: cleanOrNull(change.epicId) }),
    ...(change.assigneeId !== undefined && { assignee_id: change.assigneeId }),
    ...(change.worktreePath !== undefined && { worktree_path: cleanOrNull(change.worktreePath) }),
    ...(change.branchName !== undefined && { branch_name: cleanOrNull(change.branchName) }),
    ...(change.prUrl !== undefined && { pr_url: cleanOrNull(change.prUrl) }),
    ...(change.completedAt !== undefined && { completed_at: change.completedAt }),
  };
}

declare module '../../db/tables.ts' {
  interface Tables {
    tasks: TaskRow;
    task_comments: TaskCommentRow;
  }
}

interface TaskRow {
  id: string;
  title: string;
  state: string;
  /** The position in `priorities`. */
  priority: number;
  due_date: string | null;
  /** A JSON array of strings. */
  labels: string;
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
