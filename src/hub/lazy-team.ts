import type { Team, TeamEvents, TeamHealth } from '../team/team.ts';

interface Running {
  close(): Promise<void>;
}

/**
 * The team, loaded with the first question to it: most processes inject agents and have no team, and should start as fast as
 * ever. Everything that is asked answers with a promise anyway; the few things that do not are taken up when it is there.
 */
export function lazyTeam(load: () => Promise<Team>): Team {
  const section = <S extends 'members' | 'mail' | 'tasks' | 'epics' | 'answers'>(name: S) =>
    forward(async () => (await load())[name]);
  const health: Pick<TeamHealth, 'start' | 'attend'> = {
    start: () => later(async () => (await load()).health.start()),
    attend: (memberId) => later(async () => (await load()).health.attend(memberId)),
  };
  const events: Pick<TeamEvents, 'on' | 'start'> = {
    on: (type, handler, options) => subscribed(async () => (await load()).events.on(type, handler, options)),
    start: () => later(async () => (await load()).events.start()),
  };
  return {
    members: section('members'),
    mail: section('mail'),
    tasks: section('tasks'),
    epics: section('epics'),
    answers: section('answers'),
    health: Object.assign(
      forward(async () => (await load()).health),
      health,
    ),
    events: Object.assign(
      forward(async () => (await load()).events),
      events,
    ),
    changes: { on: (listener) => subscribed(async () => (await load()).changes.on(listener)) },
    calling: async (member) => (await load()).calling(member),
    escalate: async (fault) => (await load()).escalate(fault),
  };
}

/** Methods that return promises, called on what `load` brings. */
function forward<T extends object>(load: () => Promise<T>): T {
  const own: Record<string | symbol, unknown> = {};
  return new Proxy(own, {
    get: (_, name) => {
      // Awaited, an object is asked for `then`; this one is none to wait for.
      if (name === 'then') return undefined;
      own[name] ??= async (...values: unknown[]) => {
        // Every name of T is a method: the ports of the team hold nothing else.
        const target = (await load()) as Record<string | symbol, (...all: unknown[]) => unknown>;
        return target[name]?.(...values);
      };
      return own[name];
    },
  }) as T;
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
