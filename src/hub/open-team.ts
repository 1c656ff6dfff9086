import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Clock } from '../base/clock.ts';
import { dayMs } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Chats } from '../chats/chats.ts';
import type { EventsConfig } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import type { EventSender } from '../team/events/deliver-target.ts';
import { resolvePermissions } from '../team/members/default-permissions.ts';
import { createTeam, type Team } from '../team/team.ts';
import type { EventTarget, TeamSettings } from '../team/team-parts.ts';
import type { Redact } from '../tools/redact/redact.ts';
import { keptDays } from '../usage/usage.ts';
import { historyDays } from './settings/history-days.ts';
import type { LiveConfig } from './settings/live-config.ts';

export interface OpenTeamOptions {
  live: LiveConfig;
  store: Store;
  agents: AgentRegistry;
  clock: Clock;
  logger: Logger;
  redact: Redact;
  chats: Chats;
}

/** Opens the team as configured. The code for webhooks and Inngest is loaded with the first delivery. */
export function openTeam({ agents, chats, clock, live, logger, redact, store }: OpenTeamOptions): Team {
  const senders = eventSenders(clock);
  return createTeam({
    store: store.team,
    decisions: store.decisions,
    clock,
    logger,
    redact,
    scopeOf: async (agent) => {
      await agents.refresh();
      return agents.find(agent)?.tools;
    },
    settings: teamSettings(live),
    keepDecisionsMs() {
      const days = historyDays(live.current).log;
      return Number.isFinite(days) ? days * dayMs : undefined;
    },
    alsoPrune: sweepHistory({ live, runs: store.runs, usage: store.usage, chats }),
    retention: () => JSON.stringify([live.current.log, live.current.chats, live.current.runs]),
    alsoEnd: {
      answers: () => endAnswers({ store: store.chats, chats, logger }),
      runs: () => store.runs.endAbandoned(),
    },
    senders: () => senders(live.current.events),
    watchSenders: live.watch,
  });
}

/** The settings as of now, whenever one is read. */
function teamSettings(live: LiveConfig): TeamSettings {
  return {
    get permissions() {
      return resolvePermissions(live.current.permissions);
    },
    get eventTargets() {
      return eventTargets(live.current.events);
    },
    get stalledAfterMs() {
      return live.current.team.stalled_after_secs * 1_000;
    },
    get waitingAfterMs() {
      return live.current.team.waiting_after_secs * 1_000;
    },
    get escalationWindowMs() {
      return live.current.team.escalation_window_secs * 1_000;
    },
    get reconcileEveryMs() {
      return live.current.team.reconcile_every_secs * 1_000;
    },
  };
}

function eventTargets({ webhooks, inngest }: EventsConfig): EventTarget[] {
  const hooks = Object.entries(webhooks).map(([name, hook]) => ({ target: `webhook:${name}`, events: hook.events }));
  return inngest ? [...hooks, { target: 'inngest' }] : hooks;
}

/** Returns a function that makes the senders. A sender whose settings have not changed stays the same, so that its lane continues. */
function eventSenders(clock: Clock): (events: EventsConfig) => Promise<Map<string, EventSender>> {
  const known = new Map<string, { settings: string; send: EventSender }>();
  return async ({ webhooks, inngest }) => {
    const senders = new Map<string, EventSender>();
    for (const [name, { url, secret }] of Object.entries(webhooks)) {
      const { webhookSender } = await import('../delivery/webhooks.ts');
      keep(`webhook:${name}`, { url, secret }, () => webhookSender({ name, url, secret, clock }));
    }
    if (inngest) {
      const { inngestSender } = await import('../delivery/inngest.ts');
      keep('inngest', inngest, () => inngestSender({ url: inngest.url, eventKey: inngest.event_key }));
    }
    return senders;

    function keep(target: string, values: object, open: () => EventSender): void {
      const settings = JSON.stringify(values);
      const before = known.get(target);
      const send = before?.settings === settings ? before.send : open();
      known.set(target, { settings, send });
      senders.set(target, send);
    }
  };
}

interface SweepParts {
  live: LiveConfig;
  runs: Pick<Store['runs'], 'prune'>;
  usage: Pick<Store['usage'], 'prune'>;
  chats: Pick<Chats, 'prune'>;
}

/** Returns the functions that delete old usage, and old runs and chats according to `keep_days`. Each one takes the current time. */
function sweepHistory({ live, runs, usage, chats }: SweepParts): Record<string, (now: number) => Promise<unknown>> {
  return {
    usage: (now) => usage.prune(now - keptDays * dayMs),
    async runs(now) {
      const days = historyDays(live.current).runs;
      if (Number.isFinite(days)) await runs.prune(now - days * dayMs);
    },
    async chats(now) {
      const days = historyDays(live.current).chats;
      if (Number.isFinite(days)) await chats.prune(now - days * dayMs);
    },
  };
}

interface EndParts {
  store: Pick<Store['chats'], 'unattended'>;
  chats: Pick<Chats, 'get'>;
  logger: Logger;
}

/**
 * Ends the answers of processes that are gone, so that lists show the truth although nobody opens the chats. Loads no code for chats
 * if there are none.
 */
async function endAnswers({ store, chats, logger }: EndParts): Promise<void> {
  for (const id of await store.unattended()) {
    await chats.get(id).catch((error: unknown) => {
      // It was deleted in the meantime.
      if (error instanceof HubError && error.code === 'NOT_FOUND') return;
      // The answers of the other chats can be ended nonetheless.
      logger.warn({ err: error, chatId: id }, 'the answer of a process that is gone could not be ended');
    });
  }
}
