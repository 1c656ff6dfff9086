import type { AgentRegistry } from '../agents/agent-registry.ts';
import { ChangeChannel, type Topic } from '../base/changes.ts';
import type { EventChannel } from '../base/events.ts';
import type { Logger } from '../base/logger.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServersChange } from '../servers/servers.ts';
import type { Store } from '../store/store.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';

interface ChangingParts {
  agents: Pick<AgentRegistry, 'changes'>;
  tools: Pick<ToolRegistry, 'changes'>;
  resources: Pick<ResourceRegistry, 'changes'>;
  knowledge: Pick<Knowledge, 'events'>;
  servers: { changes: EventChannel<ServersChange> };
  store: Pick<Store, 'changes' | 'decisions'>;
  logger: Logger;
}

/** Topics that are reported straight from the store. Agents, servers and documents are reported by the parts that cache them, once they have reread them. */
const storedTopics = [
  'brain',
  'chats',
  'clients',
  'inbox',
  'keys',
  'mail',
  'members',
  'settings',
  'work',
] as const satisfies readonly Topic[];

/** Joins the changes of all parts into one channel. */
export function hubChanges({
  agents,
  tools,
  resources,
  knowledge,
  servers,
  store,
  logger,
}: ChangingParts): ChangeChannel {
  const sources = [
    {
      topics: storedTopics,
      watch: (emit) =>
        store.changes.on(({ topic, ids }) => {
          const stored = storedTopics.find((each) => each === topic);
          if (stored) emit({ topic: stored, ids });
        }),
    },
    {
      topics: ['agents', 'problems'],
      watch: (emit) =>
        agents.changes.on(({ changed, removed }) => {
          const ids = [...changed, ...removed];
          if (ids.length > 0) emit({ topic: 'agents', ids });
          emit({ topic: 'problems', ids: [] });
        }),
    },
    { topics: ['tools'], watch: (emit) => tools.changes.on(() => emit({ topic: 'tools', ids: [] })) },
    {
      topics: ['resources'],
      watch: (emit) =>
        resources.changes.on(({ uris, listChanged }) => {
          if (uris.length > 0) emit({ topic: 'resources', ids: uris });
          if (listChanged) emit({ topic: 'resources', ids: [] });
        }),
    },
    {
      topics: ['knowledge', 'sources'],
      watch: (emit) =>
        knowledge.events.on((event) => {
          if (event.type === 'changed') emit({ topic: 'knowledge', ids: [] });
          else if (event.type !== 'progress' && !(event.type === 'embedding' && !event.done))
            emit({ topic: 'sources', ids: [] });
        }),
    },
    {
      topics: ['servers', 'server-logs'],
      watch: (emit) =>
        servers.changes.on(({ server, isLogOnly }) =>
          emit({ topic: isLogOnly ? 'server-logs' : 'servers', ids: server === null ? [] : [server] }),
        ),
    },
    {
      topics: ['decisions'],
      watch: (emit) => store.decisions.watch(() => emit({ topic: 'decisions', ids: [] })),
    },
  ] satisfies ConstructorParameters<typeof ChangeChannel>[0];
  return new ChangeChannel(sources, (error) => logger.error({ err: error }, 'a listener of changes failed'));
}
