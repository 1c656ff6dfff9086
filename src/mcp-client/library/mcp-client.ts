import { isDeepStrictEqual } from 'node:util';
import { untilAborted } from '../../base/abort.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { EventChannel, type Listener } from '../../base/events.ts';
import { HubError } from '../../base/hub-error.ts';
import { type Logger, silentLogger } from '../../base/logger.ts';
import type { ExecutableTool, ToolOwner } from '../../engine/executable-tool.ts';
import { fillDefinition } from '../../servers/fill-definition.ts';
import { faultOf } from '../../servers/remote-tool.ts';
import type { ServerDefinition } from '../../servers/server-definition.ts';
import type {
  ConnectServer,
  CredentialStore,
  RemoteCallOptions,
  RemoteResult,
  ServerConnection,
  ServerGreeting,
  SignInOptions,
} from '../../servers/supervise/server-connection.ts';
import { SupervisedConnection } from '../../servers/supervise/supervised-connection.ts';
import { IterableWeakMap } from '../connection/iterable-weak-map.ts';
import { memoryCredentials } from '../oauth/memory-credentials.ts';
import { type MCPConfig, type MCPServerEntry, normalizeMCPConfig } from './mcp-config.ts';
import { type MCPToolDefinition, toMCPTool } from './mcp-tool-definition.ts';

/** An event of a server of the client. */
export type MCPClientEvent =
  | { type: 'server.connected'; serverName: string; greeting: ServerGreeting }
  /** The client reconnects in the background and with the next call. */
  | { type: 'server.lost'; serverName: string; reason: string }
  | { type: 'server.disconnected'; serverName: string }
  | { type: 'tools.changed'; serverName: string }
  /** A line of stderr, or a log message. */
  | { type: 'server.logged'; serverName: string; level: string; text: string }
  /** A background operation failed; the message is a sentence for the user. */
  | { type: 'warning'; serverName: string; message: string };

export interface MCPClientOptions {
  logger?: Logger | undefined;
  /** Stores a server's OAuth tokens; in memory by default. */
  credentials?: ((serverName: string) => CredentialStore) | undefined;
  /** The URL to which the browser returns after signing in. */
  redirectUrl?: string | undefined;
  /** Values for `${VAR}` in server settings; the environment of this process by default. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  connectServer?: ConnectServer | undefined;
  clock?: Clock | undefined;
  /** Returns 0 to 1, for the jitter of reconnect delays. */
  random?: (() => number) | undefined;
}

export interface SignInRequest {
  /** The client's `redirectUrl` by default. */
  redirectUrl?: string | undefined;
  /** Must be unguessable. Created by default; the returned URL contains it. */
  state?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** A tool of a connected server. */
export interface ConnectedTool extends ExecutableTool {
  readonly serverName: string;
  /** The name that the server uses, whatever the tool is called here. */
  readonly remoteName: string;
}

export interface ToolRegistration {
  owner: ToolOwner;
  tool: ConnectedTool;
  name: string;
}

/** A server config in either form. */
export type MCPServer = MCPConfig | (MCPServerEntry & { serverName: string });

interface Server {
  definition: ServerDefinition;
  link: SupervisedConnection;
  /** The number of pending `connect` calls. */
  connecting: number;
  /** The last connection. A server that was connected once is reconnected. */
  last: ServerConnection | undefined;
}

/** The connections to MCP servers, one per name. Failures are HubErrors with the codes of `ServerConnection`. */
export class MCPClient {
  readonly #options: MCPClientOptions;
  readonly #logger: Logger;
  readonly #servers = new Map<string, Server>();
  /** Servers that are shutting down. The next connection of the same name waits for them. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #owners = new IterableWeakMap<ToolOwner, Map<ConnectedTool, string>>();
  readonly #credentials = new Map<string, CredentialStore>();
  readonly #events: EventChannel<MCPClientEvent>;
  #isClosed = false;

  constructor(options: MCPClientOptions = {}) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#events = new EventChannel((error) => this.#logger.error({ err: error }, 'a listener for MCP events failed'));
  }

  /** Calls the listener with every event. Returns a function that removes it. */
  on(listener: Listener<MCPClientEvent>): () => void {
    return this.#events.on(listener);
  }

