import type { JsonObject } from '../../base/json.ts';
import type {
  RemoteResult,
  RemoteTool,
  ServerConnection,
  ServerGreeting,
} from '../../servers/supervise/server-connection.ts';

/** A connected server, with the usual methods of an MCP client. A lost connection is restored for the next request. */
export interface MCPConnection extends ServerGreeting {
  readonly serverName: string;
  listTools(): Promise<{ tools: RemoteTool[] }>;
  callTool(call: { name: string; arguments?: object | undefined }): Promise<RemoteResult>;
  /** Sends any other request: `resources/list`, `prompts/get`, … */
  request(request: { method: string; params?: JsonObject | undefined }): Promise<JsonObject>;
  getServerVersion(): ServerGreeting['serverInfo'];
  getInstructions(): string | undefined;
  /** Disconnects the server for everyone. */
  close(): Promise<void>;
}

export interface MCPConnectionParts {
  serverName: string;
  greeting: ServerGreeting;
  use<T>(work: (connection: ServerConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function toMCPConnection({ serverName, greeting, use, close }: MCPConnectionParts): MCPConnection {
  return {
    ...greeting,
    serverName,
    listTools: async () => ({ tools: await use((connection) => connection.listTools()) }),
    callTool: ({ name, arguments: input = {} }) => use((connection) => connection.callTool(name, input)),
    request: ({ method, params = {} }) => use((connection) => connection.request(method, params)),
    getServerVersion: () => greeting.serverInfo,
    getInstructions: () => greeting.instructions,
    close,
  };
}
