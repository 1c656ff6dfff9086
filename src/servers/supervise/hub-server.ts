import type { Clock } from '../../base/clock.ts';
import { HubError, toHubError } from '../../base/hub-error.ts';
import type { Logger } from '../../base/logger.ts';
import { createRedact, type Redact } from '../../tools/redact/redact.ts';
import type { Tool } from '../../tools/tool.ts';
import type { Vault } from '../../vault/vault.ts';
import { type CallRemote, externalTool } from '../external-tool.ts';
import { fillDefinition, type LookUp } from '../fill-definition.ts';
import { maskDefinition, secretsOf } from '../mask-secrets.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ServerSpec } from '../server-specs.ts';
import type { ServerMemory, ServerStore } from '../server-store.ts';
import { describeTools, type ToolDraft } from '../server-tools.ts';
import type { ServerInfo, ServerState } from '../servers.ts';
import { serverCredentials } from '../sign-ins.ts';
import { changesNothing, hashTools, judgeList } from '../trust.ts';
import { ClientConnections } from './client-connections.ts';
import type { ConnectServer, CredentialStore, RemoteTool, ServerConnection } from './server-connection.ts';
import { ServerLog } from './server-log.ts';
import { SupervisedConnection } from './supervised-connection.ts';
import { type AbsentFrom, whyAbsent, whyUnlisted } from './why-absent.ts';

export interface HubServerParts {
  store: ServerStore;
  vault: Vault;
  connect: ConnectServer;
  clock: Clock;
  random: () => number;
  logger: Logger;
  redact: Redact;
  /** Takes values that must stand in no log from now on: tools of the server may repeat them. */
  learn?: ((secrets: readonly string[]) => void) | undefined;
  lookUp: LookUp;
  redirectUrl?: string | undefined;
  /** State, tools or, when it is only that, the log. */
  onChange(server: HubServer, isLogOnly: boolean): void;
}

/** Lists that change again and again are read once in so long. */
const betweenListsMs = 1_000;
/** So often at most it is written down that the same list was read again. */
const betweenNotesMs = 60_000;
const noMemory: ServerMemory = { pins: [], held: [], settings: [], listedAt: null };

/** One external server of the hub: its connection, what was accepted of it, and its tools. */
export class HubServer {
  readonly #parts: HubServerParts;
  readonly log = new ServerLog();
  readonly link: SupervisedConnection;
  readonly #connections: ClientConnections;
  spec: ServerSpec;
  memory: ServerMemory = noMemory;
  drafts: ToolDraft[] = [];
  /** A person ended the connection: until it is connected again its tools are not there. */
  #isPaused = false;
  #instructions: string | null = null;
  #running = 0;
  #calls = 0;
  #errors = 0;
  #redact: Redact;
  #callable = new Map<string, string>();
  #made = new Map<string, { key: string; tool: Tool }>();
  #madeFrom: readonly ToolDraft[] | undefined;
  #tools: readonly Tool[] = [];
  #writing: Promise<unknown> = Promise.resolve();
  #isRelisting = false;
  #isChangedAgain = false;
  /** The hashes of what each connection showed last: another process may have been shown something else. */
  readonly #listed = new WeakMap<ServerConnection, ReadonlyMap<string, string>>();
  readonly #ended = new AbortController();

