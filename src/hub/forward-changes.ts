import { agentsUri, agentUri, brainUri } from '../agents/agent-resources.ts';
import type { Hub } from '../hub.ts';
import { documentsUri } from '../knowledge/knowledge-resources.ts';

/** A sync changes documents many times a second; clients that list them hear of it now and then. */
const documentsEveryMs = 2_000;

/** A changed agent, brain or document is a changed resource. */
export function forwardChanges(parts: Pick<Hub, 'agents' | 'brain' | 'knowledge' | 'resources'>): () => void {
  const { changes } = parts.resources;
  let waiting: NodeJS.Timeout | undefined;
  const stops = [
    parts.agents.changes.on(({ changed, removed }) => {
      const ids = [...changed, ...removed];
      if (ids.length > 0) changes.emit({ uris: [agentsUri, ...ids.map(agentUri)], listChanged: true });
    }),
    parts.brain.watch((ids) => changes.emit({ uris: ids.map(brainUri), listChanged: false })),
    parts.knowledge.events.on(({ type }) => {
      if (type !== 'changed' && type !== 'sources') return;
      waiting ??= setTimeout(() => {
        waiting = undefined;
        changes.emit({ uris: [documentsUri, `${documentsUri}/`], listChanged: true });
      }, documentsEveryMs).unref();
    }),
  ];
  return () => {
    clearTimeout(waiting);
    for (const stop of stops) stop();
  };
}
