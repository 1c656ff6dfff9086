import { callAnswers } from './calls/call-answers.ts';
import type { EventSender } from './events/deliver-target.ts';
import { type TeamEvents, teamEvents } from './events/team-events.ts';
import { escalateFault, type Fault } from './mail/escalate.ts';
import { teamMail } from './mail/team-mail.ts';
import { callingMember } from './members/caller-of-member.ts';
import type { Member } from './members/member.ts';
import { type TeamHealthOptions, teamHealth } from './members/team-health.ts';
import { teamMembers } from './members/team-members.ts';
import type { TeamStore } from './team.store.ts';
import type { TeamParts } from './team-parts.ts';
import { teamEpics } from './work/team-epics.ts';
import { teamTasks } from './work/team-tasks.ts';

export interface CreateTeamOptions extends TeamParts, TeamHealthOptions {
  /** Asked for when deliveries begin. */
  senders(): ReadonlyMap<string, EventSender> | Promise<ReadonlyMap<string, EventSender>>;
}

/** The team as surfaces see it: the person through web and CLI, members through their tools. */
export type Team = ReturnType<typeof createTeam>;

/** The team over its store: members, mail, work, and what watches over them. */
export function createTeam({ keepDecisionsMs, alsoPrune, senders, ...options }: CreateTeamOptions) {
  const events = teamEvents(options, senders);
  const parts = { ...options, store: afterHandlers(options.store, events) };
  const tasks = teamTasks(parts);
  const members = teamMembers(parts);
  return {
    members,
    mail: teamMail(parts, members),
    tasks,
    epics: teamEpics(parts, tasks),
    health: teamHealth(parts, { keepDecisionsMs, alsoPrune }),
    events,
    /** A member as the pipeline's permissions see it. */
    calling: (member: Member) => callingMember(parts, member),
    /** First answers to idempotency keys, for tools that keep none themselves. */
    answers: callAnswers(parts),
    /** Mails a failed call of a member to who should know. Never throws, never escalates itself. */
    escalate: async (fault: Fault): Promise<void> => {
      await escalateFault(parts, fault);
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
