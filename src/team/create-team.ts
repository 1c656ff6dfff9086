import { EventChannel } from '../base/events.ts';
import { callAnswers } from './call-answers.ts';
import { callingMember } from './caller-of-member.ts';
import { teamEscalation } from './escalate.ts';
import type { Team, TeamEvents } from './team.ts';
import { teamEpics } from './team-epics.ts';
import { type EventSender, teamEvents } from './team-events.ts';
import { type TeamHealthOptions, teamHealth } from './team-health.ts';
import { teamMail } from './team-mail.ts';
import { teamMembers } from './team-members.ts';
import type { TeamParts } from './team-parts.ts';
import type { TeamConcern, TeamStore } from './team-store.ts';
import { teamTasks } from './team-tasks.ts';

export interface CreateTeamOptions extends TeamParts, TeamHealthOptions {
  /** Asked for when deliveries begin. */
  senders(): ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>;
}

/** The team over its store: members, mail, work, and what watches over them. */
export function createTeam({ keepDecisionsMs, alsoPrune, senders, ...options }: CreateTeamOptions): Team {
  const events = teamEvents(options, senders);
  const parts = { ...options, store: afterHandlers(options.store, events) };
  const tasks = teamTasks(parts);
  const members = teamMembers(parts);
  const changes = new EventChannel<readonly TeamConcern[]>((error) =>
    parts.logger.error({ err: error }, 'a listener of the team failed'),
  );
  let stopWatching: (() => void) | undefined;
  return {
    members,
    mail: teamMail(parts, members),
    tasks,
    epics: teamEpics(parts, tasks),
    health: teamHealth(parts, { keepDecisionsMs, alsoPrune }),
    events,
    calling: (member) => callingMember(parts, member),
    answers: callAnswers(parts),
    escalate: teamEscalation(parts),
    changes: {
      on(listener) {
        // The store is watched only while somebody wants to know.
        stopWatching ??= parts.store.watch((concerns) => changes.emit(concerns));
        const stop = changes.on(listener);
        return () => {
          stop();
          if (changes.size > 0) return;
          stopWatching?.();
          stopWatching = undefined;
        };
      },
    },
  };
}

/** A handler that was added before a write hears of it: the write waits until the store knows of the handler. */
function afterHandlers(store: TeamStore, events: TeamEvents): TeamStore {
  return {
    ...store,
    async write(run) {
      await events.registered();
      return store.write(run);
    },
  };
}
