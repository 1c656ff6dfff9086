import type { AgentRegistry } from '../agents/agent-registry.ts';
import { agentsUri, agentUri, brainUri } from '../agents/agent-resources.ts';
import type { Change, Changes as HubChanges } from '../base/changes.ts';
import { documentsUri } from '../knowledge/knowledge-resources.ts';
import { decide } from '../tools/permissions.ts';
import type { Tool } from '../tools/tool.ts';
import { describeTool } from './methods/describe-tool.ts';
import type { McpView } from './view.ts';

/** The changes of the whole hub since the last turn of the event loop. */
interface Changes {
  tools: boolean;
  /** Members have changed, so the tools that a member may call may have changed, too. */
  members: boolean;
  documents: boolean;
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
  /** The tools that each view with subscribers has shown last. */
  readonly #shown = new Map<McpView, Promise<readonly Tool[]>>();
  #gathered: Changes | undefined;
  #stop: (() => void) | undefined;

  constructor(parts: ChangingParts) {
    this.#parts = parts;
  }

  on(view: McpView, listener: (changes: ViewChanges) => void): () => void {
    const subscriber = { view, listener };
    this.#subscribers.add(subscriber);
    this.#stop ??= this.#listen();
    if (!view.hasOnlyTools && !this.#shown.has(view)) this.#shown.set(view, shownBy(view));
    return () => {
      this.#subscribers.delete(subscriber);
      if (![...this.#subscribers].some((each) => each.view === view)) this.#shown.delete(view);
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
        gathered.documents = true;
        gathered.resources = true;
        return;
      case 'resources':
        changeResources(ids);
        if (ids.length === 0) gathered.resources = true;
    }
  }

  #gather(): Changes {
    if (!this.#gathered) {
      const none = { tools: false, members: false, documents: false, resources: false };
      this.#gathered = { ...none, agents: new Set(), uris: new Set() };
      setImmediate(() => this.#publish());
    }
    return this.#gathered;
  }

  #publish(): void {
    const changes = this.#gathered;
    this.#gathered = undefined;
    if (!changes) return;
    const known = new Map<McpView, Promise<ViewChanges>>();
    for (const subscriber of [...this.#subscribers]) {
      const { view, listener } = subscriber;
      const seen = known.get(view) ?? this.#seenBy(view, changes);
      known.set(view, seen);
      void seen.then((visible) => this.#subscribers.has(subscriber) && listener(visible));
    }
  }

  /** Returns what changed within the view. Other changes cause no notification. */
  async #seenBy(view: McpView, changes: Changes): Promise<ViewChanges> {
    const { agentId } = view;
    if (view.hasOnlyTools) return seenByServer(view, changes);
    const tools = await this.#haveToolsChanged(view, changes);
    if (agentId === undefined) {
      const { agents, resources, uris } = changes;
      return { tools, prompts: agents.size > 0, resources, uris };
    }
    const isAgentChanged = view.agentId !== agentId || (typeof agentId === 'string' && changes.agents.has(agentId));
    return {
      tools,
      prompts: isAgentChanged,
      resources: isAgentChanged || (changes.documents && view.hasDocuments),
      uris: new Set([...changes.uris].filter((uri) => view.hasResource(uri))),
    };
  }

  async #haveToolsChanged(view: McpView, { tools, agents, members }: Changes): Promise<boolean> {
    const isScopeChanged = view.agentId !== undefined && agents.size > 0;
    if (!tools && !isScopeChanged && !(members && view.memberId !== undefined)) return false;
    const before = this.#shown.get(view) ?? [];
    const now = shownBy(view);
    this.#shown.set(view, now);
    return !isSameList(await before, await now);
  }
}

/** Returns the tools that the view shows now, sorted by name. Resolves to none if its agent or member cannot be read. */
async function shownBy(view: McpView): Promise<readonly Tool[]> {
  // Taken before waiting, so that later changes are noticed.
  const all = view.registry.list();
  try {
    const caller = await view.watcher();
    return all
      .filter((tool) => !tool.isHidden && decide(caller, tool).allowed)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch {
    return [];
  }
}

function isSameList(one: readonly Tool[], other: readonly Tool[]): boolean {
  return one.length === other.length && one.every((tool, index) => isSameTool(tool, other[index]));
}

/** Compares what clients see, because a source may recreate its tools unchanged. */
function isSameTool(one: Tool, other: Tool | undefined): boolean {
  if (one === other || !other) return one === other;
  return JSON.stringify(describeTool(one, 'session')) === JSON.stringify(describeTool(other, 'session'));
}

const none: ReadonlySet<string> = new Set();

/** The tools of an agent server depend only on the agent. */
function seenByServer(view: McpView, { agents }: Changes): ViewChanges {
  const isSaved = typeof view.agentId === 'string' && agents.has(view.agentId);
  return { tools: isSaved, prompts: false, resources: false, uris: none };
}
