import { EventChannel } from '../../../src/base/events.ts';
import { HubError } from '../../../src/base/hub-error.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { ownerCaller } from '../../../src/callers/callers.ts';
import {
  createExternalServers,
  type ExternalServers,
  type ExternalServersOptions,
} from '../../../src/servers/external-servers.ts';
import type { ConfiguredServers, ServerConfig } from '../../../src/servers/server-specs.ts';
import { noMemory, type ServerMemory, type ServerStore, type StoredServer } from '../../../src/servers/server-store.ts';
import type {
  ConnectOptions,
  RemoteCallOptions,
  RemoteResult,
  RemoteTool,
  ServerConnection,
} from '../../../src/servers/supervise/server-connection.ts';
import { silentToolClient } from '../../../src/tools/tool-client.ts';
import { ToolRegistry } from '../../../src/tools/tool-registry.ts';
import type { Vault } from '../../../src/vault/vault.ts';
import { type SteppedClock, steppedClock } from '../time/stepped-clock.ts';

/** A scripted server: the test controls what it lists, how it replies and when it crashes. */
export class ScriptedServer {
  tools: RemoteTool[];
  version = '1.0.0';
  instructions: string | undefined;
  /** Every attempt to connect, including failed ones. */
  attempts: ConnectOptions[] = [];
  open: ScriptedConnection[] = [];
  calls: { tool: string; input: object; options: RemoteCallOptions }[] = [];
  connecting: (options: ConnectOptions) => Promise<void> | void = () => {};
  listing: () => Promise<void> | void = () => {};
  answer: (tool: string, input: object) => Promise<RemoteResult> | RemoteResult = (tool) => ({
    content: [{ type: 'text', text: `${tool} ran` }],
  });

  constructor(...tools: RemoteTool[]) {
    this.tools = tools;
  }

  async connect(options: ConnectOptions): Promise<ServerConnection> {
    this.attempts.push(options);
    await this.connecting(options);
    const connection = new ScriptedConnection(this);
    this.open.push(connection);
    return connection;
  }

  /** Ends the server as if it crashed. */
  fall(reason = 'It exited with code 1.'): void {
    for (const connection of [...this.open]) connection.lose(reason);
  }

  /** Reports that its list changed. */
  change(...tools: RemoteTool[]): void {
    this.tools = tools;
    for (const connection of this.open) connection.changed.emit();
  }
}

class ScriptedConnection implements ServerConnection {
  readonly #server: ScriptedServer;
  readonly changed = new EventChannel<void>();
  readonly #closed = new EventChannel<string>();
  readonly greeting: ServerConnection['greeting'];

  constructor(server: ScriptedServer) {
    this.#server = server;
    const serverInfo = { name: 'scripted', version: server.version };
    this.greeting = { serverInfo, instructions: server.instructions, protocolVersion: '2025-11-25' };
  }

