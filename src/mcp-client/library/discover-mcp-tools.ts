import { MCPClient, type MCPServer } from './mcp-client.ts';
import { MCPService } from './mcp-service.ts';
import { MCPTool } from './mcp-tool.ts';
import { type MCPToolDefinition, remoteNameOf, type ToolFilter, withRemoteName } from './mcp-tool-definition.ts';

export interface DiscoverMCPToolsOptions extends ToolFilter {
  config: MCPServer;
  /** Pass a client to be able to close the connection. By default, a new one is created, which lives as long as the program. */
  client?: MCPClient | undefined;
  /** Added before each tool's name. */
  toolPrefix?: string | undefined;
}

/** Connects to a server and returns its tools, to pass to an engine or to run. Throws the errors of `MCPClient.connect`. */
export async function discoverMCPTools(options: DiscoverMCPToolsOptions): Promise<MCPTool[]> {
  const { config, client = new MCPClient(), toolPrefix = '', include, exclude } = options;
  // An empty list means all tools, as in AIDK.
  const service = new MCPService(client, { include: include?.length ? include : null, exclude });
  const definitions = await service.connectAndDiscover(config);
  return definitions.map((definition) =>
    createMCPToolFromDefinition({ client, config, definition, name: `${toolPrefix}${definition.name}` }),
  );
}

export interface CreateMCPToolFromDefinitionOptions {
  /** The client that is connected to the server. */
  client: MCPClient;
  config: MCPServer;
  /** A tool of the server, as `connectAndDiscover` returns it. */
  definition: MCPToolDefinition;
  /** The name that the model sees, if it differs. */
  name?: string | undefined;
}

/** Returns a tool of a server, to pass to an engine or to run. */
export function createMCPToolFromDefinition(options: CreateMCPToolFromDefinitionOptions): MCPTool {
  const { client, config, definition, name = definition.name } = options;
  const remoteName = remoteNameOf(definition) ?? definition.name;
  return new MCPTool(client, config.serverName, withRemoteName({ ...definition, name }, remoteName), config);
}
