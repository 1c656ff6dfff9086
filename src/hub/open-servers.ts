import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
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
  /** Servers that agent files define. */
  fileServers: ServerConfig;
  store: Store;
  vault: Vault;
  tools: ToolRegistry;
  clock: Clock;
  logger: Logger;
  redact: Redact;
  /** Registers secrets that must never be logged. */
  learn(secrets: readonly string[]): void;
  /** False for commands that do one thing and exit: they connect only the servers they use. */
  isLasting: boolean;
}

/** Opens the external servers of config and store. The MCP SDK is loaded with the first connection. */
export async function openServers(options: OpenServersOptions): Promise<ExternalServers> {
  const { document, fileServers, store, vault, tools, clock, logger, redact, learn, isLasting } = options;
  const servers = createExternalServers({
    store: store.servers,
    vault,
    registry: tools,
    configured: withServers(serverSections(document), fileServers),
    async connect(request) {
      await checkTrust(document, request.name);
      return (await import('../mcp-client/connection/connect-server.ts')).connectServer(request);
    },
    signIn: lazy(async () => (await import('../mcp-client/oauth/sign-in.ts')).signIn),
    lookUp: document.loaded.lookUp,
    clock,
    logger,
    redact,
    learn,
    canStartAtBoot: isLasting,
    holder: isLasting ? store.holder : null,
  });
  await servers.refresh();
  return servers;
}

/** Throws UNAVAILABLE if a program in the folder that the server runs has changed since the user trusted it. */
async function checkTrust(document: ConfigDocument, name: string): Promise<void> {
  const isOfServer = ({ path }: { path: readonly string[] }) =>
    (path[0] === 'mcp_servers' || path[0] === 'mcpServers') && path[1] === name;
  if (await document.isTrusted(isOfServer)) return;
  throw new HubError(
    'UNAVAILABLE',
    `Server "${name}" runs a file that has changed since you trusted this folder. Run "zoo trust" to see the difference and to allow it.`,
    { details: { server: name, retryable: false } },
  );
}
