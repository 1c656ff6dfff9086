import type { Tool } from '../tools/tool.ts';

/**
 * Tools of several servers, with the owner of each name before the others that want it: the server whose own prefix the name begins
 * with, then the first by name. Who owns a name does not depend on which server was there first.
 */
export function rankTools(tools: readonly Tool[]): Tool[] {
  const owners = new Map<string, Tool>();
  for (const tool of tools) {
    const other = owners.get(tool.name);
    if (!other || comesBefore(tool, other)) owners.set(tool.name, tool);
  }
  return [...owners.values(), ...tools.filter((tool) => owners.get(tool.name) !== tool)];
}

function comesBefore(tool: Tool, other: Tool): boolean {
  const [mine, others] = [hasOwnPrefix(tool), hasOwnPrefix(other)];
  return mine === others ? (tool.server?.name ?? '') < (other.server?.name ?? '') : mine;
}

function hasOwnPrefix({ name, server }: Tool): boolean {
  return server !== undefined && name.startsWith(`mcp__${server.name}__`);
}
