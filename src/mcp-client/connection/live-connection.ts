import { Client, type Transport } from '@modelcontextprotocol/client';
import { EventChannel } from '../../base/events.ts';
import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import { maskSecrets } from '../../servers/mask-secrets.ts';
import type {
  ConnectOptions,
  RemoteCallOptions,
  RemoteResult,
  RemoteTool,
  ServerConnection,
  ServerGreeting,
} from '../../servers/supervise/server-connection.ts';
import { version } from '../../version.ts';
import { createHttpTransport } from '../http/http-transport.ts';
import { type MirroredHeaders, mirrorHeaders } from '../http/mirror-headers.ts';
import { openOAuthSession } from '../oauth/oauth-session.ts';
import { type LogLines, limitLogLines } from '../process/server-output.ts';
import { StdioTransport } from '../process/stdio-transport.ts';
import { answerServerRequests, clientCapabilities } from './answer-server-requests.ts';
import { callRemoteTool } from './call-remote-tool.ts';
import { connectionError } from './connection-errors.ts';
import { listAllTools } from './list-all-tools.ts';
import { type JsonMessage, peekId } from './message-tap.ts';
import { type PendingRequest, RawLane } from './raw-lane.ts';

const clientInfo = { name: 'agent-zoo', version };
/** Changes of the tool list within this time are reported once. */
const coalesceMs = 50;

/** One connection, from its first byte to its last. The SDK performs the handshake; the raw lane carries the calls. */
export class LiveConnection implements ServerConnection {
  greeting: ServerGreeting = { serverInfo: { name: '', version: '' }, instructions: undefined, protocolVersion: '' };
  knowsRoots = false;
  readonly #options: ConnectOptions;
  readonly #log: LogLines;
  readonly #lane: RawLane;
  readonly #client: Client;
  readonly #logged = new EventChannel<{ level: string; text: string }>();
  readonly #changed = new EventChannel<void>();
  readonly #closed = new EventChannel<string>();
  readonly #questions: ReturnType<typeof answerServerRequests>;
  #mask: (text: string) => string;
  #transport: Transport | undefined;
  #endTransport: (() => Promise<void>) | undefined;
  #headers: MirroredHeaders | undefined;
  #failOpening: ((error: HubError) => void) | undefined;
  #reason: string | undefined;
  #ending: Promise<void> | undefined;
  #changeTimer: NodeJS.Timeout | undefined;

