import type { Logger } from '../base/logger.ts';
import type { TeamConcern, TeamReader, TeamStore, TeamWriter } from '../team/team-store.ts';
import { CounterChanges } from './counter-changes.ts';
import type { Database } from './database.ts';
import type { Leases } from './leases.ts';
import { teamConcerns } from './team-concerns.ts';
import { epicReader, epicWriter } from './team-epics.ts';
import { mailReader, mailWriter } from './team-mails.ts';
import { memberReader, memberWriter } from './team-members.ts';
import { escalationWriter, keyWriter } from './team-once.ts';
import { eventWriter, StoredDeliveries } from './team-outbox.ts';
import { presenceReader, presenceWriter } from './team-presence.ts';
import type { TeamRows, TeamWrite } from './team-rows.ts';
import { StoredSubscribers } from './team-subscribers.ts';
import { taskReader, taskWriter } from './team-tasks.ts';
import { threadReader } from './team-threads.ts';

interface OpenTeamParts {
  database: Database;
  logger: Logger;
  leases: Leases;
}

export function openTeam({ database, logger, leases }: OpenTeamParts): TeamStore {
  const changes = new CounterChanges({ database, logger, keys: teamConcerns, what: 'the team' });
  return {
    ...teamReader({ run: (query) => database.read(query), isLocking: false }),
    write: (run) =>
      database.write(async ({ db, bump }) => {
        const write: TeamWrite = {
          db,
          run: (query) => query(db),
          isLocking: database.kind === 'postgres',
          changed: new Set<TeamConcern>(),
        };
        const result = await run(teamWriter(write));
        for (const concern of teamConcerns) {
          if (write.changed.has(concern)) await bump(concern);
        }
        return result;
      }),
    membersRevision: () => database.revision('members'),
    watch: (onChange) => changes.watch(onChange),
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
