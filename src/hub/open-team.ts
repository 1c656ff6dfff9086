import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import type { Chats } from '../chats/chats.ts';
import type { Config, EventsConfig } from '../config/config.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Store } from '../store/store.ts';
import type { EventSender } from '../team/events/deliver-target.ts';
import { resolvePermissions } from '../team/members/default-permissions.ts';
import { createTeam, type Team } from '../team/team.ts';
import type { EventTarget } from '../team/team-parts.ts';
import type { Redact } from '../tools/redact/redact.ts';

export interface OpenTeamOptions {
  config: LoadedConfig;
  store: Store;
  agents: AgentRegistry;
  clock: Clock;
  logger: Logger;
  redact: Redact;
  chats: Chats;
}

const dayMs = 24 * 3_600_000;

/** Opens the team as configured. The code for webhooks and Inngest is loaded with the first delivery. */
export function openTeam({ agents, chats, clock, config, logger, redact, store }: OpenTeamOptions): Team {
  const { permissions, team: limits, events, log } = config.config;
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
    settings: {
      permissions: resolvePermissions(permissions),
      eventTargets: eventTargets(events),
      stalledAfterMs: limits.stalled_after_secs * 1_000,
      waitingAfterMs: limits.waiting_after_secs * 1_000,
      escalationWindowMs: limits.escalation_window_secs * 1_000,
      reconcileEveryMs: limits.reconcile_every_secs * 1_000,
    },
    keepDecisionsMs: log.keep_days === undefined ? undefined : log.keep_days * dayMs,
    alsoPrune: sweepHistory({ config: config.config, runs: store.runs, chats }),
    alsoEnd: { answers: () => endAnswers(store.chats, chats), runs: () => store.runs.endAbandoned() },
    senders: () => openSenders(events, clock),
  });
}

function eventTargets({ webhooks, inngest }: EventsConfig): EventTarget[] {
  const hooks = Object.entries(webhooks).map(([name, hook]) => ({ target: `webhook:${name}`, events: hook.events }));
  return inngest ? [...hooks, { target: 'inngest' }] : hooks;
}

async function openSenders({ webhooks, inngest }: EventsConfig, clock: Clock): Promise<Map<string, EventSender>> {
  const senders = new Map<string, EventSender>();
  const hooks = Object.entries(webhooks);
  if (hooks.length > 0) {
    const { webhookSender } = await import('../delivery/webhooks.ts');
    for (const [name, { url, secret }] of hooks)
      senders.set(`webhook:${name}`, webhookSender({ name, url, secret, clock }));
  }
  if (inngest) {
    const { inngestSender } = await import('../delivery/inngest.ts');
    senders.set('inngest', inngestSender({ url: inngest.url, eventKey: inngest.event_key }));
  }
  return senders;
}

interface SweepParts {
  config: Pick<Config, 'chats' | 'runs' | 'log'>;
  runs: Pick<Store['runs'], 'prune'>;
  chats: Pick<Chats, 'prune'>;
}

/** Returns the functions that delete old runs and chats, according to `keep_days`. Each one takes the current time. */
function sweepHistory({ config, runs, chats }: SweepParts): Record<string, (now: number) => Promise<unknown>> {
  // Runs contain the same calls as the log, so they share its default.
  const keepRuns = config.runs.keep_days ?? config.log.keep_days ?? 0;
  const keepChats = config.chats.keep_days ?? 0;
  return {
    ...(keepRuns > 0 && { runs: (now) => runs.prune(now - keepRuns * dayMs) }),
    ...(keepChats > 0 && { chats: (now) => chats.prune(now - keepChats * dayMs) }),
  };
}

/**
 * Ends the answers of processes that are gone, so that lists show the truth although nobody opens the chats. Loads no code for chats
 * if there are none.
 */
async function endAnswers(store: Pick<Store['chats'], 'unattended'>, chats: Pick<Chats, 'get'>): Promise<void> {
  for (const id of await store.unattended()) {
    await chats.get(id).catch((error: unknown) => {
      // It was deleted in the meantime.
      if (!(error instanceof HubError) || error.code !== 'NOT_FOUND') throw error;
    });
  }
}
