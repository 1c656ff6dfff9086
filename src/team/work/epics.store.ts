import { toIso } from '../../base/clock.ts';
import type { Page } from '../../base/contract-fields.ts';
import { cleanText } from '../../db/rows.ts';
import { cleanOrNull, isoOrNull, msOrNull, type TeamRows, type TeamWrite } from '../team-rows.store.ts';
import type { EpicState } from './task-moves.ts';
import { byChange, pageOfWork } from './work.store.ts';
import type { Epic } from './work.ts';

type EpicFields = 'title' | 'description' | 'state' | 'linearIssueId' | 'linearIssueUrl';
type StoredEpicChange = Partial<Pick<Epic, EpicFields>> & { completedAt?: number | null };

type EpicQuery = { state?: readonly EpicState[] | undefined; limit: number; cursor?: string | undefined };

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
      rows.run((db) => pageOfWork<EpicRow, Epic>(db, { table: 'epics', order: byChange, ...query, toItem: toEpic })),
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
