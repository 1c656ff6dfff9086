import { untilAborted } from '../base/abort.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { toHubError } from '../base/hub-error.ts';
import type { ContextObjectModel } from '../engine/context-object-model.ts';
import type { MCPClient } from '../mcp-client/library/mcp-client.ts';
import { type MCPConfig, type MCPServerEntry, readMCPConfig } from '../mcp-client/library/mcp-config.ts';
import { MCPService, type MCPServiceOptions } from '../mcp-client/library/mcp-service.ts';

/** A server as in `mcpServers` of other clients, or an `MCPConfig` without the name. */
export type EngineServerConfig = MCPServerEntry | Omit<MCPConfig, 'serverName'>;

export interface EngineServersOptions {
  servers: Readonly<Record<string, EngineServerConfig>>;
  service: MCPServiceOptions;
  warn(message: string): void;
  clock?: Clock | undefined;
}

interface Server {
  config: MCPServerEntry & { serverName: string };
  /** The number of consecutive failures. */
  failures: number;
  /** The time of the next attempt: a server that hangs must not delay every run. */
  notBefore: number;
  reason: string;
}

const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

/** The MCP servers of an engine. They are connected with the first run and listed once; a failing server does not stop the others. */
export class EngineServers {
  readonly #service: MCPService;
  readonly #servers: readonly Server[];
  readonly #warn: (message: string) => void;
  readonly #clock: Clock;

  constructor(client: MCPClient, { servers, service, warn, clock = systemClock }: EngineServersOptions) {
    this.#service = new MCPService(client, service);
    this.#warn = warn;
    this.#clock = clock;
    this.#servers = Object.entries(servers).flatMap(([serverName, entry]) => {
      const config = { ...entry, serverName };
      const { definition } = readMCPConfig(config);
      return definition.enabled ? [{ config, failures: 0, notBefore: 0, reason: '' }] : [];
    });
    client.on((event) => {
      if (event.type === 'warning') warn(event.message);
    });
  }

  /** Adds the tools of all servers that can be reached. If the signal aborts, adds those that are available by then. */
  async addTools(com: ContextObjectModel, signal: AbortSignal): Promise<void> {
    // Connects in parallel, then adds the tools in the order of the servers.
    await Promise.all(this.#servers.map((server) => this.#discover(server, signal)));
    for (const server of this.#servers) {
      if (server.failures > 0) continue;
      try {
        await this.#service.discoverAndRegister(server.config, com, { signal, mayReuseList: true });
      } catch (error) {
        if (!signal.aborted) this.#warnOf(server, toHubError(error).message);
      }
    }
  }

  async #discover(server: Server, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#clock.now() < server.notBefore) return this.#warnAgain(server);
    try {
      await untilAborted(signal, () => this.#service.prepare(server.config));
      server.failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(server.failures, 20));
      server.failures += 1;
      server.notBefore = this.#clock.now() + delay;
      server.reason = toHubError(error).message;
      this.#warnOf(server, server.reason);
    }
  }

  #warnAgain(server: Server): void {
    if (server.failures > 0) this.#warnOf(server, server.reason);
  }

  #warnOf({ config }: Server, reason: string): void {
    this.#warn(`The tools of MCP server "${config.serverName}" are missing: ${reason}`);
  }
}
