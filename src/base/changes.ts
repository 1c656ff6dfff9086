import { EventChannel, type Listener } from './events.ts';

/** What can change in a hub. */
export type Topic =
  | 'agents'
  | 'brain'
  | 'chats'
  /** MCP clients that have connected. */
  | 'clients'
  | 'decisions'
  /** Failures, and what the user has dismissed. Everything else in the inbox has a topic of its own. */
  | 'inbox'
  /** Keys of clients and signed-in browsers. */
  | 'keys'
  | 'knowledge'
  | 'mail'
  | 'members'
  /** Problems that the user should fix. */
  | 'problems'
  | 'resources'
  /** Log lines of external servers. */
  | 'server-logs'
  | 'servers'
  /** Settings made in the app. */
  | 'settings'
  /** Document sources and the results of their syncs. */
  | 'sources'
  | 'tools'
  | 'work';

export interface Change {
  topic: Topic;
  /** The ids of the changed agents (also for brains) or servers, or the addresses of resources. Empty if any of them may have changed. */
  ids: readonly string[];
}

/** Reports every change, whether this process or another one made it. */
export interface Changes {
  on(topics: readonly Topic[], listener: Listener<Change>): () => void;
}

export interface ChangeSource {
  topics: readonly Topic[];
  watch(onChange: (change: Change) => void): () => void;
}

/** Watches a source only while someone listens to one of its topics. */
export class ChangeChannel implements Changes {
  readonly #sources: readonly ChangeSource[];
  readonly #channel: EventChannel<Change>;
  readonly #subscriptions = new Set<readonly Topic[]>();
  readonly #stops = new Map<ChangeSource, () => void>();

  constructor(sources: readonly ChangeSource[], onError: (error: unknown) => void) {
    this.#sources = sources;
    this.#channel = new EventChannel(onError);
  }

  on(topics: readonly Topic[], listener: Listener<Change>): () => void {
    const subscription = [...topics];
    const stop = this.#channel.on((change) => {
      if (subscription.includes(change.topic)) listener(change);
    });
    this.#subscriptions.add(subscription);
    this.#follow();
    return () => {
      stop();
      this.#subscriptions.delete(subscription);
      this.#follow();
    };
  }

  close(): void {
    this.#subscriptions.clear();
    this.#follow();
  }

  #follow(): void {
    const wantedTopics = new Set([...this.#subscriptions].flat());
    for (const source of this.#sources) {
      const stop = this.#stops.get(source);
      const isWanted = source.topics.some((topic) => wantedTopics.has(topic));
      if (isWanted && !stop)
        this.#stops.set(
          source,
          source.watch((change) => this.#channel.emit(change)),
        );
      if (isWanted || !stop) continue;
      stop();
      this.#stops.delete(source);
    }
  }
}
