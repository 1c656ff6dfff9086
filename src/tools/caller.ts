import { HubError } from '../base/hub-error.ts';

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

/** Tool names or `*` globs. What is denied is denied, what is not allowed is denied. */
export interface PermissionRules {
  allow: readonly string[];
  deny: readonly string[];
}

/**
 * What a run may use, for itself and for every agent it calls. It travels with the caller of a tool within one process; what
 * leaves the process pays for itself.
 */
export interface Purse {
  /** Counts what was used here, and in the purse of whoever called, up to the first. `cost` in US dollars; null where it is not known. */
  pay(usage: UsedTokens, cost: number | null): void;
  /** Says which limit was reached, here or further up; undefined while there is something left. */
  spent(): string | undefined;
  /** Whether a limit in dollars holds, here or further up: every model must have a price then. */
  readonly limitsCost: boolean;
}

interface UsedTokens {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
}

/** Agents that call each other, or themselves, through however many hubs, come to an end. */
const deepest = 5;

/** Throws AGENT_ERROR where so many agents called each other before that this one is not asked any more. */
export function refuseTooDeep(agentId: string, depth = 0): void {
  if (depth < deepest) return;
  throw new HubError(
    'AGENT_ERROR',
    `Agents called each other ${deepest} deep, and agent "${agentId}" would be the next: the call was refused, because it would not end. Take the tool that leads back out of the scope of one of them.`,
  );
}
