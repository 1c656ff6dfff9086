import type { Clock } from '../base/clock.ts';
import { lazy } from '../base/lazy.ts';
import type { Logger } from '../base/logger.ts';
import { withServers } from '../config/agents/agent-files.ts';
import type { ConfigDocument } from '../config/config-document.ts';
import { serverSections } from '../config/server-sections.ts';
import { createExternalServers, type ExternalServers } from '../servers/external-servers.ts';
import type { ServerConfig } from '../servers/server-specs.ts';
import type { Store } from '../store/store.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { Vault } from '../vault/vault.ts';

export interface OpenServersOptions {
  document: ConfigDocument;
  /** Those of the agent files. */
  fileServers: ServerConfig;
  store: Store;
  vault: Vault;
  tools: ToolRegistry;
  clock: Clock;
  logger: Logger;
  redact: Redact;
  /** Takes values that must stand in no log from now on. */
  learn(secrets: readonly string[]): void;
  /** False for commands that answer once: they connect only what they use. */
  isLasting: boolean;
}

/** The external servers of config and store, with the connections that the MCP SDK makes; that is loaded with the first one. */
export async function openServers(options: OpenServersOptions): Promise<ExternalServers> {
  const { document, fileServers, store, vault, tools, clock, logger, redact, learn, isLasting } = options;
  const servers = createExternalServers({
    store: store.servers,
    vault,
    registry: tools,
    configured: withServers(serverSections(document), fileServers),
    connect: async (request) => (await import('../mcp-client/connection/connect-server.ts')).connectServer(request),
    signIn: lazy(async () => (await import('../mcp-client/oauth/sign-in.ts')).signIn),
    lookUp: document.loaded.lookUp,
    clock,
    logger,
    redact,
    learn,
    canStartAtBoot: isLasting,
  });
  await servers.refresh();
  return servers;
}
