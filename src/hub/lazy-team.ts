import { lazy } from '../base/lazy.ts';
import type { Team } from '../team/team.ts';
import type { TeamEvents } from '../team/team-events.ts';

interface Running {
  close(): Promise<void>;
}

/**
 * The team, loaded with the first question to it: most processes inject agents and have no team, and should start as fast as
 * ever. Questions return promises anyway; listening and starting return at once and take effect when the team is there.
 */
export function lazyTeam(load: () => Promise<Team>): Team {
  const on: TeamEvents['on'] = (type, handler, options) =>
    subscribed(async () => (await load()).events.on(type, handler, options));
  return {
    members: lazy(async () => (await load()).members),
    mail: lazy(async () => (await load()).mail),
    tasks: lazy(async () => (await load()).tasks),
    epics: lazy(async () => (await load()).epics),
    answers: lazy(async () => (await load()).answers),
    health: lazy(async () => (await load()).health, {
      start: () => later(async () => (await load()).health.start()),
      attend: (memberId: string) => later(async () => (await load()).health.attend(memberId)),
    }),
    events: lazy(async () => (await load()).events, {
      on,
      start: () => later(async () => (await load()).events.start()),
    }),
    changes: { on: (listener) => subscribed(async () => (await load()).changes.on(listener)) },
    calling: async (member) => (await load()).calling(member),
    escalate: async (fault) => (await load()).escalate(fault),
  };
}

function subscribed(subscribe: () => Promise<() => void>): () => void {
  const stopping = subscribe();
  return () => {
    stopping.then((stop) => stop()).catch(() => {});
  };
}

function later(start: () => Promise<Running>): Running {
  const starting = start();
  return { close: async () => (await starting).close() };
}
