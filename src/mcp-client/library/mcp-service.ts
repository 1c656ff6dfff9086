import type { ContextObjectModel } from '../../engine/context-object-model.ts';
import { IterableWeakMap } from '../connection/iterable-weak-map.ts';
import type { MCPClient, MCPServer } from './mcp-client.ts';
import { type NormalMCPConfig, readMCPConfig } from './mcp-config.ts';
import type { MCPConnection } from './mcp-connection.ts';
import { MCPTool } from './mcp-tool.ts';
import {
  filterTools,
  type MCPToolDefinition,
  type ToolFilter,
  type ToolTransformer,
  transformTools,
  withRemoteName,
} from './mcp-tool-definition.ts';

export interface MCPServiceOptions extends ToolFilter {
  /** Applied to the tools of all servers, before the transformers of a server's own config. */
  transformers?: readonly ToolTransformer[] | undefined;
}

interface Signal {
  signal?: AbortSignal | undefined;
}

export interface RegisterOptions extends Signal {
  /** Uses the last list, unless the server has reported a change. */
  mayReuseList?: boolean | undefined;
}

/** A server whose tools a context follows, and the tools in that context. */
interface Followed {
  config: MCPServer;
  tools: readonly MCPTool[];
}

/** Adds the tools of MCP servers to contexts and keeps them up to date. */
export class MCPService {
  readonly #client: MCPClient;
  readonly #options: MCPServiceOptions;
  /** By context and server. */
  readonly #followed = new IterableWeakMap<ContextObjectModel, Map<string, Followed>>();
  /** By server: how many times its list may have changed. */
  readonly #changeCounts = new Map<string, number>();
  readonly #refreshing = new Set<string>();
  /** By server: the last list, and the change count when it was read. */
  readonly #lists = new Map<string, { tools: MCPToolDefinition[]; changeCount: number | undefined }>();

  constructor(client: MCPClient, options: MCPServiceOptions = {}) {
    this.#client = client;
    this.#options = options;
    client.on((event) => {
      // A server that reconnects may be another version.
      if (event.type === 'tools.changed' || event.type === 'server.connected') this.#noteChange(event.serverName);
      if (event.type === 'server.disconnected') {
        this.#forget(event.serverName);
        this.#lists.delete(event.serverName);
      }
    });
  }

