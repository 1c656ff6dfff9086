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

/** Told as the store has them. Agents, servers and documents are told by those who keep them in memory, once they have read them. */
const storedTopics = ['brain', 'chats', 'mail', 'members', 'work'] as const satisfies readonly Topic[];

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
      watch: (tell) =>
        store.changes.on(({ topic, ids }) => {
          const told = storedTopics.find((each) => each === topic);
          if (told) tell({ topic: told, ids });
        }),
    },
    {
      topics: ['agents', 'problems'],
      watch: (tell) =>
        agents.changes.on(({ changed, removed }) => {
          const ids = [...changed, ...removed];
          if (ids.length > 0) tell({ topic: 'agents', ids });
          tell({ topic: 'problems', ids: [] });
        }),
    },
    { topics: ['tools'], watch: (tell) => tools.changes.on(() => tell({ topic: 'tools', ids: [] })) },
    {
      topics: ['resources'],
      watch: (tell) =>
        resources.changes.on(({ uris, listChanged }) => {
          if (uris.length > 0) tell({ topic: 'resources', ids: uris });
          if (listChanged) tell({ topic: 'resources', ids: [] });
        }),
    },
    {
      topics: ['knowledge', 'sources'],
      watch: (tell) =>
        knowledge.events.on((event) => {
          if (event.type === 'changed') tell({ topic: 'knowledge', ids: [] });
          else if (event.type !== 'progress' && !(event.type === 'embedding' && !event.done))
            tell({ topic: 'sources', ids: [] });
        }),
    },
    {
      topics: ['servers', 'server-logs'],
      watch: (tell) =>
        servers.changes.on(({ server, isLogOnly }) =>
          tell({ topic: isLogOnly ? 'server-logs' : 'servers', ids: server === null ? [] : [server] }),
        ),
    },
    {
      topics: ['decisions'],
      watch: (tell) => store.decisions.watch(() => tell({ topic: 'decisions', ids: [] })),
    },
  ] satisfies ConstructorParameters<typeof ChangeChannel>[0];
  return new ChangeChannel(sources, (error) => logger.error({ err: error }, 'a listener of changes failed'));
}