  constructor(parts: HubServerParts, spec: ServerSpec) {
    this.#parts = parts;
    this.spec = spec;
    this.#redact = parts.redact;
    this.link = new SupervisedConnection({
      name: spec.name,
      clock: parts.clock,
      random: parts.random,
      connectTimeoutMs: () => this.spec.definition.connectTimeoutMs,
      isAlwaysWanted: () => this.spec.definition.start === 'boot',
      open: (signal) => this.#open(signal),
      onOpened: (connection, signal) => this.#opened(connection, signal),
      toReason: (error) => this.#redact(error.message),
      onState: () => parts.onChange(this, false),
    });
    this.#connections = new ClientConnections({
      server: spec.name,
      clock: parts.clock,
      link: this.link,
      open: (signal) => this.#open(signal),
      onOpened: (connection, signal) => this.#opened(connection, signal),
      limits: () => this.spec.definition,
    });
  }

  get name(): string {
    return this.spec.name;
  }

  get state(): ServerState {
    return this.spec.definition.enabled ? this.link.state : { kind: 'disabled' };
  }

  /** Nothing of it was ever listed, and nothing speaks against asking it. */
  get isUnknown(): boolean {
    const { kind } = this.state;
    return this.memory.listedAt === null && !this.#isPaused && (kind === 'idle' || kind === 'connecting');
  }

  /** With variables filled. Throws INVALID_CONFIG. */
  filled(): ServerDefinition {
    return fillDefinition(this.name, this.spec.definition, this.#parts.lookUp);
  }

  /** Where the tokens of a sign-in are; undefined for a server that needs none. */
  credentials(definition: ServerDefinition): CredentialStore | undefined {
    if (definition.transport === 'stdio' || (definition.auth && definition.auth.type !== 'oauth')) return undefined;
    return serverCredentials(this.#parts.vault, this.name, definition.url);
  }

  /** What was read from the store. True when the tools may be others. */
  learn(memory: ServerMemory): boolean {
    const isSame = keyOf(memory) === keyOf(this.memory);
    this.memory = isSame ? { ...this.memory, listedAt: memory.listedAt } : memory;
    if (!isSame) this.describe();
    return !isSame;
  }

  describe(): void {
    this.drafts = describeTools({
      server: this.name,
      definition: this.spec.definition,
      memory: this.memory,
      offReason: this.#offReason(),
    });
    const active = this.drafts.filter(({ status }) => status === 'active');
    this.#callable = new Map(active.map((draft) => [draft.remoteName, draft.acceptedHash ?? '']));
  }

  /** Removes or brings back its tools without forgetting anything. */
  setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    this.describe();
  }

  /** What should be in the registry; a tool that is as before is the same object. */
  tools(): readonly Tool[] {
    if (this.#madeFrom === this.drafts) return this.#tools;
    const made = new Map<string, { key: string; tool: Tool }>();
    for (const draft of this.drafts) {
      if (draft.status !== 'active' || !draft.accepted) continue;
      const { remoteName, acceptedHash, localName, setting, requiresApproval } = draft;
      const key = JSON.stringify([acceptedHash, localName, setting, requiresApproval]);
      const before = this.#made.get(remoteName);
      const call = this.#caller(remoteName, acceptedHash ?? '');
      const options = { server: this.name, localName, definition: draft.accepted, setting, requiresApproval, call };
      made.set(remoteName, before?.key === key ? before : { key, tool: externalTool(options) });
    }
    this.#made = made;
    this.#madeFrom = this.drafts;
    this.#tools = [...made.values()].map(({ tool }) => tool);
    return this.#tools;
  }

  /** Ends all it began; nothing is written for it any more. */
  async close(): Promise<void> {
    this.#ended.abort();
    await Promise.all([this.link.close(), this.#connections.close()]);
    await this.#writing;
  }

  /** Looks again at what the store has, in turn with those who change it. */
  reread(): Promise<void> {
    return this.changeMemory(undefined);
  }

  /** With the definition as it is now, if it is wanted at all. */
  async restart(): Promise<void> {
    if (this.link.state.kind === 'idle') return;
    await this.disconnect();
    this.link.start();
  }

  /** Ends all its connections, and resolves when everything they began is gone. */
  async disconnect(): Promise<void> {
    await Promise.all([this.link.disconnect(), this.#connections.close()]);
  }

  /** One at a time, so that no two judge by the same state of things. */
  async changeMemory(change: ((memory: ServerMemory) => Promise<void>) | undefined): Promise<void> {
    const { store } = this.#parts;
    const done = this.#writing.then(async () => {
      if (this.#ended.signal.aborted) return;
      await change?.(await store.memory(this.name));
      if (this.learn(await store.memory(this.name))) this.#parts.onChange(this, false);
    });
    this.#writing = done.catch(() => {});
    return done;
  }

  info(
    closeTo: (remoteName: string) => { server: string; tool: string }[],
    taken: ReadonlyMap<string, string>,
  ): ServerInfo {
    const { name, origin, place, revision, definition } = this.spec;
    return {
      name,
      origin,
      place,
      definition: maskDefinition(definition),
      revision,
      state: this.state,
      tools: this.drafts.map(({ acceptedHash: _, ...draft }) => {
        const holder = taken.get(draft.remoteName);
        const conflict = holder !== undefined && {
          status: 'conflict' as const,
          note: `"${draft.localName}" is the name of a tool from ${holder}. Give this one another name.`,
        };
        return { ...draft, ...conflict, closeTo: closeTo(draft.remoteName) };
      }),
      listedAt: this.memory.listedAt,
      instructions: this.#instructions,
      running: this.#running,
      stats: { calls: this.#calls, errors: this.#errors, reconnects: this.link.reconnects },
    };
  }

  #offReason(): string | null {
    if (!this.spec.definition.enabled) return 'The server is turned off.';
    return this.#isPaused ? 'The server was disconnected. Connect it to have its tools back.' : null;
  }

  #caller(remoteName: string, hash: string): CallRemote {
    return async (input, options) => {
      this.#running += 1;
      this.#calls += 1;
      try {
        this.#refuseUnaccepted(remoteName, hash);
        const { connection, release } = await this.#connections.lend(options.client, options.signal);
        try {
          // Connecting read the list anew; what was accepted may be no longer what the server has.
          this.#refuseUnaccepted(remoteName, hash);
          await this.#refuseOther(connection, { tool: remoteName, hash, signal: options.signal });
          const result = await connection.callTool(remoteName, input, options);
          if (result.isError === true) this.#errors += 1;
          return result;
        } finally {
          release();
        }
      } catch (error) {
        this.#errors += 1;
        if (isSignInNeeded(error)) {
          this.link.needSignIn(error);
          void this.#connections.close();
        }
        // The pipeline repeats what failed unexpectedly and sounds as if it may pass; a call that may have run is never repeated.
        throw toHubError(error);
      } finally {
        this.#running -= 1;
      }
    };
  }

  /** Whoever found a tool before it was taken away must not call it. */
  #refuseUnaccepted(tool: string, hash: string): void {
    if (this.#callable.get(tool) === hash) return;
    const draft = this.drafts.find(({ remoteName }) => remoteName === tool);
    throw (draft && whyAbsent(this.#absentFrom, draft)) ?? this.#changedError(tool);
  }

  /** Why a tool that a caller names is not in the registry; undefined when it is none of this server's. */
  whyAbsent(localName: string): HubError | undefined {
    const draft = this.drafts.find((each) => each.localName === localName);
    if (draft) return whyAbsent(this.#absentFrom, draft);
    const prefix = this.spec.definition.prefix ?? `mcp__${this.name}__`;
    const isItsName = prefix !== '' && localName.length > prefix.length && localName.startsWith(prefix);
    return isItsName && this.memory.listedAt === null ? whyUnlisted(this.#absentFrom) : undefined;
  }

  get #absentFrom(): AbsentFrom {
    const { name: server, origin, place } = this.spec;
    return { server, origin, place, state: this.state, isPaused: this.#isPaused };
  }

  /** Where what was accepted is not what this connection showed, its list is looked at again; a person sees what still differs. */
  async #refuseOther(
    connection: ServerConnection,
    { tool, hash, signal }: { tool: string; hash: string; signal: AbortSignal | undefined },
  ): Promise<void> {
    if (this.#listed.get(connection)?.get(tool) === hash) return;
    await this.#judge(connection, await connection.listTools({ signal }));
    if (this.#listed.get(connection)?.get(tool) !== hash) throw this.#changedError(tool);
    this.#refuseUnaccepted(tool, hash);
  }

  #changedError(tool: string): HubError {
    const message = `The server "${this.name}" changed its tool "${tool}", or has it no more; nothing was called. Look at the change and accept it: zoo mcp-server accept ${this.name}`;
    return new HubError('PERMISSION_DENIED', message, { details: { mayHaveRun: false } });
  }

  async #open(signal: AbortSignal): Promise<ServerConnection> {
    const { connect, clock, logger, redact, learn, redirectUrl } = this.#parts;
    const definition = this.filled();
    learn?.(secretsOf(definition));
    const withoutOwn = createRedact({ values: secretsOf(definition) });
    this.#redact = (text) => redact(withoutOwn(text));
    return connect({
      name: this.name,
      definition,
      signal,
      logger,
      onLog: ({ level, text }) => {
        this.log.add({ at: clock.now(), level, text }, this.#redact);
        this.#parts.onChange(this, true);
      },
      credentials: this.credentials(definition),
      redirectUrl,
      clock,
    });
  }

  async #opened(connection: ServerConnection, signal: AbortSignal): Promise<void> {
    connection.onToolsChanged(() => this.#relistSoon(connection));
    this.#instructions = connection.greeting.instructions ?? null;
    await this.#judge(connection, await connection.listTools({ signal }));
  }

  #relistSoon(connection: ServerConnection): void {
    this.#relist(connection).catch((error) => {
      // Nobody wants the list of a connection that was ended meanwhile.
      if (this.#ended.signal.aborted || !this.#isLive(connection)) return;
      this.#parts.logger.warn({ err: error, server: this.name }, 'the tools of a server could not be read again');
    });
  }

  async #relist(connection: ServerConnection): Promise<void> {
    this.#isChangedAgain = true;
    if (this.#isRelisting) return;
    this.#isRelisting = true;
    const { signal } = this.#ended;
    try {
      while (this.#isChangedAgain && this.#isLive(connection) && !signal.aborted) {
        this.#isChangedAgain = false;
        await this.#judge(connection, await connection.listTools({ signal }));
        await this.#parts.clock.sleep(betweenListsMs, signal).catch(() => {});
      }
    } finally {
      this.#isRelisting = false;
    }
  }

  #isLive(connection: ServerConnection): boolean {
    return this.link.current === connection || this.#connections.has(connection);
  }

  async #judge(connection: ServerConnection, listed: readonly RemoteTool[]): Promise<void> {
    const { store, clock } = this.#parts;
    // A name that comes twice counts once, as it came first.
    const tools = new Map(listed.toReversed().map((tool) => [tool.name, tool]));
    const hashed = await hashTools([...tools.values()].reverse());
    this.#listed.set(connection, new Map(hashed.map(({ tool, hash }) => [tool, hash])));
    await this.changeMemory(async (memory) => {
      const change = judgeList(this.spec.definition.trust, memory, hashed);
      const isKnown = memory.listedAt !== null && changesNothing(change, memory.held);
      if (isKnown && clock.now() - (memory.listedAt ?? 0) < betweenNotesMs) return;
      await store.remember(this.name, change);
    });
  }
}

/** Everything that the tools are made of. */
function keyOf({ pins, held, settings }: ServerMemory): string {
  return JSON.stringify([
    pins.map(({ tool, hash }) => [tool, hash]),
    held.map(({ tool, hash }) => [tool, hash]),
    settings,
  ]);
}

/** For everything, not only for one tool that wants more rights. */
function isSignInNeeded(error: unknown): error is HubError {
  return error instanceof HubError && error.code === 'SIGN_IN_REQUIRED' && error.details?.scope === undefined;
}
