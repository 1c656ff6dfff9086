import type { ProcessLeases } from '../base/lease.ts';
import { onTopics } from '../db/change-bus.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import { keyWriter } from './calls/once.store.ts';
import { eventWriter, openDeliveries } from './events/outbox.store.ts';
import { openSubscribers } from './events/subscribers.store.ts';
import { escalationWriter } from './mail/escalations.store.ts';
import { mailReader, mailWriter } from './mail/mail.store.ts';
import { extendPresence, memberReader, memberWriter, presenceReader, presenceWriter } from './members/members.store.ts';
import type { TeamRows, TeamWrite } from './team-rows.store.ts';
import { epicReader, epicWriter } from './work/epics.store.ts';
import { taskReader, taskWriter } from './work/work.store.ts';

/** The team's tables. Every method fails with TRANSIENT_ERROR if the database stays busy, UNAVAILABLE if it cannot be reached. */
export type TeamStore = ReturnType<typeof openTeam>;

/** Reads rows. Within a transaction, a row read by its id stays locked, so that checks still hold when the row is changed. */
export type TeamReader = ReturnType<typeof teamReader>;

/** Reads and writes rows within one transaction. Times are in milliseconds; the caller makes the ids. */
export type TeamWriter = ReturnType<typeof teamWriter>;

export type TeamConcern = 'members' | 'mail' | 'work';

export function openTeam({ database, leases }: { database: Database; leases: Leases }) {
  const { dialect } = database;
  const processLeases: ProcessLeases = leases;
  return {
    ...teamReader({ run: (query) => database.read(query), lockRows: (query) => query, dialect: database.dialect }),
    /** Runs one transaction, all or nothing. `run` is repeated after a conflict, so it must have no other effects. */
    write: <T>(run: (rows: TeamWriter) => Promise<T>): Promise<T> =>
      database.write(({ db, changed }) =>
        run(teamWriter({ db, run: (query) => query(db), lockRows: dialect.lockRows, dialect, changed })),
      ),
    extendPresence: (beat: Parameters<typeof extendPresence>[1]): Promise<boolean> =>
      database.execute((db) => extendPresence(db, beat)),
    /** Returns a number that grows with each change of members, or undefined if it is not known at once. */
    membersRevision: (): number | undefined => database.changes.version('members'),
    /** Calls back after changes by this process, and soon after changes by others. Returns a function that stops it. */
    watch: (onChange: (concerns: readonly TeamConcern[]) => void): (() => void) =>
      onTopics(database.changes, ['members', 'mail', 'work'], (concern) => onChange([concern])),
    leases: processLeases,
    deliveries: openDeliveries({ database, leases }),
    subscribers: openSubscribers({ database, leases }),
  };
}

function teamReader(rows: TeamRows) {
  return {
    ...memberReader(rows),
    ...mailReader(rows),
    ...epicReader(rows),
    ...taskReader(rows),
    ...presenceReader(rows),
  };
}

function teamWriter(write: TeamWrite) {
  return {
    ...teamReader(write),
    ...memberWriter(write),
    ...mailWriter(write),
    ...epicWriter(write),
    ...taskWriter(write),
    ...eventWriter(write),
    ...keyWriter(write),
    ...escalationWriter(write),
    ...presenceWriter(write),
  };
}
