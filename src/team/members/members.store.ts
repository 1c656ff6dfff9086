import { HubError } from '../../base/hub-error.ts';
import type { TeamMemberRow } from '../../db/tables.ts';
import { lastTimeIn } from '../../decisions/count-decisions.store.ts';
import { cleanText } from '../../knowledge/store/document-rows.store.ts';
import { type TeamRows, type TeamWrite, toMember } from '../team-rows.store.ts';
import type { StoredMember, StoredMemberChange, TeamReader, TeamWriter } from '../team-store.ts';

export function memberReader(rows: TeamRows): Pick<TeamReader, 'member' | 'members'> {
  return {
    async member(id) {
      const row = await rows.run((db) =>
        db
          .selectFrom('team_members')
          .selectAll()
          .where('id', '=', cleanText(id))
          .$call(rows.lockRows)
          .executeTakeFirst(),
      );
      return row && toMember(row);
    },
    async members() {
      const found = await rows.run((db) => db.selectFrom('team_members').selectAll().orderBy('id').execute());
      return found.map(toMember);
    },
  };
}

export function memberWriter(
  write: TeamWrite,
): Pick<TeamWriter, 'addMember' | 'changeMember' | 'removeMember' | 'lastCall'> {
  const { db, changed } = write;
  return {
    async addMember(member) {
      const row = toRow(member);
      const added = await db
        .insertInto('team_members')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .executeTakeFirst();
      if (!added) {
        throw new HubError('CONFLICT', `There is already a member "${member.id}". Choose another id.`);
      }
      // What an older one of its name was answered is not for this one.
      await db.deleteFrom('idempotency_keys').where('owner', '=', row.id).execute();
      changed('members');
    },
    async changeMember(id, change, at) {
      const { numUpdatedRows } = await db
        .updateTable('team_members')
        .set({ ...toColumns(change), updated_at: at })
        .where('id', '=', cleanText(id))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('members');
      return numUpdatedRows > 0n;
    },
    async removeMember(id) {
      const { numDeletedRows } = await db.deleteFrom('team_members').where('id', '=', cleanText(id)).executeTakeFirst();
      if (numDeletedRows > 0n) changed('members');
      return numDeletedRows > 0n;
    },
    lastCall: (memberId) => lastTimeIn(db, cleanText(memberId), { isCall: true }),
  };
}

function toRow(member: StoredMember): TeamMemberRow {
  return {
    id: cleanText(member.id),
    agent: cleanOrNull(member.agent),
    type: member.type,
    state: member.state,
    supervisor_id: member.supervisorId,
    current_epic_id: member.currentEpicId,
    current_task_id: member.currentTaskId,
    tmux_session_name: cleanOrNull(member.tmuxSessionName),
    token_hash: member.tokenHash,
    created_at: Date.parse(member.createdAt),
    updated_at: Date.parse(member.updatedAt),
  };
}

function toColumns(change: StoredMemberChange): Partial<TeamMemberRow> {
  return {
    ...(change.agent !== undefined && { agent: cleanOrNull(change.agent) }),
    ...(change.type !== undefined && { type: change.type }),
    ...(change.state !== undefined && { state: change.state }),
    ...(change.supervisorId !== undefined && { supervisor_id: change.supervisorId }),
    ...(change.currentEpicId !== undefined && { current_epic_id: cleanOrNull(change.currentEpicId) }),
    ...(change.currentTaskId !== undefined && { current_task_id: change.currentTaskId }),
    ...(change.tmuxSessionName !== undefined && { tmux_session_name: cleanOrNull(change.tmuxSessionName) }),
    ...(change.tokenHash !== undefined && { token_hash: change.tokenHash }),
  };
}

function cleanOrNull(text: string | null): string | null {
  return text === null ? null : cleanText(text);
}
