import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { Clock } from '../base/clock.ts';
import type { ChatStore } from '../chats/chat-store.ts';
import type { KnowledgeStore } from '../knowledge/store/knowledge-store.ts';
import type { StoredRunHistory } from '../runs/runs.ts';
import type { ServerInfo } from '../servers/servers.ts';
import type { AppSettings } from '../settings/app-settings.ts';
import type { Team } from '../team/team.ts';
import { reviewSubject } from '../team/work/reviews.ts';
import type { UsageMeter } from '../usage/meter-calls.ts';
import {
  describeBudget,
  describeDeliveries,
  describeEnd,
  describeMail,
  describeRun,
  describeServer,
  describeSource,
  describeTrust,
  runPrefix,
} from './describe-items.ts';
import type { DismissalStore } from './dismissals.store.ts';
import { byUrgency, canBeDismissed, type InboxItem } from './inbox.ts';

/** The parts of a hub whose open items make up the inbox. */
export interface InboxParts {
  readonly agents: Pick<AgentRegistry, 'find'>;
  readonly store: {
    readonly chats: Pick<ChatStore, 'openApprovals'>;
    readonly runs: Pick<StoredRunHistory, 'failures' | 'hasCompleted'>;
    readonly knowledge: { readonly sources: Pick<KnowledgeStore['sources'], 'states'> };
    readonly dismissals: DismissalStore;
  };
  readonly team: {
    readonly mail: Pick<Team['mail'], 'threads'>;
    readonly epics: Pick<Team['epics'], 'reviewsForUser'>;
    readonly events: Pick<Team['events'], 'deadLetters'>;
  };
  /** The external servers, if any were opened. */
  readonly servers: {
    readonly opened: { list(): ServerInfo[]; signInEndsSoon(name: string): Promise<number | null> } | undefined;
  };
  readonly settings: Pick<AppSettings, 'heldConfig'>;
  readonly usage: Pick<UsageMeter, 'budgets'>;
  readonly clock: Clock;
}

/** The maximum number of items of each kind. */
const maxItems = 50;
/** Older failures are history. */
const failureMs = 14 * 24 * 3_600_000;

/** Reads what waits for the user from the stores that hold it. Nothing is copied. Each query returns one item more than is listed. */
export async function gatherInbox(parts: InboxParts): Promise<{ items: InboxItem[]; hasMore: boolean }> {
  const lists = await Promise.all([
    approvals(parts),
    reviews(parts),
    failures(parts),
    mails(parts),
    trust(parts),
    fromServers(parts),
    budgets(parts),
  ]);
  const found = lists.flat();
  const dismissed = await parts.store.dismissals.among(found.filter(canBeDismissed).map(({ id }) => id));
  const open = found.filter(({ id }) => !dismissed.has(id)).sort(byUrgency);
  const kinds = [...Map.groupBy(open, ({ kind }) => kind).values()];
  const items = kinds.flatMap((list) => list.slice(0, maxItems)).sort(byUrgency);
  return { items, hasMore: items.length < open.length };
}

async function approvals({ store, agents }: InboxParts): Promise<InboxItem[]> {
  const open = await store.chats.openApprovals(maxItems + 1);
  return open.map(({ at, ...approval }) => ({
    kind: 'approval',
    id: `approval:${approval.chatId}:${approval.toolUseId}`,
    title: `${nameOf(agents, approval.agentId)} wants to call ${approval.tool}`,
    why: 'The agent waits until you allow or deny the call.',
    since: at,
    urgency: 'high',
    link: `/chat/${encodeURIComponent(approval.chatId)}`,
    settle: { ...approval, outside: [...approval.outside] },
  }));
}

async function reviews({ team }: InboxParts): Promise<InboxItem[]> {
  const tasks = await team.epics.reviewsForUser(maxItems + 1);
  return tasks.map((task) => ({
    kind: 'review',
    id: `review:${task.id}:${task.stateSince}`,
    title: task.title,
    why: task.assigneeId === null ? 'A task is ready for your review.' : `${task.assigneeId} asks for your review.`,
    since: Date.parse(task.stateSince),
    urgency: 'normal',
    link: `/team/tasks/${encodeURIComponent(task.id)}`,
    settle: { taskId: task.id, assigneeId: task.assigneeId },
  }));
}

async function failures({ store, team, agents, clock }: InboxParts): Promise<InboxItem[]> {
  const since = clock.now() - failureMs;
  const [runs, dead, states] = await Promise.all([
    store.runs.failures({ since, limit: maxItems + 1, dismissedAs: runPrefix }),
    team.events.deadLetters({ since, limit: maxItems }),
    store.knowledge.sources.states(),
  ]);
  return [
    ...runs.map((run) => describeRun(run, run.agentId === null ? undefined : agents.find(run.agentId))),
    ...dead.map(describeDeliveries),
    ...states
      .filter(({ outcome, isSyncing, finishedAt }) => outcome === 'failed' && !isSyncing && (finishedAt ?? 0) >= since)
      .map(describeSource),
  ];
}

async function mails({ team }: InboxParts): Promise<InboxItem[]> {
  // A review is an item itself.
  const query = { onlyUnread: true, withoutLone: `${reviewSubject}: `, limit: maxItems + 1 };
  // Escalations first, however many other mails have come since.
  const [escalations, newest] = await Promise.all([
    team.mail.threads({ ...query, onlyEscalations: true }),
    team.mail.threads(query),
  ]);
  const threads = new Map([...escalations.items, ...newest.items].map((thread) => [thread.threadId, thread]));
  return [...threads.values()].map(describeMail);
}

async function trust(parts: InboxParts): Promise<InboxItem[]> {
  const held = await parts.settings.heldConfig();
  return held ? [describeTrust(held, parts.clock.now())] : [];
}

async function fromServers({ servers: { opened }, clock }: InboxParts): Promise<InboxItem[]> {
  if (!opened) return [];
  const lists = await Promise.all(
    opened.list().map(async (server) => {
      const items = describeServer(server);
      if (server.state.kind === 'sign-in' || server.state.kind === 'disabled') return items;
      const endsAt = await opened.signInEndsSoon(server.name);
      return endsAt === null ? items : [...items, describeEnd(server, { endsAt, now: clock.now() })];
    }),
  );
  return lists.flat();
}

async function budgets({ usage }: InboxParts): Promise<InboxItem[]> {
  return (await usage.budgets()).flatMap((budget) => describeBudget(budget) ?? []).slice(0, maxItems);
}

function nameOf(agents: InboxParts['agents'], id: string | null): string {
  return id === null ? 'An agent' : (agents.find(id)?.name ?? id);
}
