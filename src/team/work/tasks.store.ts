import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Tables, TaskRow } from '../../db/tables.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import { msOrNull, type TeamRows, type TeamWrite, toComment, toTask } from '../team-rows.store.ts';
import type { StoredTaskChange, TeamReader, TeamWriter } from '../team-store.ts';
import { newestChanges } from './newest-changes.store.ts';
import { type TaskState, taskStates } from './task-moves.ts';
import type { Task, TaskQuery } from './work.ts';

const defaultLimit = 100;

export function taskReader(rows: TeamRows): Pick<TeamReader, 'task' | 'tasks' | 'countTasks' | 'comments'> {
  return {
    async task(id) {
      const row = await rows.run((db) =>
        db.selectFrom('tasks').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toTask(row);
    },
    tasks: (query) => rows.run((db) => pageOfTasks(db, query)),
    async countTasks() {
      const found = await rows.run((db) =>
        db
          .selectFrom('tasks')
          .select((each) => ['epic_id', 'state', each.fn.countAll<number>().as('count')])
          .groupBy(['epic_id', 'state'])
          .execute(),
      );
      const counts = new Map<string, Record<TaskState, number>>();
      for (const { epic_id, state, count } of found) {
        const of = counts.get(epic_id ?? '') ?? noTasks();
        counts.set(epic_id ?? '', { ...of, [state]: count });
      }
      return counts;
    },
    async comments(taskId) {
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

type TaskWriting = 'addTask' | 'changeTask' | 'removeTask' | 'nextPendingTask' | 'addComment';

export function taskWriter(write: TeamWrite): Pick<TeamWriter, TaskWriting> {
  const { db, changed } = write;
  return {
    async addTask(task) {
      await db.insertInto('tasks').values(toRow(task)).execute();
      changed('work');
    },
    async changeTask(id, change, at) {
      const { state } = change;
      const { numUpdatedRows } = await db
        .updateTable('tasks')
        .set({
          ...toColumns(change),
          updated_at: at,
          // The column on the right still has the state from before.
          ...(state !== undefined && {
            state_since: sql<number>`case when state = ${state} then state_since else ${at} end`,
          }),
        })
        .where('id', '=', cleanText(id))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('work');
      return numUpdatedRows > 0n;
    },
    async removeTask(id) {
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
    async nextPendingTask(epicId) {
      let query = db
        .selectFrom('tasks')
        .selectAll()
        // A literal, because SQLite takes a partial index only for it.
        .where('state', '=', sql.lit('PENDING'))
        .where('assignee_id', 'is', null)
        .where(isInOpenEpic)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1);
      if (epicId !== null) query = query.where('epic_id', '=', cleanText(epicId));
      const row = await query.$call(write.dialect.lockFreeRows).executeTakeFirst();
      return row && toTask(row);
    },
    async addComment({ id, taskId, authorId, body, at }) {
      const task_id = cleanText(taskId);
      const row = { id: cleanText(id), task_id, author_id: authorId, at, body: cleanText(body) };
      await db.insertInto('task_comments').values(row).execute();
      await db.updateTable('tasks').set({ comments: sql<number>`comments + 1` }).where('id', '=', task_id).execute();
      changed('work');
    },
  };
}

function pageOfTasks(db: Kysely<Tables>, query: TaskQuery): ReturnType<TeamReader['tasks']> {
  const conditions: RawBuilder<unknown>[] = [];
  if (query.epicId !== undefined) conditions.push(sql`epic_id = ${cleanText(query.epicId)}`);
  if (query.assigneeId !== undefined) conditions.push(sql`assignee_id = ${cleanText(query.assigneeId)}`);
  const { state, limit = defaultLimit, cursor } = query;
  return newestChanges<TaskRow, Task>(db, { table: 'tasks', state, conditions, limit, cursor, toItem: toTask });
}

/** What belongs to a closed epic stays as it is; nobody is given it. */
const isInOpenEpic = sql<boolean>`not exists (
  select 1 from epics where epics.id = tasks.epic_id and epics.state in ('COMPLETED', 'CANCELLED')
)`;

function noTasks(): Record<TaskState, number> {
  // Every state is a key, from the very list that the type is made of.
  return Object.fromEntries(taskStates.map((state) => [state, 0])) as Record<TaskState, number>;
}

function toRow(task: Task): TaskRow {
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

function toColumns(change: StoredTaskChange): Partial<TaskRow> {
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

function cleanOrNull(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}
