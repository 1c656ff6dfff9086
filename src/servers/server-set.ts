import { EventChannel } from '../base/events.ts';
import { HubError } from '../base/hub-error.ts';
import { canonicalJson } from '../base/json.ts';
import type { SourceProblem, SourceSnapshot } from '../base/source.ts';
import type { Tool } from '../tools/tool.ts';
import type { TakenName, ToolRegistry, ToolSource } from '../tools/tool-registry.ts';
import { type ConfiguredServers, readSpecs, type ServerConfig, type ServerSpec } from './server-specs.ts';
import type { StoredServer } from './server-store.ts';
import type { ToolDraft } from './server-tools.ts';
import type { ServerInfo, ServersChange } from './servers.ts';
import { HubServer } from './supervise/hub-server.ts';
import type { HubServerParts } from './supervise/hub-server-parts.ts';
import { findCloseNames, type OwnedName, rankTools } from './tool-names.ts';

export interface ServerSetOptions extends Omit<HubServerParts, 'onChange'> {
  registry: ToolRegistry;
  configured: ServerConfig;
}

/** Log lines come in bursts, so listeners hear of them at most once per interval. */
const logEventIntervalMs = 200;

/** Every external server of config and store, each independent of the others, and their tools in the one registry. */
export class ServerSet {
  readonly #options: ServerSetOptions;
  readonly #servers = new Map<string, HubServer>();
  readonly #source: ToolSource;
  readonly #published = new WeakMap<HubServer, ToolDraft[]>();
  readonly #closing = new AbortController();
  readonly #endings = new Set<Promise<unknown>>();
  readonly #announcedLog = new Set<HubServer>();
  readonly changes: EventChannel<ServersChange>;
  #stops: (() => void)[];
  #lastRead: string | undefined;
  #problems: SourceProblem[] = [];
  #storeProblem: SourceProblem | undefined;
  #snapshot: SourceSnapshot<Tool> | undefined;
  #onNewTools: () => void = () => {};
  #refreshing: Promise<void> | undefined;
  #nextRefresh: Promise<void> | undefined;
  #closeNames: ((name: OwnedName) => OwnedName[]) | undefined;

  constructor(options: ServerSetOptions) {
    const { logger, store, configured, registry } = options;
    this.#options = options;
    this.changes = new EventChannel((error) => logger.error({ err: error }, 'a listener for server changes failed'));
    const reload = () => {
      this.refresh().catch((error: unknown) => logger.warn({ err: error }, 'the external servers could not be read'));
    };
    this.#source = {
      snapshot: () => this.#tools(),
      watch: (onChange) => {
        this.#onNewTools = onChange;
        return () => {
          this.#onNewTools = () => {};
        };
      },
      whyAbsent: (name) => this.#whyAbsent(name),
      describeTaken: (taken) => this.#describeTaken(taken),
    };
    this.#stops = [
      store.watch(reload),
      configured.watch(reload),
      // A tool name may have a new owner, which changes what is shown of a server.
      registry.problemChanges.on(() => this.changes.emit({ server: null, isLogOnly: false })),
      () => registry.remove(this.#source),
    ];
    void registry.add(this.#source);
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Throws NOT_FOUND that lists the available servers. */
  get(name: string): HubServer {
    const server = this.#servers.get(name);
    if (server) return server;
    const names = [...this.#servers.keys()].sort().slice(0, 20).join(', ');
    throw new HubError('NOT_FOUND', `There is no server "${name.slice(0, 80)}". Available: ${names || 'none'}.`);
  }

  find(name: string): HubServer | undefined {
    return this.#servers.get(name);
  }

  list(): ServerInfo[] {
    const servers = [...this.#servers.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    return servers.map((server) => this.info(server));
  }

  info(server: HubServer): ServerInfo {
    this.#closeNames ??= findCloseNames(
      [...this.#servers.values()].flatMap(({ name, drafts }) =>
        drafts
          .filter(({ status }) => status !== 'filtered')
          .map(({ remoteName }) => ({ server: name, tool: remoteName })),
      ),
    );
    const close = this.#closeNames;
    return server.info((tool) => close({ server: server.name, tool }), this.#taken(server));
  }

  /** Maps this server's tools (by remote name) whose local names are taken to the origin of the tool that has the name. */
  #taken(server: HubServer): Map<string, string> {
    const taken = this.#options.registry.taken(this.#source).filter(({ tool }) => tool.server?.name === server.name);
    return new Map(taken.map(({ tool, holder }) => [tool.server?.remoteName ?? '', holder.origin]));
  }

  #describeTaken(taken: readonly TakenName[]): SourceProblem[] {
    const byServer = Map.groupBy(taken, ({ tool }) => tool.server?.name ?? '');
    return [...byServer].flatMap(([name, [first, ...others]]) => {
      const definedIn = this.#servers.get(name)?.spec.definedIn ?? '';
      return first ? [{ place: definedIn, message: conflictMessage(name, first, others.length) }] : [];
    });
  }

  #whyAbsent(tool: string): HubError | undefined {
    for (const server of this.#servers.values()) {
      const why = server.whyAbsent(tool);
      if (why) return why;
    }
    return undefined;
  }

