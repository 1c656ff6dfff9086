import { compileGlobs } from '../../base/glob.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ToolMetadata, ToolOwner, ToolRunContext } from '../../engine/executable-tool.ts';
import { toToolContent } from '../../servers/external-tool.ts';
import type { ContentBlock, ToolContent } from '../../tools/content.ts';
import type { ConnectedTool, MCPClient } from './mcp-client.ts';
import type { MCPConfig, MCPServerEntry } from './mcp-config.ts';
import { type MCPToolDefinition, remoteNameOf } from './mcp-tool-definition.ts';

type Confirmation = Pick<MCPConfig | MCPServerEntry, 'requiresConfirmation'>;

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

  constructor(client: MCPClient, serverName: string, definition: MCPToolDefinition, config: Confirmation = {}) {
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

function confirmation(
  rule: Confirmation['requiresConfirmation'],
  remoteName: string,
): ToolMetadata['requiresConfirmation'] {
  if (typeof rule === 'function') return (input) => rule(input, remoteName);
  if (typeof rule === 'boolean' || rule === undefined) return rule;
  return compileGlobs(rule).find(remoteName) !== undefined;
}
