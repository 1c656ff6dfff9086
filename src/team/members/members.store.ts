import { type Kysely, sql } from 'kysely';
import { toIso } from '../../base/clock.ts';
import { newHolder } from '../../base/holder.ts';
import { HubError } from '../../base/hub-error.ts';
import type { Mark } from '../../callers/access-keys.store.ts';
import { cleanText } from '../../db/rows.ts';
import { processVersion } from '../../db/serving-versions.ts';
import type { Tables } from '../../db/tables.ts';
import { lastTimeIn } from '../../decisions/count-decisions.store.ts';
import { cleanOrNull, type TeamRows, type TeamWrite } from '../team-rows.store.ts';
import type { StoredMember, StoredMemberChange } from './member.ts';

export function memberReader(rows: TeamRows) {
  return {
    async member(id: string): Promise<StoredMember | undefined> {
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
    async members(): Promise<StoredMember[]> {
      const found = await rows.run((db) => db.selectFrom('team_members').selectAll().orderBy('id').execute());
      return found.map(toMember);
    },
    /** Whether any member has ever had a token. */
    async hasHadToken(): Promise<boolean> {
      const mark = await rows.run((db) =>
        db.selectFrom('marks').select('name').where('name', '=', tokenMark).executeTakeFirst(),
      );
      return mark !== undefined;
    },
  };
}

export function memberWriter({ db, changed }: TeamWrite) {
  return {
    /** Throws CONFLICT if the id is taken. */
    async addMember(member: StoredMember): Promise<void> {
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
      // Answers to an earlier member of the same name are not for this one.
      await db.deleteFrom('idempotency_keys').where('owner', '=', row.id).execute();
      if (member.tokenHash !== null) await noteToken(Date.parse(member.createdAt));
      changed('members');
    },
    /** Returns false if there is no such member. Sets updatedAt. */
    async changeMember(id: string, change: StoredMemberChange, at: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('team_members')
        .set({ ...toColumns(change), updated_at: at })
        .where('id', '=', cleanText(id))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) changed('members');
      if (numUpdatedRows > 0n && change.tokenHash) await noteToken(at);
      return numUpdatedRows > 0n;
    },
    async removeMember(id: string): Promise<boolean> {
      const { numDeletedRows } = await db.deleteFrom('team_members').where('id', '=', cleanText(id)).executeTakeFirst();
      if (numDeletedRows > 0n) changed('members');
      return numDeletedRows > 0n;
    },
    /** Returns the time of a member's last call. It is read here because a transaction may not wait for another reader. */
    lastCall: (memberId: string): Promise<number | undefined> => lastTimeIn(db, cleanText(memberId), { isCall: true }),
  };

  async function noteToken(at: number): Promise<void> {
    await db
      .insertInto('marks')
      .values({ name: tokenMark, at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Stays set when all tokens are revoked: once there has been a token, every member needs one. */
const tokenMark: Mark = 'member-token';

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

// The schemas of member.ts checked `type` and `state` before they were written.
function toMember(row: TeamMemberRow): StoredMember {
  return {
    id: row.id,
    agent: row.agent,
    type: row.type as StoredMember['type'],
    state: row.state as StoredMember['state'],
    supervisorId: row.supervisor_id,
    currentEpicId: row.current_epic_id,
    currentTaskId: row.current_task_id,
    tmuxSessionName: row.tmux_session_name,
    tokenHash: row.token_hash,
    createdAt: toIso(row.created_at),
    updatedAt: toIso(row.updated_at),
  };
}

/** A period in which one hub ran without a break, in milliseconds since the epoch. */
export interface HubPeriod {
  from: number;
  to: number;
  /** The only member that could call it; null if everyone could. */
  memberId: string | null;
}

type Heartbeat = {
  hub: string;
  memberId: string | null;
  now: number;
  /** Periods that ended earlier are deleted. */
  keepFrom: number;
};

export function presenceReader({ run }: TeamRows) {
  return {
    /** Returns the periods in which a hub ran, oldest first. */
    async presence(): Promise<HubPeriod[]> {
      const rows = await run((db) => db.selectFrom('hub_presence').selectAll().orderBy('started_at').execute());
      return rows.map((row) => ({ from: row.started_at, to: row.seen_at, memberId: row.member_id }));
    },
  };
}

/** Extends the period of a hub to now. Returns false if it is not stored as last written. */
export async function extendPresence(
  db: Kysely<Tables>,
  { hub, now, period }: { hub: string; now: number; period: Pick<HubPeriod, 'from' | 'to'> },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('hub_presence')
    .set({ seen_at: now })
    .where('hub', '=', hub)
    .where('started_at', '=', period.from)
    .where('seen_at', '>=', period.to)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function presenceWriter({ db }: TeamWrite) {
  return {
    /** Begins a period of a hub. */
    async beginPresence({ hub, memberId, now, keepFrom }: Heartbeat): Promise<void> {
      await correct(now);
      await prune(keepFrom);
      await db
        .insertInto('hub_presence')
        .values({
          hub,
          member_id: memberId === null ? null : cleanText(memberId),
          started_at: now,
          seen_at: now,
          version: processVersion,
          holder: newHolder(),
        })
        .onConflict((conflict) => conflict.columns(['hub', 'started_at']).doUpdateSet({ seen_at: now }))
        .execute();
    },
  };

  /** Corrects periods written while a clock was ahead. They would later claim a hub that is not running. */
  async function correct(now: number): Promise<void> {
    await db.deleteFrom('hub_presence').where('started_at', '>', now).execute();
    await db.updateTable('hub_presence').set({ seen_at: now }).where('seen_at', '>', now).execute();
  }

  /** Deletes old periods but keeps the newest one: the absence that ends now began when it ended. */
  async function prune(keepFrom: number): Promise<void> {
    const { newest, served } = await db
      .selectFrom('hub_presence')
      .select((each) => [
        each.fn.max('seen_at').as('newest'),
        each.fn.max(sql<number>`case when member_id is null then seen_at end`).as('served'),
      ])
      .executeTakeFirstOrThrow();
    await db
      .deleteFrom('hub_presence')
      .where('member_id', 'is', null)
      .where('seen_at', '<', Math.min(keepFrom, Number(served ?? keepFrom)))
      .execute();
    await db
      .deleteFrom('hub_presence')
      .where('member_id', 'is not', null)
      .where('seen_at', '<', Math.min(keepFrom, Number(newest ?? keepFrom)))
      .execute();
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    team_members: TeamMemberRow;
    hub_presence: HubPresenceRow;
  }
}

interface TeamMemberRow {
  id: string;
  agent: string | null;
  type: string;
  state: string;
  supervisor_id: string | null;
  current_epic_id: string | null;
  current_task_id: string | null;
  tmux_session_name: string | null;
  token_hash: string | null;
  created_at: number;
  updated_at: number;
}

/** A time in which one hub ran without a break. */
interface HubPresenceRow {
  hub: string;
  member_id: string | null;
  started_at: number;
  seen_at: number;
  version: string | null;
  holder: string | null;
}
