import type { InvalidateQueryFilters, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Change, Topic } from '../../src/base/changes.ts';
import { seenPrefix } from '../../src/settings/settings.ts';
import { accessKeys } from './access-queries.ts';
import { chatKeys } from './chat-queries.ts';
import { inboxKeys } from './inbox-queries.ts';
import { providerKeys } from './provider-queries.ts';
import { keys } from './queries.ts';
import { refetchChanged } from './refetch-changed.ts';
import { serverKeys } from './server-queries.ts';
import { settingsKeys } from './settings-queries.ts';

type Stale = QueryKey | InvalidateQueryFilters;

interface Rule {
  /** The minimum interval between refetches; the first one is immediate. */
  everyMs: number;
  /** Refetched on every change. */
  all?: readonly Stale[];
  /** Refetched for each changed id. */
  each?: (id: string) => readonly Stale[];
  /** Replaces `each` when the ids are unknown. */
  any?: readonly Stale[];
  /** Skips the rule if this is true of the ids. */
  unless?: (ids: readonly string[]) => boolean;
}

const models: readonly Stale[] = [providerKeys.list, providerKeys.defaultModel, providerKeys.embeddings];

function areAllSeen(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => key.startsWith(seenPrefix));
}

/** What to refetch when a topic changes. */
const rules: Record<Topic, readonly Rule[]> = {
  agents: [
    // A tool lists the agents that have it in scope.
    { everyMs: 200, all: [keys.agents, keys.tools, keys.workspaces] },
    {
      everyMs: 200,
      each: (id) => [keys.agentDetail(id), keys.compiled(id), { queryKey: keys.versions(id), exact: true }],
    },
  ],
  brain: [
    {
      everyMs: 200,
      each: (id) => [keys.brain(id)],
      any: [{ predicate: ({ queryKey: [first, , third] }) => first === 'agent' && third === 'brain' }],
    },
  ],
  clients: [],
  // A config that was refused in the inbox.
  inbox: [{ everyMs: 300, all: [settingsKeys.folders] }],
  chats: [
    {
      everyMs: 500,
      // Not the contexts: they are expensive, and only switching the agent or model changes them.
      all: [chatKeys.lists, { queryKey: chatKeys.ones, predicate: ({ queryKey }) => queryKey.length === 3 }],
    },
    { everyMs: 500, each: (id) => [chatKeys.approvals(id)] },
  ],
  decisions: [
    { everyMs: 400, all: [['decisions']] },
    // A call updates its member's last activity and its server's counts.
    { everyMs: 3_000, all: [['members'], serverKeys.ones] },
  ],
  keys: [{ everyMs: 400, all: [accessKeys.keys, accessKeys.sessions] }],
  knowledge: [{ everyMs: 700, all: [keys.knowledge] }],
  mail: [{ everyMs: 400, all: [['mail'], ['team-deliveries']] }],
  members: [{ everyMs: 400, all: [['members'], ['team-health']] }],
  // A changed config file is announced as a problem that may be new or gone.
  problems: [{ everyMs: 200, all: [keys.status, settingsKeys.all, ...models] }],
  resources: [],
  'server-logs': [{ everyMs: 700, each: (name) => [serverKeys.log(name)] }],
  servers: [
    { everyMs: 300, all: [serverKeys.list] },
    { everyMs: 300, each: (name) => [serverKeys.one(name)], any: [serverKeys.ones] },
    { everyMs: 700, each: (name) => [serverKeys.log(name)] },
  ],
  settings: [
    // Also when a model was used, which happens every minute and changes nothing else.
    { everyMs: 300, all: [providerKeys.list, providerKeys.embeddings] },
    {
      everyMs: 300,
      all: [providerKeys.defaultModel, settingsKeys.all, ['team-permissions']],
      unless: areAllSeen,
    },
  ],
  sources: [
    { everyMs: 100, all: [keys.knowledgeOverview] },
    { everyMs: 700, all: [keys.knowledge] },
  ],
  tools: [{ everyMs: 200, all: [keys.tools, keys.status] }],
  // Moving a task also changes its member and its epic's progress.
  work: [{ everyMs: 400, all: [['tasks'], ['epics'], ['members'], ['team-health']] }],
};

/** What changes the inbox. All of them together refetch it twice a second at most. */
const inboxTopics: ReadonlySet<Topic> = new Set([
  'chats',
  'inbox',
  'mail',
  // A member that fails or leaves no longer reviews.
  'members',
  'problems',
  'servers',
  // Budgets.
  'settings',
  'sources',
  'work',
]);
const firstStepTopics: ReadonlySet<Topic> = new Set(['agents', 'chats', 'clients', 'inbox', 'settings', 'sources']);

/** Refetches visible data that another page, a member or another process changed. */
export function createRefetcher(client: QueryClient): {
  apply: (change: Change) => void;
  applyToInbox: (change: Change) => void;
  close: () => void;
} {
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const waiting = new Set<string>();

  function refetch(name: string, stale: readonly Stale[], everyMs: number): void {
    if (timers.has(name)) {
      waiting.add(name);
      return;
    }
    for (const each of stale) refetchChanged(client, isKey(each) ? { queryKey: each } : each);
    const onTime = () => {
      timers.delete(name);
      if (waiting.delete(name)) refetch(name, stale, everyMs);
    };
    timers.set(name, setTimeout(onTime, everyMs));
  }

  const applyToInbox = ({ topic, ids }: Change) => {
    if (topic === 'settings' && areAllSeen(ids)) return;
    if (inboxTopics.has(topic)) refetch('inbox', [inboxKeys.items], 500);
  };
  return {
    applyToInbox,
    apply: (change) => {
      const { topic, ids } = change;
      // A hub updated after this page loaded may send unknown topics.
      const known: readonly Rule[] | undefined = rules[topic];
      applyToInbox(change);
      if (firstStepTopics.has(topic)) refetch('first-steps', [inboxKeys.firstSteps], 500);
      for (const [index, { everyMs, all, each, any, unless }] of (known ?? []).entries()) {
        if (unless?.(ids)) continue;
        const name = `${topic} ${index}`;
        if (all) refetch(name, all, everyMs);
        if (each) for (const id of ids) refetch(`${name} ${id}`, each(id), everyMs);
        if (any && ids.length === 0) refetch(name, any, everyMs);
      }
    },
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}

function isKey(stale: Stale): stale is QueryKey {
  return Array.isArray(stale);
}