  async listTools(): Promise<RemoteTool[]> {
    await this.#server.listing();
    return structuredClone(this.#server.tools);
  }

  async callTool(tool: string, input: object, options: RemoteCallOptions = {}): Promise<RemoteResult> {
    this.#server.calls.push({ tool, input, options });
    const ended = Promise.withResolvers<never>();
    const stop = this.#closed.on((reason) =>
      ended.reject(new HubError('UNAVAILABLE', reason, { details: { mayHaveRun: true } })),
    );
    try {
      return await Promise.race([this.#server.answer(tool, input), ended.promise]);
    } finally {
      stop();
    }
  }

  request(): Promise<never> {
    return Promise.reject(new HubError('UNAVAILABLE', 'It has nothing but tools.'));
  }

  onToolsChanged(listener: () => void): () => void {
    return this.changed.on(listener);
  }

  onClosed(listener: (reason: string) => void): () => void {
    return this.#closed.on(listener);
  }

  lose(reason: string): void {
    const { open } = this.#server;
    const place = open.indexOf(this);
    if (place === -1) return;
    open.splice(place, 1);
    this.#closed.emit(reason);
  }

  async close(): Promise<void> {
    this.lose('It was disconnected.');
  }
}

export function remoteTool(name: string, other: Partial<RemoteTool> = {}): RemoteTool {
  return { name, description: `What ${name} does.`, inputSchema: { type: 'object', properties: {} }, ...other };
}

/** Behaves like the real store, without a database. `changed` notifies watchers, as another process would. */
export function memoryServerStore(clock: { now(): number }): ServerStore & { changed(): void } {
  const servers = new Map<string, StoredServer>();
  const memories = new Map<string, ServerMemory>();
  const signIns = new Map<string, { sealed: string; expiresAt: number }>();
  const watchers = new EventChannel<void>();
  let revision = 0;
  const memoryOf = (name: string): ServerMemory => memories.get(name) ?? noMemory;
  return {
    hasServers: async () => servers.size > 0,
    servers: async () => structuredClone([...servers.values()]),
    async save(name, definition, expected) {
      if ((servers.get(name)?.revision ?? null) !== expected)
        throw new HubError('CONFLICT', `The server "${name}" was changed meanwhile.`);
      revision += 1;
      const saved = { name, definition: structuredClone(definition), revision, updatedAt: clock.now() };
      servers.set(name, saved);
      watchers.emit();
      return saved;
    },
    async remove(name) {
      if (!servers.delete(name)) throw new HubError('NOT_FOUND', `There is no stored server "${name}".`);
      memories.delete(name);
      watchers.emit();
    },
    memory: async (name) => structuredClone(memoryOf(name)),
    async change(name, decide) {
      const after = decide(structuredClone(memoryOf(name)));
      if (!after) return;
      memories.set(name, structuredClone(after));
      watchers.emit();
    },
    async setTool(name, setting) {
      const before = memoryOf(name);
      const others = before.settings.filter(({ tool }) => tool !== setting.tool);
      memories.set(name, { ...before, settings: [...others, setting] });
      watchers.emit();
    },
    async switch(name, wish, process) {
      revision += 1;
      memories.set(name, { ...memoryOf(name), lastSwitch: { wish, process, number: revision } });
      watchers.emit();
    },
    async forget(name) {
      memories.delete(name);
      watchers.emit();
    },
    async addSignIn(stateHash, sealed) {
      signIns.set(stateHash, { sealed, expiresAt: clock.now() + 10 * 60_000 });
    },
    async takeSignIn(stateHash) {
      const taken = signIns.get(stateHash);
      signIns.delete(stateHash);
      return taken && taken.expiresAt > clock.now() ? taken.sealed : undefined;
    },
    watch: (onChange) => watchers.on(onChange),
    changed: () => watchers.emit(),
  };
}

function memoryVault(): Vault {
  const values = new Map<string, string>();
  return {
    get: async (name) => values.get(name),
    async set(name, value) {
      if (value === null) values.delete(name);
      else values.set(name, value);
    },
    names: async (prefix) =>
      [...values.keys()].filter((name) => name.startsWith(prefix)).map((name) => ({ name, updatedAt: 0 })),
    seal: async (text) => text,
    open: async (sealed) => sealed,
  };
}

/** A config whose servers the test can change. */
export class TestConfig implements ServerConfig {
  readonly #watchers = new EventChannel<void>();
  #servers: ConfiguredServers = { servers: [] };

  current(): ConfiguredServers {
    return this.#servers;
  }

  watch(onChange: () => void): () => void {
    return this.#watchers.on(onChange);
  }

  set(servers: Record<string, unknown>): void {
    const entries = Object.entries(servers);
    this.#servers = {
      servers: entries.map(([name, raw]) => ({ name, definedIn: `zoo.toml [mcp_servers.${name}]`, raw })),
    };
    this.#watchers.emit();
  }
}

export interface TestServers {
  servers: ExternalServers;
  registry: ToolRegistry;
  store: ReturnType<typeof memoryServerStore>;
  vault: Vault;
  config: TestConfig;
  clock: SteppedClock;
  /** Resolves when a server has this state, now or later. */
  settled(name: string, kind: string): Promise<void>;
  /** Resolves when a condition that depends on the servers is true. */
  until(holds: () => boolean): Promise<void>;
  names(): string[];
  call(name: string, input?: object, signal?: AbortSignal): Promise<unknown>;
}

type TestServersOptions = Partial<Omit<ExternalServersOptions, 'configured' | 'store' | 'registry' | 'clock'>> & {
  config?: TestConfig;
  store?: ReturnType<typeof memoryServerStore>;
};

let processes = 0;

/** Opens external servers that are scripted, by their names in the hub. */
export function testServers(
  scripted: Record<string, ScriptedServer>,
  { config = new TestConfig(), store: given, ...options }: TestServersOptions = {},
): TestServers {
  const clock = steppedClock();
  const store = given ?? memoryServerStore(clock);
  const vault = memoryVault();
  const registry = new ToolRegistry();
  const servers = createExternalServers({
    store,
    vault,
    registry,
    clock,
    random: () => 1,
    logger: silentLogger,
    redact: (text) => text,
    configured: config,
    lookUp: () => undefined,
    canStartAtBoot: true,
    holder: `process ${++processes} on test-machine`,
    connect: (request) => {
      const server = scripted[request.name];
      if (!server) return Promise.reject(new HubError('UNAVAILABLE', `Nobody scripted "${request.name}".`));
      return server.connect(request);
    },
    ...options,
  });
  async function until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = servers.changes.on(() => {
      if (holds()) resolve();
    });
    await promise;
    stop();
  }
  async function call(name: string, input: object = {}, signal = new AbortController().signal): Promise<unknown> {
    const tool = registry.find(name);
    if (!tool) throw new HubError('UNKNOWN_TOOL', `There is no tool "${name}".`);
    return tool.run(tool.parse(input), {
      caller: ownerCaller('cli'),
      callId: 'call_1',
      signal,
      traceparent: '',
      idempotencyKey: undefined,
      whenLogged: async () => {},
      client: silentToolClient,
    });
  }
  return {
    servers,
    registry,
    store,
    vault,
    config,
    clock,
    until,
    call,
    settled: (name, kind) => until(() => servers.get(name).state.kind === kind),
    names: () => registry.list().map((tool) => tool.name),
  };
}
