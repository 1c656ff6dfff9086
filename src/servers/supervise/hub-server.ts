import { type HubError, toHubError } from '../../base/hub-error.ts';
import { createRedact, type Redact } from '../../tools/redact/redact.ts';
import type { Tool } from '../../tools/tool.ts';
import { type CallRemote, externalTool } from '../external-tool.ts';
import { fillDefinition, type LookUp } from '../fill-definition.ts';
import { maskDefinition, secretsOf } from '../mask-secrets.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { ServerSpec } from '../server-specs.ts';
import type { ServerMemory } from '../server-store.ts';
import { describeElsewhere, describeTools, type ToolDraft } from '../server-tools.ts';
import { describeVersions, shownList } from '../server-versions.ts';
import type { ServerInfo, ServerState } from '../servers.ts';
import { allowsSignIn } from '../sign-in-need.ts';
import { serverCredentials } from '../sign-ins.ts';
import { toReadList } from '../trust.ts';
import { ClientConnections } from './client-connections.ts';
import { FollowedSwitch } from './followed-switch.ts';
import type { HubServerParts } from './hub-server-parts.ts';
import type { CredentialStore, RemoteTool, ServerConnection } from './server-connection.ts';
import { ServerLog } from './server-log.ts';
import { SupervisedConnection } from './supervised-connection.ts';
import { ToolMemory } from './tool-memory.ts';
import {
  type AbsenceContext,
  changedDefinition,
  isSignInNeeded,
  otherVersion,
  whyAbsent,
  whyUnlisted,
} from './why-absent.ts';

/** A list that keeps changing is read at most once per interval. */
const relistIntervalMs = 1_000;

/** One external server of the hub: its connections, its accepted tools, and their place in the registry. */
export class HubServer {
  readonly #parts: HubServerParts;
  readonly log = new ServerLog();
  readonly link: SupervisedConnection;
  readonly #connections: ClientConnections;
  spec: ServerSpec;
  readonly #memory: ToolMemory;
  drafts: ToolDraft[] = [];
  /** New and changed tools of versions that other processes see. */
  #elsewhere: ToolDraft[] = [];
  readonly #switch: FollowedSwitch;
  #instructions: string | null = null;
  #running = 0;
  #calls = 0;
  #errors = 0;
  #redact: Redact;
  #callable = new Map<string, string>();
  #toolCache = new Map<string, { key: string; tool: Tool }>();
  #toolsBuiltFrom: readonly ToolDraft[] | undefined;
  #tools: readonly Tool[] = [];
  #isRelisting = false;
  #isChangedAgain = false;
  /** The tool hashes that each connection listed last. Another process may have seen a different list. */
  readonly #listed = new WeakMap<ServerConnection, ReadonlyMap<string, string>>();
  readonly #ended = new AbortController();

