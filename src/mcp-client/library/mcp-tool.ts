import { compileGlobs } from '../../base/glob.ts';
import { HubError } from '../../base/hub-error.ts';
import type { MCPToolConfig, ToolMetadata, ToolOwner, ToolRunContext } from '../../engine/executable-tool.ts';
import { toToolContent } from '../../servers/external-tool.ts';
import type { ContentBlock, ToolContent } from '../../tools/content.ts';
import type { ConnectedTool, MCPClient } from './mcp-client.ts';
import type { MCPConfig } from './mcp-config.ts';
import { type MCPToolDefinition, remoteNameOf } from './mcp-tool-definition.ts';

/** What a tool takes from the config of its server. */
interface ServerOfTool {
  connection?: unknown;
  url?: unknown;
  serverUrl?: unknown;
  transport?: unknown;
  requiresConfirmation?: MCPConfig['requiresConfirmation'];
  [key: string]: unknown;
}

/** A tool of an MCP server that the engine can run. */
export class MCPTool implements ConnectedTool {
  /** What the model sees. Change it before the tool is added to a context. */
  readonly metadata: ToolMetadata;
  readonly serverName: string;
  /** The server's name for the tool. */
  readonly remoteName: string;
  /** The original definition, including output schema and annotations. */
  readonly definition: MCPToolDefinition;
  readonly #client: MCPClient;

  constructor(client: MCPClient, serverName: string, definition: MCPToolDefinition, config: ServerOfTool = {}) {
    this.#client = client;
    this.serverName = serverName;
    this.definition = definition;
    this.remoteName = remoteNameOf(definition) ?? definition.name;
    this.metadata = {
      name: definition.name,
      description: definition.description ?? definition.title ?? '',
      inputSchema: definition.inputSchema,
      type: 'mcp',
      serverName,
      mcpConfig: toToolConfig(serverName, config),
      requiresConfirmation: confirmation(config.requiresConfirmation, this.remoteName),
    };
  }

  /** Returns the content of the result. Throws TOOL_ERROR with the server's text if the tool reports a failure. */
  async run(input: unknown, context?: ToolRunContext): Promise<ContentBlock[]> {
    const { content, isError, structuredContent } = await this.execute(input, context);
    if (!isError) return [...content];
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    throw new HubError('TOOL_ERROR', text || `Tool "${this.remoteName}" of MCP server "${this.serverName}" failed.`, {
      details: { content, ...(structuredContent !== undefined && { structuredContent }) },
    });
  }

  /** Returns the whole result, including a failure that the tool reports. */
  async execute(input: unknown, context?: ToolRunContext): Promise<ToolContent> {
    const { signal, traceparent } = context ?? {};
    return toToolContent(
      await this.#client.callTool(this.serverName, this.remoteName, asObject(input), {
        signal,
        ...(traceparent && { meta: { traceparent } }),
      }),
    );
  }

  onAdded(owner: ToolOwner): void {
    this.#client.noteAdded(this, owner);
  }

  onRemoved(owner: ToolOwner): void {
    this.#client.noteRemoved(this, owner);
  }
}

function asObject(input: unknown): object {
  if (input === undefined || input === null) return {};
  if (typeof input === 'object' && !Array.isArray(input)) return input;
  throw new HubError('INVALID_ARGUMENTS', 'The input of a tool must be an object.');
}

function toToolConfig(serverName: string, config: ServerOfTool): MCPToolConfig {
  const { connection, transport, url, serverUrl } = config;
  const address = (connection as { url?: unknown } | undefined)?.url ?? url ?? serverUrl;
  return {
    serverName,
    ...(typeof address === 'string' && { serverUrl: address }),
    ...(typeof transport === 'string' && { transport }),
  };
}

function confirmation(
  rule: MCPConfig['requiresConfirmation'],
  remoteName: string,
): ToolMetadata['requiresConfirmation'] {
  if (typeof rule === 'function') return (input) => rule(input, remoteName);
  if (typeof rule === 'boolean' || rule === undefined) return rule;
  return compileGlobs(rule).find(remoteName) !== undefined;
}
