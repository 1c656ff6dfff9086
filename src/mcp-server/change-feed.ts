import type { AgentRegistry } from '../agents/agent-registry.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { TeamStore } from '../team/team-store.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { McpView } from './view.ts';

/** What changed since the last turn of the event loop, for the whole hub. */
interface Changes {
  tools: boolean;
  /** Of the team: what a member may call may be another. */
  members: boolean;
  resources: boolean;
  /** Ids of changed or removed agents: each is a prompt. */
  agents: Set<string>;
  uris: Set<string>;
}

/** The same through the eyes of one view. */
export interface ViewChanges {
  tools: boolean;
  prompts: boolean;
  resources: boolean;
  uris: ReadonlySet<string>;
}

type Subscriber = { view: McpView; listener: (changes: ViewChanges) => void };

export interface ChangingParts {
  readonly agents: AgentRegistry;
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly store: { readonly team: Pick<TeamStore, 'watch'> };
}

/** Gathers the hub's changes within one turn, so that a burst of edits is one notification. */
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
    const { agents, tools, resources, store } = this.#parts;
    const stops = [
      tools.changes.on(() => {
        this.#gather().tools = true;
      }),
      agents.changes.on(({ changed, removed }) => {
        for (const id of [...changed, ...removed]) this.#gather().agents.add(id);
      }),
      // Not the team's own news: to hear them, the whole team would be loaded.
      store.team.watch((concerns) => {
        if (concerns.includes('members')) this.#gather().members = true;
      }),
      resources.changes.on(({ uris, listChanged }) => {
        const gathered = this.#gather();
        if (listChanged) gathered.resources = true;
        for (const uri of uris) gathered.uris.add(uri);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
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
  // What an agent that is a server offers is written in the agent alone.
  if (view.hasOnlyTools) {
    const isSaved = typeof view.agentId === 'string' && agents.has(view.agentId);
    return { tools: isSaved, prompts: false, resources: false, uris: none };
  }
  const tools = changes.tools || (changes.members && view.memberId !== undefined);
  if (view.agentId === undefined) return { tools, prompts: agents.size > 0, resources, uris };
  const isOwn = view.agentId !== null && agents.has(view.agentId);
  const ownUris = new Set([...uris].filter((uri) => view.hasResource(uri)));
  // An edit of the agent may change its scope, and with it the tools of this view.
  return { tools: tools || isOwn, prompts: isOwn, resources: resources && (isOwn || ownUris.size > 0), uris: ownUris };
}
