import type { AgentRegistry } from '../agents/agent-registry.ts';
import { agentsUri, agentUri, brainUri } from '../agents/agent-resources.ts';
import type { Change, Changes as HubChanges } from '../base/changes.ts';
import { documentsUri } from '../knowledge/knowledge-resources.ts';
import type { McpView } from './view.ts';

/** The changes of the whole hub since the last turn of the event loop. */
interface Changes {
  tools: boolean;
  /** Members have changed, so the tools that a member may call may have changed, too. */
  members: boolean;
  resources: boolean;
  /** The ids of changed and removed agents. Each agent is also a prompt. */
  agents: Set<string>;
  uris: Set<string>;
}

/** The changes that one view can see. */
export interface ViewChanges {
  tools: boolean;
  prompts: boolean;
  resources: boolean;
  uris: ReadonlySet<string>;
}

type Subscriber = { view: McpView; listener: (changes: ViewChanges) => void };

export interface ChangingParts {
  readonly agents: AgentRegistry;
  readonly changes: HubChanges;
}

const watchedTopics = ['agents', 'brain', 'knowledge', 'members', 'resources', 'sources', 'tools'] as const;
/** A sync changes documents many times a second; clients are notified at most this often. */
const documentsEveryMs = 2_000;

/** Collects the hub's changes within one turn of the event loop, so that a burst of edits causes one notification. */
export class ChangeFeed {
  readonly #parts: ChangingParts;
  readonly #subscribers = new Set<Subscriber>();
  #gathered: Changes | undefined;
  #stop: (() => void) | undefined;

  constructor(parts: ChangingParts) {
    this.#parts = parts;
  }

  on(view: McpView, listener: (changes: ViewChanges) => void): () => void {
    const subscriber = { view, listener };
    this.#subscribers.add(subscriber);
    this.#stop ??= this.#listen();
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  #listen(): () => void {
    let waiting: NodeJS.Timeout | undefined;
    const stop = this.#parts.changes.on(watchedTopics, (change) => {
      if (change.topic !== 'knowledge' && change.topic !== 'sources') return this.#add(change);
      waiting ??= setTimeout(() => {
        waiting = undefined;
        this.#add(change);
      }, documentsEveryMs).unref();
    });
    return () => {
      clearTimeout(waiting);
      stop();
    };
  }

  #add({ topic, ids }: Change): void {
    const gathered = this.#gather();
    const changeResources = (uris: readonly string[]) => {
      for (const uri of uris) gathered.uris.add(uri);
    };
    switch (topic) {
      case 'tools':
      case 'members':
        gathered[topic] = true;
        return;
      case 'agents':
        for (const id of ids) gathered.agents.add(id);
        changeResources([agentsUri, ...ids.map(agentUri)]);
        gathered.resources = true;
        return;
      case 'brain':
        changeResources((ids.length > 0 ? ids : this.#parts.agents.list().map(({ id }) => id)).map(brainUri));
        return;
      case 'knowledge':
      case 'sources':
        changeResources([documentsUri, `${documentsUri}/`]);
        gathered.resources = true;
        return;
      case 'resources':
        changeResources(ids);
        if (ids.length === 0) gathered.resources = true;
    }
  }

  #gather(): Changes {
    if (!this.#gathered) {
      this.#gathered = { tools: false, members: false, resources: false, agents: new Set(), uris: new Set() };
      setImmediate(() => this.#publish());
    }
    return this.#gathered;
  }

  #publish(): void {
    const changes = this.#gathered;
    this.#gathered = undefined;
    if (!changes) return;
    for (const { view, listener } of [...this.#subscribers]) listener(seenBy(view, changes));
  }
}

const none: ReadonlySet<string> = new Set();

function seenBy(view: McpView, changes: Changes): ViewChanges {
  const { agents, resources, uris } = changes;
  // The tools of an agent server depend only on the agent.
  if (view.hasOnlyTools) {
    const isSaved = typeof view.agentId === 'string' && agents.has(view.agentId);
    return { tools: isSaved, prompts: false, resources: false, uris: none };
  }
  const tools = changes.tools || (changes.members && view.memberId !== undefined);
  if (view.agentId === undefined) return { tools, prompts: agents.size > 0, resources, uris };
  const isAgentChanged = view.agentId !== null && agents.has(view.agentId);
  const visibleUris = new Set([...uris].filter((uri) => view.hasResource(uri)));
  // Editing the agent may change its scope, and with it the tools of this view.
  return {
    tools: tools || isAgentChanged,
    prompts: isAgentChanged,
    resources: resources && (isAgentChanged || visibleUris.size > 0),
    uris: visibleUris,
  };
}
