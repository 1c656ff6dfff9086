import type { RemoteTool } from '../servers/server-connection.ts';

/** A property that JSON does not show and `{...definition, name: 'other'}` takes along. */
const origin = Symbol.for('agent-zoo.remote-name');

/** A tool as its server lists it. Its `name` may be changed: what the server calls it is remembered. */
export interface MCPToolDefinition extends RemoteTool {
  [origin]?: string;
}

export function withRemoteName(tool: RemoteTool, remoteName: string): MCPToolDefinition {
  return { ...tool, [origin]: remoteName };
}

/** What the server calls the tool; undefined when this definition did not come from a list. */
export function remoteNameOf(definition: MCPToolDefinition): string | undefined {
  return definition[origin];
}
