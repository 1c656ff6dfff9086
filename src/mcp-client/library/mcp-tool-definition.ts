import { compileGlobs } from '../../base/glob.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ObjectJsonSchema } from '../../base/json-schema/json-schema.ts';
import { descriptionOf, inputSchemaOf } from '../../servers/remote-tool.ts';
import type { RemoteTool } from '../../servers/supervise/server-connection.ts';

/** A symbol property: JSON does not show it, but `{...definition, name: 'other'}` copies it. */
const origin = Symbol.for('agent-zoo.remote-name');

/** A tool as its server lists it. Its `name` may be changed; the remote name is remembered. */
export interface MCPToolDefinition extends RemoteTool {
  title?: string;
  description?: string;
  inputSchema: ObjectJsonSchema;
  [origin]?: string;
}

export function withRemoteName(tool: MCPToolDefinition, remoteName: string): MCPToolDefinition {
  return { ...tool, [origin]: remoteName };
}

/** Converts a server's tool. Returns undefined if nobody could call it, because its input schema does not describe an object. */
export function toMCPTool(tool: RemoteTool): MCPToolDefinition | undefined {
  const inputSchema = inputSchemaOf(tool);
  if (!inputSchema) return undefined;
  const definition: MCPToolDefinition = { ...tool, description: descriptionOf(tool), inputSchema };
  if (tool.description === undefined) delete definition.description;
  if (typeof tool.title !== 'string') delete definition.title;
  return definition;
}

/** Returns the remote name; undefined if the definition did not come from a server's list. */
export function remoteNameOf(definition: MCPToolDefinition): string | undefined {
  return definition[origin];
}

/** Changes what the model sees of a tool: name, description, schema. The server is still called with its own name for the tool. */
export interface ToolTransformer {
  /** Returning null leaves the tool out. */
  transform(tool: MCPToolDefinition): MCPToolDefinition | null;
}

/** Applies all transformers to each tool, in order. Throws INVALID_CONFIG that names the tool if a transformer returns anything but a tool or null. */
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
  // A transformer that returns a new object, or another tool, does not change which tool is called.
  return remoteNameOf(current) === remoteName ? current : withRemoteName(current, remoteName);
}

function assertTool(value: unknown, remoteName: string): asserts value is MCPToolDefinition {
  const { name, inputSchema } = (value ?? {}) as Partial<MCPToolDefinition>;
  if (typeof name === 'string' && name !== '' && typeof inputSchema === 'object' && inputSchema !== null) return;
  throw new HubError(
    'INVALID_CONFIG',
    `A transformer returned an invalid tool for "${remoteName.slice(0, 80)}": it must return a definition with name and inputSchema, or null to leave the tool out.`,
  );
}

/** Selects tools by remote name or `*` glob. */
export interface ToolFilter {
  /** All tools if absent or null. */
  include?: readonly string[] | null | undefined;
  /** Takes precedence over `include`. */
  exclude?: readonly string[] | null | undefined;
}

export function filterTools<T extends { name: string }>(tools: readonly T[], filter: ToolFilter): T[] {
  const included = filter.include ? compileGlobs(filter.include) : undefined;
  const excluded = compileGlobs(filter.exclude ?? []);
  return tools.filter(
    ({ name }) => (!included || included.find(name) !== undefined) && excluded.find(name) === undefined,
  );
}
