import { descriptionOf } from '../../../src/servers/remote-tool.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';
import { isToolName } from '../../../src/servers/tool-names.ts';
import type { ToolStatus } from './describe-server.ts';

export type HeldServerTool = ServerTool & { proposed: RemoteTool };

/** New and changed tools wait for a person. */
export function isHeld(tool: ServerTool): tool is HeldServerTool {
  return (tool.status === 'new' || tool.status === 'changed') && tool.proposed !== null;
}

/** What is shown of it: what is offered, else what is proposed. */
export function definitionOf(tool: ServerTool): RemoteTool | null {
  return tool.accepted ?? tool.proposed;
}

export function filterTools(tools: readonly ServerTool[], query: string, status: ToolStatus | ''): ServerTool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return tools.filter((tool) => {
    if (status !== '' && tool.status !== status) return false;
    if (words.length === 0) return true;
    const definition = definitionOf(tool);
    const text = [
      tool.localName,
      tool.remoteName,
      String(definition?.title ?? ''),
      descriptionOf(definition),
      tool.setting.description ?? '',
    ]
      .join('\n')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Why a name cannot be one, while it is typed; null when it can. Whether it is free, the hub knows. */
export function checkAlias(alias: string): string | null {
  if (alias === '' || isToolName(alias)) return null;
  if (alias.length > 64) return `At most 64 characters; these are ${alias.length}.`;
  return 'Only letters, digits, _ . and -, as every client accepts them.';
}