  /** Callers that come while a refresh is running share the next one, which sees their changes. */
  refresh(): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    this.#nextRefresh ??= (this.#refreshing ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#refreshing = this.#nextRefresh;
        this.#nextRefresh = undefined;
        return this.#reload();
      });
    return this.#nextRefresh;
  }

  /** Connects the servers that have never listed their tools, except those that failed or that the user disconnected. */
  async discover(signal?: AbortSignal): Promise<void> {
    const undiscovered = [...this.#servers.values()].filter((server) => server.isUndiscovered);
    if (undiscovered.length === 0 || signal?.aborted) return;
    const aborted = Promise.withResolvers<void>();
    const stop = () => aborted.resolve();
    signal?.addEventListener('abort', stop, { once: true });
    await Promise.race([Promise.all(undiscovered.map((server) => this.#discoverOne(server))), aborted.promise]);
    signal?.removeEventListener('abort', stop);
  }

  async #discoverOne(server: HubServer): Promise<void> {
    try {
      await server.link.connectNow();
    } catch {
      const { state, name } = server;
      if (state.kind !== 'failed' && state.kind !== 'sign-in') return;
      this.#options.logger.warn({ server: name }, `The tools of server "${name}" are not known yet: ${state.reason}`);
    }
  }

  #tools(): SourceSnapshot<Tool> {
    if (this.#snapshot) return this.#snapshot;
    const servers = [...this.#servers.values()];
    const unusable = servers.flatMap(({ name, spec, drafts }) =>
      drafts
        .filter(({ status, setting }) => status === 'unusable' && setting.enabled)
        .map(({ remoteName, note }) => ({
          place: spec.definedIn,
          message: `The tool "${remoteName.slice(0, 80)}" of server "${name}" is left out. ${note}`,
        })),
    );
    this.#snapshot = {
      entries: rankTools(servers.flatMap((server) => server.tools())),
      problems: [...this.#problems, ...(this.#storeProblem ? [this.#storeProblem] : []), ...unusable],
    };
    return this.#snapshot;
  }

  #newTools(): void {
    this.#snapshot = undefined;
    this.#closeNames = undefined;
    this.#onNewTools();
  }

  /** Updates the server's tools in the registry and emits a change. */
  show(server: HubServer): void {
    if (this.#servers.get(server.name) !== server) return;
    if (this.#published.get(server) !== server.drafts) {
      this.#published.set(server, server.drafts);
      this.#newTools();
    }
    this.changes.emit({ server: server.name, isLogOnly: false });
  }

  /** Closes the server and removes its tools. */
  async drop(server: HubServer): Promise<void> {
    this.#servers.delete(server.name);
    // Makes the next refresh apply what it reads, even if config and store did not change.
    this.#lastRead = undefined;
    this.#newTools();
    await this.#trackEnding(server.close());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const server of this.#servers.values()) server.end();
    for (const stop of this.#stops.splice(0)) stop();
    await Promise.all([this.#refreshing, this.#nextRefresh].map((each) => each?.catch(() => {})));
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await Promise.all(this.#endings);
  }

  async #reload(): Promise<void> {
    const [configured, stored] = await Promise.all([this.#options.configured.current(), this.#stored()]);
    const read = JSON.stringify([configured, stored, this.#storeProblem]);
    if (this.#closing.signal.aborted) return;
    const added = read === this.#lastRead ? [] : this.#apply(configured, stored);
    this.#lastRead = read;
    await Promise.all([...this.#servers.values()].map((server) => server.reread()));
    for (const server of added) if (this.#shouldStart(server)) server.link.start();
  }

  /** If the vault cannot be opened, the servers of the config must still work. */
  async #stored(): Promise<readonly StoredServer[]> {
    try {
      const stored = await this.#options.store.servers();
      this.#storeProblem = undefined;
      return stored;
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      this.#storeProblem = { place: 'the store', message: error.message };
      return [];
    }
  }

  /** Returns the servers that are new or enabled again. */
  #apply(configured: ConfiguredServers, stored: readonly StoredServer[]): HubServer[] {
    const { specs, problems } = readSpecs(configured, stored);
    this.#problems = problems;
    const names = new Set(specs.map(({ name }) => name));
    for (const server of [...this.#servers.values()]) {
      if (names.has(server.name)) continue;
      // Does not wait for a server that closes slowly.
      void this.drop(server);
    }
    const added = specs.flatMap((spec) => this.#applySpec(spec));
    this.#newTools();
    this.changes.emit({ server: null, isLogOnly: false });
    return added;
  }

  #applySpec(spec: ServerSpec): HubServer[] {
    const known = this.#servers.get(spec.name);
    if (!known) {
      const server: HubServer = new HubServer(
        { ...this.#options, onChange: (isLogOnly) => this.#changed(server, isLogOnly) },
        spec,
      );
      this.#servers.set(spec.name, server);
      return [server];
    }
    const before = known.spec;
    if (canonicalJson(before) === canonicalJson(spec)) return [];
    known.spec = spec;
    if (spec.definition.enabled && !before.definition.enabled) known.setPaused(false);
    known.describe();
    this.show(known);
    if (!spec.definition.enabled) void this.#trackEnding(known.disconnect());
    else if (!before.definition.enabled) return [known];
    else if (connectionKey(before) !== connectionKey(spec)) void this.#trackEnding(known.restart());
    return [];
  }

  #shouldStart({ spec: { definition }, memory }: HubServer): boolean {
    if (!this.#options.canStartAtBoot || !definition.enabled) return false;
    return definition.start === 'boot' || memory.listedAt === null;
  }

  #changed(server: HubServer, isLogOnly: boolean): void {
    if (!isLogOnly) {
      this.show(server);
      return;
    }
    if (this.#announcedLog.has(server)) return;
    this.#announcedLog.add(server);
    this.#options.clock.sleep(logEventIntervalMs, this.#closing.signal).then(
      () => {
        this.#announcedLog.delete(server);
        this.changes.emit({ server: server.name, isLogOnly: true });
      },
      () => {},
    );
  }

  /** Makes `close` wait for this work. */
  #trackEnding(work: Promise<unknown>): Promise<unknown> {
    const ending = work.catch((error) =>
      this.#options.logger.warn({ err: error }, 'a server did not shut down cleanly'),
    );
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
    return ending;
  }
}

/** The fields that a connection depends on. The others can change while it is open. */
function connectionKey({ definition, variables }: ServerSpec): string {
  const { prefix, include, exclude, trust, trustHints, start, approve, enabled, ...link } = definition;
  return canonicalJson([link, variables ?? null]);
}

function conflictMessage(server: string, { tool, holder }: TakenName, others: number): string {
  const more = others === 0 ? '' : ` (and ${others} more of its tools for the same reason)`;
  return `The tool "${tool.server?.remoteName}" of server "${server}" is left out${more}: a tool from ${holder.origin} already has its name. Give one of them another name or prefix.`;
}
