import { callAnswers } from './calls/call-answers.ts';
import type { EventSender } from './events/deliver-target.ts';
import { type TeamEvents, teamEvents } from './events/team-events.ts';
import { escalateFault, type Fault } from './mail/escalate.ts';
import { teamMail } from './mail/team-mail.ts';
import { type TeamHealthOptions, teamHealth } from './members/team-health.ts';
import { teamMembers } from './members/team-members.ts';
import type { TeamStore } from './team.store.ts';
import type { TeamParts } from './team-parts.ts';
import { teamEpics } from './work/team-epics.ts';
import { teamTasks } from './work/team-tasks.ts';

export interface CreateTeamOptions extends TeamParts, TeamHealthOptions {
  /** Called when deliveries start, and after each change to the senders. */
  senders(): ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>;
  /** Calls back after the senders have changed. */
  watchSenders?: ((onChange: () => void) => () => void) | undefined;
}

/** The team as its surfaces see it: the user's web app and CLI, and the members' tools. */
export type Team = ReturnType<typeof createTeam>;

/** Composes the team over its store. */
export function createTeam(created: CreateTeamOptions) {
  const { keepDecisionsMs, alsoPrune, alsoEnd, retention, senders, watchSenders, ...options } = created;
  const events = teamEvents(options, { senders, watchSenders });
  const parts = { ...options, store: afterHandlers(options.store, events) };
  const tasks = teamTasks(parts);
  const members = teamMembers(parts);
  return {
    members,
    mail: teamMail(parts, members),
    tasks,
    epics: teamEpics(parts, tasks),
    health: teamHealth(parts, { keepDecisionsMs, alsoPrune, alsoEnd, retention }),
    events,
    /** First answers by idempotency key, for tools that do not store their own. */
    answers: callAnswers(parts),
    /** Mails a member's failed call to its supervisor or the user. Never throws. */
    escalate: async (fault: Fault): Promise<void> => {
      await escalateFault(parts, fault);
    },
  };
}

/** Delays writes until the store knows every handler, so that a handler added before a write receives its events. */
function afterHandlers(store: TeamStore, events: TeamEvents): TeamStore {
  return {
    ...store,
    async write(run) {
      await events.registered();
      return store.write(run);
    },
  };
}
