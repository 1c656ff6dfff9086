/** When approval is needed: `always` for every call, `never` for none, `tool` for tools that require it. */
export type ToolPermission = 'always' | 'never' | 'tool';

interface AskingTool {
  requiresApproval: boolean;
}

/** Whether a person is asked before this tool is called. */
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

/** The tools of a session in which nobody can be asked: those that need no permission, and no other. */
export function includedTools<T extends AskingTool>(permission: ToolPermission, tools: readonly T[]): T[] {
  return tools.filter((tool) => !asksFor(permission, tool));
}
