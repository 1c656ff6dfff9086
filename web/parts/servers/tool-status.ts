import type { ServerTool } from '../../../src/servers/servers.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';

export type ToolStatus = ServerTool['status'];

/** In the order in which a user should review them. */
export const toolStatuses: readonly ToolStatus[] = [
  'changed',
  'new',
  'conflict',
  'unusable',
  'active',
  'off',
  'filtered',
  'gone',
];

export const toolStatusNames: Record<ToolStatus, string> = {
  changed: 'Changed',
  new: 'New',
  conflict: 'Name taken',
  unusable: 'Unusable',
  active: 'Active',
  off: 'Off',
  filtered: 'Excluded',
  gone: 'Removed',
};

export type WaitingTool = ServerTool & { proposed: RemoteTool };

/** Returns whether a new or changed tool waits for approval. */
export function isWaiting(tool: ServerTool): tool is WaitingTool {
  return (tool.status === 'new' || tool.status === 'changed') && tool.proposed !== null;
}
