import { descriptionOf } from '../../../src/servers/remote-tool.ts';
import type { ServerTool } from '../../../src/servers/servers.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';
import { isToolName } from '../../../src/servers/tool-names.ts';
import type { ToolStatus } from '../../parts/servers/tool-status.ts';

/** Returns the accepted definition, or else the proposed one. */
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

/** Returns why a tool name is invalid, or null. Only the hub knows whether the name is free. */
export function checkAlias(alias: string): string | null {
  if (alias === '' || isToolName(alias)) return null;
  if (alias.length > 64) return `Use at most 64 characters (now ${alias.length}).`;
  return 'Use only letters, digits, _ . and -.';
}