  constructor(parts: HubServerParts, spec: ServerSpec) {
    this.#parts = parts;
    this.spec = spec;
    this.#redact = parts.redact;
    this.#switch = new FollowedSwitch(parts.process);
    this.#memory = new ToolMemory({
      ...parts,
      server: spec.name,
      trust: () => this.spec.definition.trust,
      ended: this.#ended.signal,
      onChange: () => {
        this.#followSwitch();
        this.describe();
        parts.onChange(false);
      },
    });
    this.link = new SupervisedConnection({
      name: spec.name,
      clock: parts.clock,
      random: parts.random,
      connectTimeoutMs: () => this.spec.definition.connectTimeoutMs,
      isAlwaysWanted: () => this.spec.definition.start === 'boot',
      open: (signal) => this.#open(signal),
      onOpened: (connection, signal) => this.#opened(connection, signal),
      toReason: (error) => this.#redact(error.message),
      onState: () => parts.onChange(false),
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

  /** The server has never listed its tools, and may be asked to. */
  get isUndiscovered(): boolean {
    const { kind } = this.state;
    return this.memory.listedAt === null && !this.isPaused && (kind === 'idle' || kind === 'connecting');
  }

  /** Returns the definition with its variables filled in. Throws INVALID_CONFIG. */
  filled(): ServerDefinition {
    const { definition, variables = {} } = this.spec;
    const own: LookUp = (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
    return fillDefinition(this.name, definition, (name) => own(name) ?? this.#parts.lookUp(name));
  }

  /** Returns the store for the tokens of a sign-in; undefined if the server does not use sign-in. */
  credentials(definition: ServerDefinition): CredentialStore | undefined {
    return allowsSignIn(definition) ? serverCredentials(this.#parts.vault, this.name, definition.url) : undefined;
  }

  get memory(): ServerMemory {
    return this.#memory.current;
  }

  /** The list that this process has read last; undefined if it has read none. */
  get listId(): string | undefined {
    return this.#memory.listId;
  }

  describe(): void {
    const { memory, listId } = this;
    const options = {
      server: this.name,
      definition: this.spec.definition,
      memory,
      listId,
      offReason: this.#offReason(),
    };
    this.drafts = describeTools(options);
    this.#elsewhere = describeElsewhere(options);
    const active = this.drafts.filter(({ status }) => status === 'active');
    this.#callable = new Map(active.map((draft) => [draft.remoteName, draft.acceptedHash ?? '']));
  }

  get isPaused(): boolean {
    return this.#switch.isOff;
  }

  /** Hides or restores its tools without forgetting anything. */
  setPaused(isPaused: boolean): void {
    if (this.isPaused === isPaused) return;
    this.#switch.isOff = isPaused;
    this.describe();
  }

  /** Returns the tools for the registry. An unchanged tool stays the same object. */
  tools(): readonly Tool[] {
    if (this.#toolsBuiltFrom === this.drafts) return this.#tools;
    const tools = new Map<string, { key: string; tool: Tool }>();
    for (const draft of this.drafts) {
      if (draft.status !== 'active' || !draft.accepted) continue;
      const { remoteName, acceptedHash, localName, setting, requiresApproval } = draft;
      const { trustHints } = this.spec.definition;
      const key = JSON.stringify([acceptedHash, localName, setting, requiresApproval, trustHints]);
      const before = this.#toolCache.get(remoteName);
      const call = this.#caller(remoteName, acceptedHash ?? '');
      const own = { server: this.name, localName, definition: draft.accepted, setting };
      const options = { ...own, requiresApproval, trustHints, call };
      tools.set(remoteName, before?.key === key ? before : { key, tool: externalTool(options) });
    }
    this.#toolCache = tools;
    this.#toolsBuiltFrom = this.drafts;
    this.#tools = [...tools.values()].map(({ tool }) => tool);
    return this.#tools;
  }

  /** From now on, nothing is read from the store or written to it. */
  end(): void {
    this.#ended.abort();
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.end();
    await Promise.all([this.link.close(), this.#connections.close()]);
    await this.#memory.settled;
  }

  /** Reads the store again, after pending changes. */
  async reread(): Promise<void> {
    await this.changeMemory(undefined);
    this.#switch.read();
  }

  /** Does what the user had another process do. */
  #followSwitch(): void {
    const wish = this.#switch.follow(this.memory.lastSwitch);
    if (this.#ended.signal.aborted || !this.spec.definition.enabled) return;
    if (wish === 'off') void this.disconnect();
    else if (wish === 'again') void this.restart();
    else if (wish === 'on' && this.#parts.canStartAtBoot) this.link.start();
  }

  /** Reconnects with the current definition, unless the server is idle. */
  async restart(): Promise<void> {
    if (this.link.state.kind === 'idle') return;
    await this.disconnect();
    this.link.start();
  }

  /** Closes all connections. Resolves when their processes have ended. */
  async disconnect(): Promise<void> {
    await Promise.all([this.link.disconnect(), this.#connections.close()]);
  }

  /** Runs one change of the store at a time, and reads the store again. */
  changeMemory(change: (() => Promise<void>) | undefined): Promise<void> {
    return this.#memory.change(change);
  }

  info(
    closeTo: (remoteName: string) => { server: string; tool: string }[],
    taken: ReadonlyMap<string, string>,
  ): ServerInfo {
    const { name, origin, definedIn, revision, definition } = this.spec;
    const { holder } = this.#parts;
    return {
      name,
      origin,
      place: definedIn,
      definition: maskDefinition(definition),
      revision,
      state: this.state,
      tools: this.drafts.map(({ acceptedHash: _, ...draft }) => {
        const holder = taken.get(draft.remoteName);
        const conflict = holder !== undefined && {
          status: 'conflict' as const,
          note: `The name "${draft.localName}" is already used by a tool from ${holder}. Give this tool another name.`,
        };
        return { ...draft, ...conflict, closeTo: closeTo(draft.remoteName) };
      }),
      versions: describeVersions(this.memory, { ownId: this.listId, holder }),
      elsewhere: this.#elsewhere.map(({ acceptedHash: _, ...draft }) => ({
        ...draft,
        closeTo: closeTo(draft.remoteName),
      })),
      listedAt: this.memory.listedAt,
      instructions: this.#instructions,
      running: this.#running,
      stats: { calls: this.#calls, errors: this.#errors, reconnects: this.link.reconnects },
    };
  }

  #offReason(): string | null {
    if (!this.spec.definition.enabled) return 'The server is turned off.';
    return this.isPaused ? 'The server was disconnected. Connect it to restore its tools.' : null;
  }

  #caller(remoteName: string, hash: string): CallRemote {
    return async (input, options) => {
      this.#running += 1;
      this.#calls += 1;
      try {
        this.#refuseUnaccepted(remoteName, hash);
        const { connection, release } = await this.#connections.lend(options.client, options.signal);
        try {
          // Connecting listed the tools again: the accepted definition may no longer be the current one.
          this.#refuseUnaccepted(remoteName, hash);
          await this.#refuseDifferent(connection, { tool: remoteName, hash, signal: options.signal });
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
        // The pipeline retries unknown errors that look temporary; a HubError says itself whether the call may have run.
        throw toHubError(error);
      } finally {
        this.#running -= 1;
      }
    };
  }

  /** A caller that looked up a tool before it was withdrawn must not call it. */
  #refuseUnaccepted(tool: string, hash: string): void {
    const current = this.#callable.get(tool);
    if (current === hash) return;
    if (current !== undefined) throw otherVersion(this.name, shownList(this.memory, this.listId), tool);
    const draft = this.drafts.find(({ remoteName }) => remoteName === tool);
    throw (draft && whyAbsent(this.#absenceContext, draft)) ?? changedDefinition(this.name, tool);
  }

  /** Explains why the tool is not in the registry; undefined if it does not belong to this server. */
  whyAbsent(localName: string): HubError | undefined {
    const draft = this.drafts.find((each) => each.localName === localName);
    if (draft) return whyAbsent(this.#absenceContext, draft);
    const prefix = this.spec.definition.prefix ?? `mcp__${this.name}__`;
    const isItsName = prefix !== '' && localName.length > prefix.length && localName.startsWith(prefix);
    return isItsName && this.memory.listedAt === null ? whyUnlisted(this.#absenceContext) : undefined;
  }

  get #absenceContext(): AbsenceContext {
    const { name: server, origin, definedIn } = this.spec;
    return { server, origin, definedIn, state: this.state, isPaused: this.isPaused };
  }

  /** If this connection did not list the accepted definition, lists the tools again. A remaining difference is held for the user. */
  async #refuseDifferent(
    connection: ServerConnection,
    { tool, hash, signal }: { tool: string; hash: string; signal: AbortSignal | undefined },
  ): Promise<void> {
    if (this.#listed.get(connection)?.get(tool) === hash) return;
    await this.#review(connection, await connection.listTools({ signal }));
    this.#refuseUnaccepted(tool, hash);
    if (this.#listed.get(connection)?.get(tool) !== hash) throw changedDefinition(this.name, tool);
  }

  async #open(signal: AbortSignal): Promise<ServerConnection> {
    const { connect, clock, logger, redact, learn, redirectUrl } = this.#parts;
    const definition = this.filled();
    learn?.(secretsOf(definition));
    const redactOwn = createRedact({ values: secretsOf(definition) });
    this.#redact = (text) => redact(redactOwn(text));
    return connect({
      name: this.name,
      definition,
      signal,
      logger,
      onLog: ({ level, text }) => {
        this.log.add({ at: clock.now(), level, text }, this.#redact);
        this.#parts.onChange(true);
      },
      credentials: this.credentials(definition),
      redirectUrl,
      clock,
    });
  }

  async #opened(connection: ServerConnection, signal: AbortSignal): Promise<void> {
    connection.onToolsChanged(() => this.#relistSoon(connection));
    this.#instructions = connection.greeting.instructions ?? null;
    await this.#review(connection, await connection.listTools({ signal }));
  }

  #relistSoon(connection: ServerConnection): void {
    this.#relist(connection).catch((error) => {
      // The list of a closed connection no longer matters.
      if (this.#ended.signal.aborted || !this.#isLive(connection)) return;
      this.#parts.logger.warn({ err: error, server: this.name }, 'the tools of a server could not be listed again');
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
        await this.#review(connection, await connection.listTools({ signal }));
        await this.#parts.clock.sleep(relistIntervalMs, signal).catch(() => {});
      }
    } finally {
      this.#isRelisting = false;
    }
  }

  #isLive(connection: ServerConnection): boolean {
    return this.link.current === connection || this.#connections.has(connection);
  }

  async #review(connection: ServerConnection, listed: readonly RemoteTool[]): Promise<void> {
    const read = await toReadList(connection.greeting.serverInfo, listed);
    this.#listed.set(connection, new Map(read.tools.map(({ tool, hash }) => [tool, hash])));
    await this.#memory.review(read);
  }
}
