/** When approval is needed: `always` for every call, `never` for none, `tool` for tools that require it. */
export type ToolPermission = 'always' | 'never' | 'tool';

interface AskingTool {
  requiresApproval: boolean;
}

/** Tells whether calls of this tool need approval. */
export function asksFor(permission: ToolPermission, tool: AskingTool): boolean {
  switch (permission) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'tool':
      return tool.requiresApproval;
  }
}

/** Returns the tools for a session in which nobody can approve: only those that need no approval. */
export function includedTools<T extends AskingTool>(permission: ToolPermission, tools: readonly T[]): T[] {
  return tools.filter((tool) => !asksFor(permission, tool));
}