  constructor(options: ConnectOptions) {
    const { name, definition } = options;
    this.#options = options;
    this.#mask = maskSecrets(definition);
    this.#log = limitLogLines(({ level, text }) => this.#logged.emit({ level, text: this.#mask(text) }));
    this.#logged.on((line) => options.onLog(line));
    const send: Transport['send'] = (message, sendOptions) =>
      this.#transport?.send(message, sendOptions) ?? Promise.reject(new Error('The server is not connected.'));
    this.#lane = new RawLane({
      server: name,
      timeoutMs: definition.timeoutMs,
      maxOutputBytes: definition.maxOutputBytes,
      maxConcurrentCalls: definition.maxConcurrentCalls,
      send,
      explain: (error) => this.explain(error),
      onOther: (message, call) => this.#receive(message, call),
    });
    this.#questions = answerServerRequests({
      lane: this.#lane,
      send,
      onRoots: () => {
        this.knowsRoots = true;
      },
    });
    this.#client = new Client(clientInfo, {
      capabilities: clientCapabilities,
      // On stdio, the SDK would start a second process to negotiate.
      versionNegotiation: { mode: definition.transport === 'streamable-http' ? 'auto' : 'legacy' },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#noteChange() } },
    });
    this.#client.onclose = () => {
      const lose = () => this.#lose('The connection was closed.');
      // While the connection is opening, the SDK throws the actual reason right after this.
      if (this.#failOpening) setImmediate(lose);
      else lose();
    };
    this.#client.onerror = ({ message }) => {
      // For each answer that the lane takes, the SDK gets an empty one with an id it does not know.
      if (message.startsWith('Received a response for an unknown message ID')) return;
      options.logger.debug({ server: name, reason: this.#mask(message).slice(0, 500) }, 'mcp server');
    };
  }

  get isStateless(): boolean {
    return this.#lane.modern !== undefined;
  }

  /** Throws the errors of the SDK and the transport; `explain` turns them into HubErrors. */
  async open(): Promise<void> {
    const failed = new Promise<never>((_, reject) => {
      this.#failOpening = reject;
    });
    failed.catch(() => {});
    const transport = await this.#createTransport();
    await Promise.race([
      this.#client.connect(transport, { timeout: this.#options.definition.connectTimeoutMs }),
      failed,
    ]);
    this.#failOpening = undefined;
    this.#readGreeting();
  }

  listTools(options: { signal?: AbortSignal | undefined } = {}): Promise<RemoteTool[]> {
    return listAllTools({
      server: this.#options.name,
      log: this.#log,
      page: (cursor) =>
        this.#lane.request({
          method: 'tools/list',
          params: cursor === undefined ? {} : { cursor },
          signal: options.signal,
        }),
    }).then((tools) => {
      if (!this.#lane.modern) return tools;
      this.#headers = mirrorHeaders(tools, this.#log);
      return this.#headers.tools;
    });
  }

  callTool(name: string, input: object, options: RemoteCallOptions = {}): Promise<RemoteResult> {
    return callRemoteTool(
      {
        server: this.#options.name,
        lane: this.#lane,
        headersOf: (input) => this.#headers?.of(name, input),
        learnHeaders: () => this.listTools({ signal: options.signal }),
      },
      { name, input, options },
    );
  }

  request(method: string, params: JsonObject, options: { signal?: AbortSignal | undefined } = {}): Promise<JsonObject> {
    return this.#lane.request({ method, params, signal: options.signal });
  }

  onToolsChanged(listener: () => void): () => void {
    return this.#changed.on(listener);
  }

  onClosed(listener: (reason: string) => void): () => void {
    return this.#closed.on(listener);
  }

  close(): Promise<void> {
    return this.#end('The connection was closed by the hub.');
  }

  explain(error: unknown): HubError {
    const { name, definition } = this.#options;
    return connectionError(name, error, definition);
  }

  async #createTransport(): Promise<Transport> {
    const { name, definition } = this.#options;
    const log = this.#log;
    const tap = this.#lane;
    if (definition.transport === 'stdio') {
      const transport = new StdioTransport({
        name,
        definition,
        tap,
        log,
        mask: (text) => this.#mask(text),
        onLost: (reason, head) => this.#lose(reason, head),
      });
      this.#transport = transport;
      this.#endTransport = () => transport.close();
      return transport;
    }
    const auth = await openOAuthSession(this.#options);
    if (auth) {
      const maskDefined = this.#mask;
      this.#mask = (text) => auth.mask(maskDefined(text));
    }
    const http = createHttpTransport({
      definition,
      tap,
      log,
      auth,
      onLost: (reason, head, call) => this.#lose(reason, head, call),
    });
    this.#transport = http.transport;
    this.#endTransport = () => http.close();
    this.#lane.hasOwnStreams = definition.transport === 'streamable-http';
    return http.transport;
  }

  #readGreeting(): void {
    const client = this.#client;
    const {
      name,
      version: serverVersion,
      title,
    } = client.getServerVersion() ?? { name: this.#options.name, version: '' };
    const serverInfo = { name, version: serverVersion, ...(title !== undefined && { title }) };
    const protocolVersion = client.getNegotiatedProtocolVersion() ?? '';
    this.greeting = { serverInfo, instructions: client.getInstructions(), protocolVersion };
    if (client.getProtocolEra() === 'modern') {
      this.#lane.modern = {
        envelope: {
          'io.modelcontextprotocol/protocolVersion': protocolVersion,
          'io.modelcontextprotocol/clientInfo': clientInfo,
          'io.modelcontextprotocol/clientCapabilities': clientCapabilities,
        },
      };
    }
  }

  /** Handles notifications and requests from the server. The SDK gets the notifications too, for its subscriptions. */
  #receive(message: JsonMessage, call: PendingRequest | undefined): boolean {
    if (message.id !== undefined) {
      // In the stateless revision, servers send no requests.
      if (!this.#lane.modern) this.#questions.answer(message, call);
      return true;
    }
    if (message.method === 'notifications/tools/list_changed') this.#noteChange();
    if (message.method === 'notifications/message') this.#logMessage(message.params);
    if (message.method === 'notifications/cancelled') this.#questions.withdraw(message);
    return false;
  }

  #logMessage(params: unknown): void {
    const { level, data, logger } = (params ?? {}) as { [key: string]: unknown };
    const text = typeof data === 'string' ? data : JSON.stringify(data ?? null);
    this.#log(typeof level === 'string' ? level : 'info', typeof logger === 'string' ? `${logger}: ${text}` : text);
  }

  #noteChange(): void {
    if (this.#reason !== undefined) return;
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      this.#changed.emit();
    }, coalesceMs).unref();
  }

  #lose(reason: string, head?: string, call?: number): void {
    if (this.#reason !== undefined) return;
    if (head !== undefined) this.#rejectTooLarge(head, call);
    else if (call !== undefined) this.#lane.refuse(call, reason);
    const masked = this.#mask(reason);
    this.#failOpening?.(
      new HubError('UNAVAILABLE', `Server "${this.#options.name}" did not connect. ${masked}`, {
        details: { server: this.#options.name },
      }),
    );
    this.#end(masked).catch((error) =>
      this.#options.logger.warn({ err: error, server: this.#options.name }, 'a server did not shut down cleanly'),
    );
  }

  /** Rejects the call whose answer was too large with that reason. The other calls only learn that the connection ended. */
  #rejectTooLarge(head: string, call: number | undefined): void {
    const running = this.#lane.running();
    const id = call ?? peekId(head) ?? (running.length === 1 ? running[0]?.id : undefined);
    if (id !== undefined) this.#lane.refuseLarge(id, this.#options.definition.maxMessageBytes);
  }

  #end(reason: string): Promise<void> {
    this.#reason ??= reason;
    if (this.#ending !== undefined) return this.#ending;
    // A listener may call `close` while it is being notified.
    let settle = (_tornDown: Promise<void>) => {};
    this.#ending = new Promise((resolve) => {
      settle = resolve;
    });
    settle(this.#tearDown(this.#reason));
    return this.#ending;
  }

  async #tearDown(reason: string): Promise<void> {
    clearTimeout(this.#changeTimer);
    this.#lane.close(reason);
    this.#closed.emit(reason);
    await this.#endTransport?.();
    await this.#client.close();
  }
}
