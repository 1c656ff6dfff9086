import type { PermissionRules } from './permissions.ts';
import type { Purse } from './purse.ts';

/** Where `depth` travels in the `_meta` of an MCP call. */
export const depthKey = 'agent-zoo/depth';

/** Who makes a call, and the view it came through. Built by a surface, judged by `decide`. */
export interface Caller {
  surface: 'mcp' | 'http' | 'web' | 'cli' | 'engine' | 'a2a';
  /** Set where the address names one agent: only the tools in its scope exist there. */
  scope?: AgentScope | undefined;
  /** Set where the caller proved to be a member of the team: its role's rules count. */
  member?: CallingMember | undefined;
  /** How many agents called each other before this call; none where it is not said. It travels with calls to other servers. */
  depth?: number | undefined;
  /** Set where a run calls: what the call uses of models counts against its budget. It does not leave the process. */
  purse?: Purse | undefined;
}

interface AgentScope {
  agentId: string;
  /** Tool names or `*` globs. */
  tools: readonly string[];
}

export interface CallingMember {
  id: string;
  type: string;
  rules: PermissionRules;
  /** The agent it is an instance of, and the tools in that agent's scope. */
  agent: string | null;
  scope: readonly string[];
  taskId: string | null;
}
