import { onTopics } from '../db/change-bus.ts';
import type { Database } from '../db/database.ts';
import type { Leases } from '../db/leases.ts';
import { escalationWriter, keyWriter } from './calls/once.store.ts';
import { eventWriter, StoredDeliveries } from './events/outbox.store.ts';
import { StoredSubscribers } from './events/subscribers.store.ts';
import { mailReader, mailWriter } from './mail/mail.store.ts';
import { threadReader } from './mail/mail-threads.store.ts';
import { presenceReader, presenceWriter } from './members/hub-presence.store.ts';
import { memberReader, memberWriter } from './members/members.store.ts';
import type { TeamRows, TeamWrite } from './team-rows.store.ts';
import type { TeamReader, TeamStore, TeamWriter } from './team-store.ts';
import { epicReader, epicWriter } from './work/epics.store.ts';
import { taskReader, taskWriter } from './work/tasks.store.ts';

interface OpenTeamParts {
  database: Database;
  leases: Leases;
}

export function openTeam({ database, leases }: OpenTeamParts): TeamStore {
  const { dialect } = database;
  return {
    ...teamReader({ run: (query) => database.read(query), lockRows: (query) => query }),
    write: (run) =>
      database.write(({ db, changed }) =>
        run(teamWriter({ db, run: (query) => query(db), lockRows: dialect.lockRows, dialect, changed })),
      ),
    membersRevision: () => database.changes.version('members'),
    watch: (onChange) => onTopics(database.changes, ['members', 'mail', 'work'], (concern) => onChange([concern])),
    leases,
    deliveries: new StoredDeliveries({ database, leases }),
    subscribers: new StoredSubscribers({ database, leases }),
  };
}

function teamReader(rows: TeamRows): TeamReader {
  return {
    ...memberReader(rows),
    ...mailReader(rows),
    ...threadReader(rows),
    ...epicReader(rows),
    ...taskReader(rows),
    ...presenceReader(rows),
  };
}

function teamWriter(write: TeamWrite): TeamWriter {
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
