/** When approval is needed: `always` for every call, `never` for none, `tool` for tools that require it. */
export type ToolPermission = 'always' | 'never' | 'tool';

interface AskingTool {
  requiresApproval: boolean;
  isMemory?: boolean | undefined;
  isHarmlessInput?: ((input: unknown) => boolean) | undefined;
}

export interface AskRule {
  permission: ToolPermission;
  /** Whether tools that write to an agent's memory require approval, too. */
  includesMemory: boolean;
}

/** Tells which calls to this tool need approval: all, none, or those with certain input. */
export function confirmationFor(
  { permission, includesMemory }: AskRule,
  tool: AskingTool,
): boolean | ((input: unknown) => boolean) {
  switch (permission) {
    case 'always':
      return true;
    case 'never':
      return false;
    case 'tool':
      return byInput(tool, tool.requiresApproval || (includesMemory && tool.isMemory === true));
  }
}

function byInput({ isHarmlessInput }: AskingTool, isRequired: boolean): boolean | ((input: unknown) => boolean) {
  return isRequired && isHarmlessInput ? (input) => !isHarmlessInput(input) : isRequired;
}

/** Tells whether calls to this tool may need approval. */
export function asksFor(rule: AskRule, tool: AskingTool): boolean {
  return confirmationFor(rule, tool) !== false;
}

/** Returns the tools for a session in which nobody can approve: those with calls that need no approval. */
export function includedTools<T extends AskingTool>(rule: AskRule, tools: readonly T[]): T[] {
  return tools.filter((tool) => confirmationFor(rule, tool) !== true);
}
