import { compileGlobs } from '../../base/glob.ts';
import { HubError } from '../../base/hub-error.ts';
import type { ObjectJsonSchema } from '../../base/json-schema/json-schema.ts';
import { descriptionOf, inputSchemaOf } from '../../servers/remote-tool.ts';
import type { RemoteTool } from '../../servers/supervise/server-connection.ts';

/** A property that JSON does not show and `{...definition, name: 'other'}` takes along. */
const origin = Symbol.for('agent-zoo.remote-name');

/** A tool as its server lists it. Its `name` may be changed: what the server calls it is remembered. */
export interface MCPToolDefinition extends RemoteTool {
  title?: string;
  description?: string;
  inputSchema: ObjectJsonSchema;
  [origin]?: string;
}

export function withRemoteName(tool: MCPToolDefinition, remoteName: string): MCPToolDefinition {
  return { ...tool, [origin]: remoteName };
}

/** A server's tool as a definition. Undefined when nobody could call it: its input schema describes no object. */
export function toMCPTool(tool: RemoteTool): MCPToolDefinition | undefined {
  const inputSchema = inputSchemaOf(tool);
  if (!inputSchema) return undefined;
  const definition: MCPToolDefinition = { ...tool, description: descriptionOf(tool), inputSchema };
  if (tool.description === undefined) delete definition.description;
  if (typeof tool.title !== 'string') delete definition.title;
  return definition;
}

/** What the server calls the tool; undefined when this definition did not come from a list. */
export function remoteNameOf(definition: MCPToolDefinition): string | undefined {
  return definition[origin];
}

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

/** Names as the server lists them, or `*` globs. */
export interface ToolFilter {
  /** Absent or null is all. */
  include?: readonly string[] | null | undefined;
  /** Wins over `include`. */
  exclude?: readonly string[] | null | undefined;
}

export function filterTools<T extends { name: string }>(tools: readonly T[], filter: ToolFilter): T[] {
  const included = filter.include ? compileGlobs(filter.include) : undefined;
  const excluded = compileGlobs(filter.exclude ?? []);
  return tools.filter(
    ({ name }) => (!included || included.find(name) !== undefined) && excluded.find(name) === undefined,
  );
}
