import type { EpicRow } from '../../db/tables.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import { msOrNull, type TeamRows, type TeamWrite, toEpic } from '../team-rows.store.ts';
import type { TeamReader, TeamWriter } from '../team-store.ts';
import { newestChanges } from './newest-changes.store.ts';

export function epicReader(rows: TeamRows): Pick<TeamReader, 'epic' | 'epics'> {
  return {
    async epic(id) {
      const row = await rows.run((db) =>
        db.selectFrom('epics').selectAll().where('id', '=', cleanText(id)).$call(rows.lockRows).executeTakeFirst(),
      );
      return row && toEpic(row);
    },
    epics: ({ state, limit, cursor }) =>
      rows.run((db) =>
        newestChanges<EpicRow, ReturnType<typeof toEpic>>(db, { table: 'epics', state, limit, cursor, toItem: toEpic }),
      ),
  };
}

export function epicWriter(write: TeamWrite): Pick<TeamWriter, 'addEpic' | 'changeEpic' | 'removeEpic'> {
  const { db, changed } = write;
  return {
    async addEpic(epic) {
      const row: EpicRow = {
        id: cleanText(epic.id),
        linear_issue_id: epic.linearIssueId === null ? null : cleanText(epic.linearIssueId),
        linear_issue_url: epic.linearIssueUrl === null ? null : cleanText(epic.linearIssueUrl),
        title: cleanText(epic.title),
        state: epic.state,
        created_at: Date.parse(epic.createdAt),
        updated_at: Date.parse(epic.updatedAt),
        completed_at: msOrNull(epic.completedAt),
        description: cleanText(epic.description),
      };
      await db.insertInto('epics').values(row).execute();
      changed('work');
    },
    async changeEpic(id, change, at) {
      const { numUpdatedRows } = await db
        .updateTable('epics')
        .set({ ...toColumns(change), updated_at: at })
        .where('id', '=', cleanText(id))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('work');
      return numUpdatedRows > 0n;
    },
    async removeEpic(id) {
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

function toColumns(change: Parameters<TeamWriter['changeEpic']>[1]): Partial<EpicRow> {
  const { title, description, state, linearIssueId, linearIssueUrl, completedAt } = change;
  return {
    ...(title !== undefined && { title: cleanText(title) }),
    ...(description !== undefined && { description: cleanText(description) }),
    ...(state !== undefined && { state }),
    ...(linearIssueId !== undefined && { linear_issue_id: linearIssueId && cleanText(linearIssueId) }),
    ...(linearIssueUrl !== undefined && { linear_issue_url: linearIssueUrl && cleanText(linearIssueUrl) }),
    ...(completedAt !== undefined && { completed_at: completedAt }),
  };
}