  /** Maps the tool names of all contexts to their servers. */
  get toolToServer(): Map<string, string> {
    return new Map(this.#client.registrations().map(({ name, tool }) => [name, tool.serverName]));
  }

  /** Throws the errors of `MCPClient.connect`. */
  connect(config: MCPServer, options: Signal = {}): Promise<MCPConnection> {
    return this.#client.connect(config, options);
  }

  /** Ends the server, and removes its tools from every context. */
  disconnect(serverName: string): Promise<void> {
    return this.#client.disconnect(serverName);
  }

  disconnectAll(): Promise<void> {
    return this.#client.disconnectAll();
  }

  /** Returns all tools of a connected server, without filters and transformers. */
  listTools(serverName: string, options: Signal = {}): Promise<MCPToolDefinition[]> {
    return this.#client.listTools(serverName, options);
  }

  /** Connects and lists the tools, unless there is a list already. With `mayReuseList`, that list is then used. */
  async prepare(config: MCPServer, options: Signal = {}): Promise<void> {
    if (this.#lists.has(config.serverName)) return;
    await this.#client.connect(config, options);
    await this.#list(config.serverName, options);
  }

  /** Connects if necessary, and returns the filtered and transformed tools. Throws the errors of `MCPClient.connect`. */
  async connectAndDiscover(config: MCPServer, options: Signal = {}): Promise<MCPToolDefinition[]> {
    await this.#client.connect(config, options);
    return this.#discover(readMCPConfig(config), options);
  }

  /**
   * Adds all tools of the server to the context and keeps them up to date. Throws CONFLICT if one of the names is taken there; then no
   * tool is added.
   */
  async discoverAndRegister(
    config: MCPServer,
    com: ContextObjectModel,
    options: RegisterOptions = {},
  ): Promise<MCPTool[]> {
    const { serverName } = config;
    // A server that is currently not connected is connected by the first call.
    if (options.mayReuseList) await this.prepare(config, options);
    else await this.#client.connect(config, options);
    const changeCount = this.#changeCounts.get(serverName);
    const definitions = await this.#discover(readMCPConfig(config), options);
    const tools = definitions.map((definition) => new MCPTool(this.#client, serverName, definition, config));
    const servers = this.#followed.get(com) ?? new Map<string, Followed>();
    replaceAll(com, servers.get(serverName)?.tools ?? [], tools);
    this.#followed.set(com, servers.set(serverName, { config, tools }));
    if (this.#changeCounts.get(serverName) !== changeCount) void this.#refresh(serverName);
    return tools;
  }

  /** Adds one tool as it is, without filters and transformers. Throws CONFLICT. */
  registerMCPTool(config: MCPServer, definition: MCPToolDefinition, com: ContextObjectModel): MCPTool {
    const tool = new MCPTool(this.#client, config.serverName, definition, config);
    com.addTool(tool);
    return tool;
  }

  /** Removes a server's tools from one context, or from all. The connection stays open. */
  unregister(serverName: string, com?: ContextObjectModel): void {
    this.#forget(serverName, com);
    this.#client.removeTools(serverName, com);
  }

  /** Removes the server's tools and ends it. Tools in other contexts go, too: they could not be called any more. */
  async disconnectAndUnregister(serverName: string, com?: ContextObjectModel): Promise<void> {
    this.unregister(serverName, com);
    await this.#client.disconnect(serverName);
  }

  async #discover(config: NormalMCPConfig, options: RegisterOptions): Promise<MCPToolDefinition[]> {
    const listed = await this.#list(config.serverName, options);
    const chosen = filterTools(filterTools(listed, this.#options), config);
    const definitions = chosen.map((tool) =>
      withRemoteName({ ...tool, name: `${config.prefix}${tool.name}` }, tool.name),
    );
    return transformTools(definitions, [...(this.#options.transformers ?? []), ...config.transformers]);
  }

  async #list(serverName: string, options: RegisterOptions): Promise<MCPToolDefinition[]> {
    const changeCount = this.#changeCounts.get(serverName);
    const known = this.#lists.get(serverName);
    if (options.mayReuseList && known && known.changeCount === changeCount) return known.tools;
    try {
      const tools = await this.#client.listTools(serverName, options);
      this.#lists.set(serverName, { tools, changeCount });
      return tools;
    } catch (error) {
      // An old list is better than none. The refresh after the next connection updates it.
      if (options.mayReuseList && known) return known.tools;
      throw error;
    }
  }

  #forget(serverName: string, com?: ContextObjectModel): void {
    for (const [owner, servers] of this.#followed.entries()) {
      if (com === undefined || owner === com) servers.delete(serverName);
    }
  }

  #noteChange(serverName: string): void {
    this.#changeCounts.set(serverName, (this.#changeCounts.get(serverName) ?? 0) + 1);
    if (this.#client.registrations(serverName).length > 0 || this.#followers(serverName).length > 0) {
      void this.#refresh(serverName);
    }
  }

  #followers(serverName: string): { com: ContextObjectModel; servers: Map<string, Followed>; followed: Followed }[] {
    return this.#followed.entries().flatMap(([com, servers]) => {
      const followed = servers.get(serverName);
      return followed ? [{ com, servers, followed }] : [];
    });
  }

  /** Runs one refresh at a time per server, and repeats it if the list changed meanwhile. */
  async #refresh(serverName: string): Promise<void> {
    if (this.#refreshing.has(serverName)) return;
    this.#refreshing.add(serverName);
    try {
      let seen: number | undefined;
      do {
        seen = this.#changeCounts.get(serverName);
        await this.#bringUpToDate(serverName);
      } while (this.#changeCounts.get(serverName) !== seen);
    } catch (error) {
      this.#client.warn(
        serverName,
        `The tools of MCP server "${serverName}" could not be refreshed: ${messageOf(error)}`,
      );
    } finally {
      this.#refreshing.delete(serverName);
    }
  }

  async #bringUpToDate(serverName: string): Promise<void> {
    const names = new Set((await this.#list(serverName, {})).map(({ name }) => name));
    for (const { owner, tool, name } of this.#client.registrations(serverName)) {
      if (!names.has(tool.remoteName)) owner.removeTool(name);
    }
    for (const { followed } of this.#followers(serverName)) {
      const definitions = await this.#discover(readMCPConfig(followed.config), { mayReuseList: true });
      // A context that stopped following while the list was read gets no update.
      const still = this.#followers(serverName).find((each) => each.followed === followed);
      if (still) {
        still.servers.set(serverName, {
          config: followed.config,
          tools: this.#replace(still.com, followed, definitions),
        });
      }
    }
  }

  /** Updates the tools of a context. Unchanged tools stay the same objects. A name that is taken causes a warning; the other tools are still added. */
  #replace(com: ContextObjectModel, { config, tools }: Followed, definitions: readonly MCPToolDefinition[]): MCPTool[] {
    const old = new Map(tools.filter((tool) => isIn(com, tool)).map((tool) => [tool.definition.name, tool]));
    const next = definitions.map((definition) => {
      const before = old.get(definition.name);
      if (before && JSON.stringify(before.definition) === JSON.stringify(definition)) return before;
      const tool = new MCPTool(this.#client, config.serverName, definition, config);
      if (before?.metadata.providerOptions) tool.metadata.providerOptions = before.metadata.providerOptions;
      return tool;
    });
    for (const tool of old.values()) if (!next.includes(tool)) com.removeTool(tool.metadata.name);
    return next.filter((tool) => {
      try {
        com.addTool(tool);
        return true;
      } catch (error) {
        this.#client.warn(config.serverName, messageOf(error));
        return false;
      }
    });
  }
}

/** Replaces the old tools with the new ones, or leaves everything as it was. */
function replaceAll(com: ContextObjectModel, old: readonly MCPTool[], tools: readonly MCPTool[]): void {
  const removed = old.filter((tool) => isIn(com, tool));
  for (const tool of removed) com.removeTool(tool.metadata.name);
  const added: MCPTool[] = [];
  try {
    for (const tool of tools) {
      com.addTool(tool);
      added.push(tool);
    }
  } catch (error) {
    for (const tool of added) com.removeTool(tool.metadata.name);
    for (const tool of removed) com.addTool(tool);
    throw error;
  }
}

function isIn(com: ContextObjectModel, tool: MCPTool): boolean {
  return com.getTool(tool.metadata.name) === tool;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
