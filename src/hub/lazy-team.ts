import { lazy, once } from '../base/lazy.ts';
import type { TeamEvents } from '../team/events/team-events.ts';
import type { Team } from '../team/team.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { OpenTeamOptions } from './open-team.ts';

interface Running {
  close(): Promise<void>;
}

/**
 * Loads the team on first use, because most processes have no team and must start fast. Functions that return at once
 * (`on`, `start`, `attend`) take effect when the team is loaded.
 */
export function lazyTeam(parts: OpenTeamOptions & { tools: ToolRegistry }) {
  const load = once(async () => (await import('./open-team.ts')).openTeam(parts));
  /** Registers all team tools or none, so that a member never reaches another tool under the name of a team tool. */
  const loadTools = once(async () => {
    const [team, { teamTools }] = await Promise.all([load(), import('../team/team.tools.ts')]);
    const { clock, redact, store, tools } = parts;
    tools.register(...teamTools(team, { clock, decisions: store.decisions, redact }));
  });
  const on: TeamEvents['on'] = (type, handler, options) =>
    subscribed(async () => (await load()).events.on(type, handler, options));
  const team: Team = {
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
    escalate: async (fault) => (await load()).escalate(fault),
  };
  const running: Running[] = [];
  return {
    team,
    loadTools,
    /** Returns the team once its tools are registered. */
    async withTools(): Promise<Team> {
      await loadTools();
      return load();
    },
    start() {
      if (running.length === 0) running.push(team.events.start(), team.health.start());
    },
    async close() {
      await Promise.all(running.map((each) => each.close()));
    },
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
