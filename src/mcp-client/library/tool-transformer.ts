import { HubError } from '../../base/hub-error.ts';
import { type MCPToolDefinition, remoteNameOf, withRemoteName } from './remote-name.ts';

/** Changes what a model sees of a tool: name, description, schema. The server still gets its own name for it. */
export interface ToolTransformer {
  /** Null leaves the tool out. */
  transform(tool: MCPToolDefinition): MCPToolDefinition | null;
}

/** Each tool walks the list from first to last. Throws INVALID_CONFIG that names the tool, when a transformer makes no tool of it. */
export function transformTools(
  tools: readonly MCPToolDefinition[],
  transformers: readonly ToolTransformer[],
): MCPToolDefinition[] {
  return tools.map((tool) => transformTool(tool, transformers)).filter((tool) => tool !== null);
}

function transformTool(tool: MCPToolDefinition, transformers: readonly ToolTransformer[]): MCPToolDefinition | null {
  const remoteName = remoteNameOf(tool) ?? tool.name;
  let current = tool;
  for (const transformer of transformers) {
    const changed = transformer.transform(current);
    if (changed === null) return null;
    assertTool(changed, remoteName);
    current = changed;
  }
  // One that built its answer from nothing, or from another tool, does not change which tool is called.
  return remoteNameOf(current) === remoteName ? current : withRemoteName(current, remoteName);
}

function assertTool(value: unknown, remoteName: string): asserts value is MCPToolDefinition {
  const { name, inputSchema } = (value ?? {}) as Partial<MCPToolDefinition>;
  if (typeof name === 'string' && name !== '' && typeof inputSchema === 'object' && inputSchema !== null) return;
  throw new HubError(
    'INVALID_CONFIG',
    `A transformer made no tool of "${remoteName.slice(0, 80)}": it must return a definition with name and inputSchema, or null to leave the tool out.`,
  );
}
