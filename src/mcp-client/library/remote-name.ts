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