  /** The servers that were connected and not disconnected, even if a connection is currently lost. */
  get serverNames(): string[] {
    return [...this.#servers.keys()];
  }

  isConnected(serverName: string): boolean {
    return this.#servers.get(serverName)?.link.current !== undefined;
  }

  /**
   * Connects to a server. Further calls for the same server share the connection. Throws INVALID_CONFIG, CONFLICT (the name is
   * connected with other settings), UNAVAILABLE, TIMEOUT and SIGN_IN_REQUIRED.
   */
  async connect(config: MCPServer, options: { signal?: AbortSignal | undefined } = {}): Promise<ServerGreeting> {
    const { serverName, definition } = normalizeMCPConfig(config);
    await this.#ending.get(serverName);
    if (this.#isClosed) throw new HubError('UNAVAILABLE', 'This MCPClient is closed. Create a new one.');
    const server = this.#servers.get(serverName) ?? this.#add(serverName, definition);
    if (!isDeepStrictEqual(server.definition, definition)) {
      throw new HubError(
        'CONFLICT',
        `MCP server "${serverName}" is already connected with other settings. Disconnect it first, or give this one another name.`,
      );
    }
    server.connecting += 1;
    try {
      const { signal } = options;
      const connection = await (signal
        ? untilAborted(signal, () => server.link.connectNow())
        : server.link.connectNow());
      return connection.greeting;
    } catch (error) {
      if (!options.signal?.aborted) throw error;
      throw new HubError('CANCELLED', `Connecting to MCP server "${serverName}" was cancelled.`, { cause: error });
    } finally {
      server.connecting -= 1;
      // A server that never connected is not retried: the caller has the error.
      if (!server.last && server.connecting === 0) await this.#forget(serverName, server);
    }
  }

  /**
   * Starts signing in to a server whose `connect` threw SIGN_IN_REQUIRED (OAuth with PKCE). Returns the URL for the user's browser, which
   * returns to `redirectUrl` with `code` and `state`; undefined if no user is needed, so that `connect` works now.
   */
  async beginSignIn(config: MCPServer, options: SignInRequest = {}): Promise<URL | undefined> {
    const { signIn } = await import('../oauth/sign-in.ts');
    return signIn.begin(this.#signInOptions(config, { ...options, state: options.state ?? crypto.randomUUID() }));
  }

  /** Finishes signing in; `connect` works afterwards. Throws INVALID_ARGUMENTS for an unknown state. */
  async finishSignIn(
    config: MCPServer,
    answer: SignInRequest & { state: string; code: string; issuer?: string | undefined },
  ): Promise<void> {
    const { signIn } = await import('../oauth/sign-in.ts');
    const { code, issuer } = answer;
    await signIn.finish({ ...this.#signInOptions(config, answer), code, issuer });
  }

  /** Returns the tools of all pages. A tool that nobody could call is left out with a warning. */
  async listTools(
    serverName: string,
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<MCPToolDefinition[]> {
    // Listing has no side effects, so it may be repeated.
    const listed = await this.#withConnection(serverName, options.signal, (connection) =>
      connection.listTools(options),
    );
    return listed.flatMap((tool) => {
      const fault = faultOf(tool);
      const definition = fault === undefined ? toMCPTool(tool) : undefined;
      if (definition) return [definition];
      this.warn(serverName, `The tool "${tool.name.slice(0, 80)}" of server "${serverName}" is left out. ${fault}`);
      return [];
    });
  }

  /**
   * Calls a tool by its remote name and returns the server's result. A call that may have run is never repeated: it fails with
   * `details.mayHaveRun`.
   */
  async callTool(
    serverName: string,
    toolName: string,
    input: object = {},
    options: RemoteCallOptions = {},
  ): Promise<RemoteResult> {
    return this.#withConnection(serverName, options.signal, (connection) =>
      connection.callTool(toolName, input, options),
    );
  }

  /** Closes the connection, ends all processes of the server, and removes its tools from every context. */
  async disconnect(serverName: string): Promise<void> {
    const server = this.#servers.get(serverName);
    if (!server) return this.#ending.get(serverName);
    this.#servers.delete(serverName);
    this.removeTools(serverName);
    const ended = this.#end(serverName, server);
    this.#events.emit({ type: 'server.disconnected', serverName });
    await ended;
  }

  async disconnectAll(): Promise<void> {
    const names = new Set([...this.#servers.keys(), ...this.#ending.keys()]);
    await Promise.all([...names].map((name) => this.disconnect(name)));
  }

  /** Disconnects all servers permanently. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.disconnectAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Called by a tool that was added to a context. */
  noteAdded(tool: ConnectedTool, owner: ToolOwner): void {
    const tools = this.#owners.get(owner) ?? new Map<ConnectedTool, string>();
    // Remembers the name in that context, even if the tool's metadata changes.
    this.#owners.set(owner, tools.set(tool, tool.metadata.name));
  }

  /** Called by a tool that was removed from a context. */
  noteRemoved(tool: ConnectedTool, owner: ToolOwner): void {
    const tools = this.#owners.get(owner);
    tools?.delete(tool);
    if (tools?.size === 0) this.#owners.delete(owner);
  }

  /** Returns the tools that are in contexts, with their names there; all of them or those of one server. */
  registrations(serverName?: string): ToolRegistration[] {
    return this.#owners
      .entries()
      .flatMap(([owner, tools]) => [...tools].map(([tool, name]) => ({ owner, tool, name })))
      .filter(({ tool }) => serverName === undefined || tool.serverName === serverName);
  }

  /** Removes a server's tools from one context, or from all. */
  removeTools(serverName: string, owner?: ToolOwner): void {
    for (const each of this.registrations(serverName)) {
      if (owner === undefined || each.owner === owner) each.owner.removeTool(each.name);
    }
  }

  /** Reports the failure of a background operation. */
  warn(serverName: string, message: string): void {
    this.#logger.warn({ server: serverName }, message);
    this.#events.emit({ type: 'warning', serverName, message });
  }

  #add(serverName: string, definition: ServerDefinition): Server {
    const link = new SupervisedConnection({
      name: serverName,
      clock: this.#options.clock ?? systemClock,
      random: this.#options.random ?? Math.random,
      connectTimeoutMs: () => definition.connectTimeoutMs,
      isAlwaysWanted: () => true,
      open: (signal) => this.#open(serverName, definition, signal),
      onOpened: async () => {},
      toReason: ({ message }) => message,
      onState: () => this.#onState(serverName, server),
    });
    const server: Server = { definition, link, connecting: 0, last: undefined };
    this.#servers.set(serverName, server);
    return server;
  }

  #onState(serverName: string, server: Server): void {
    const { current, state } = server.link;
    if (current && current !== server.last) {
      server.last = current;
      current.onToolsChanged(() => this.#events.emit({ type: 'tools.changed', serverName }));
      current.onClosed((reason) => this.#onClosed(serverName, server, reason));
      this.#events.emit({ type: 'server.connected', serverName, greeting: current.greeting });
    } else if (state.kind === 'failed' && server.last) {
      this.#logger.warn({ server: serverName, reason: state.reason }, 'an MCP server is not connected');
    }
  }

  #onClosed(serverName: string, server: Server, reason: string): void {
    if (this.#servers.get(serverName) === server) this.#events.emit({ type: 'server.lost', serverName, reason });
  }

  async #forget(serverName: string, server: Server): Promise<void> {
    if (this.#servers.get(serverName) !== server) return;
    this.#servers.delete(serverName);
    await this.#end(serverName, server);
  }

  #end(serverName: string, server: Server): Promise<void> {
    const ended = server.link.disconnect().finally(() => this.#ending.delete(serverName));
    this.#ending.set(serverName, ended);
    return ended;
  }

  async #open(name: string, definition: ServerDefinition, signal: AbortSignal): Promise<ServerConnection> {
    // The MCP SDK is loaded with the first connection, not with this library.
    const connect = this.#options.connectServer ?? (await import('../connection/connect-server.ts')).connectServer;
    return connect({
      name,
      definition: this.#fill(name, definition),
      signal,
      logger: this.#logger,
      onLog: ({ level, text }) => this.#events.emit({ type: 'server.logged', serverName: name, level, text }),
      credentials: this.#credentialsOf(name),
      redirectUrl: this.#options.redirectUrl,
    });
  }

  #signInOptions(
    config: MCPServer,
    { redirectUrl = this.#options.redirectUrl, state, signal }: SignInRequest & { state: string },
  ): SignInOptions {
    const { serverName: name, definition } = normalizeMCPConfig(config);
    if (redirectUrl === undefined) {
      throw new HubError('INVALID_ARGUMENTS', 'Signing in needs a redirectUrl, to which the browser returns.');
    }
    return {
      name,
      definition: this.#fill(name, definition),
      credentials: this.#credentialsOf(name),
      redirectUrl,
      state,
      signal: signal ?? AbortSignal.timeout(definition.connectTimeoutMs),
    };
  }

  #fill(name: string, definition: ServerDefinition): ServerDefinition {
    const { env = process.env } = this.#options;
    return fillDefinition(name, definition, (variable) => env[variable]);
  }

  #credentialsOf(serverName: string): CredentialStore {
    if (this.#options.credentials) return this.#options.credentials(serverName);
    const credentials = this.#credentials.get(serverName) ?? memoryCredentials();
    this.#credentials.set(serverName, credentials);
    return credentials;
  }

  async #withConnection<T>(
    serverName: string,
    signal: AbortSignal | undefined,
    work: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> {
    const { link } = this.#find(serverName);
    const connection = await link.ready(signal);
    try {
      return await work(connection);
    } catch (error) {
      // The connection was lost before anything was sent: retry once on a new connection.
      if (!wasNotSent(error) || link.current === connection) throw error;
      return work(await link.ready(signal));
    }
  }

  #find(serverName: string): Server {
    const server = this.#servers.get(serverName);
    if (server) return server;
    const names = this.serverNames.map((name) => `"${name}"`).join(', ');
    throw new HubError(
      'NOT_FOUND',
      `MCP server "${serverName}" is not connected. ${names === '' ? 'Connect it first with connect(config).' : `Connected servers: ${names}.`}`,
    );
  }
}

function wasNotSent(error: unknown): boolean {
  return error instanceof HubError && error.code === 'UNAVAILABLE' && error.details?.mayHaveRun === false;
}
