import { HubError } from '../base/hub-error.ts';
import type { Right } from '../base/rights.ts';
import type { RunReading } from './outside-text.ts';

/** The key of `depth` in the `_meta` of an MCP call. */
export const depthKey = 'agent-zoo/depth';

/** Who makes a call, and through which view. Surfaces build it; `decide` judges it. */
export interface Caller {
  surface: 'mcp' | 'http' | 'web' | 'cli' | 'engine' | 'a2a';
  /** Who makes the call. `agent`: a run, on behalf of the caller that started it. */
  kind: 'owner' | 'client' | 'member' | 'anonymous' | 'agent';
  /** What the caller may do. For a member, the rules of its type decide about tools instead. */
  right: Right;
  /** The name of the key that a client called with. */
  clientName?: string | undefined;
  /** The id of that key: several keys may have the same name. */
  clientId?: string | undefined;
  /** Set if the address names an agent: only tools in that agent's scope are visible. */
  scope?: AgentScope | undefined;
  /** Set if the caller has proved that it is a member of the team: the rules of its type apply. */
  member?: CallingMember | undefined;
  /** Set if the user acts in person, on a screen or in a terminal: team tools run as `HUMAN`. */
  isUser?: true | undefined;
  /** How many agents called each other before this call; 0 by default. Calls to other servers pass it on. */
  depth?: number | undefined;
  /** Set if a run makes the call: whom the run works for. Models that the call uses are counted for them. */
  workedFor?: WorkedFor | undefined;
  /** Set if a run makes the call: model usage counts against the run's budget. It stays within this process. */
  purse?: Purse | undefined;
  /** Set if a run makes the call: the text from outside that it has read. It stays within this process, too. */
  reading?: RunReading | undefined;
  /** Set if a stored run makes the call. Runs that the call starts are stored as called by it. It stays within this process, too. */
  runCall?: RunCall | undefined;
}

/** A tool call of a stored run. */
export interface RunCall {
  runId: string;
  /** The id of the call in the conversation of the run. Some providers use an id again in a later tick. */
  callId: string;
  tick: number;
}

/** Whom an agent works for. Both are empty for the user. */
export interface WorkedFor {
  client: string;
  memberId: string;
}

/** Returns whom an agent works for when this caller asks it. */
export function workedForBy({ workedFor, clientName = '', member }: Caller): WorkedFor {
  return workedFor ?? { client: clientName, memberId: member?.id ?? '' };
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

/** Tool names or `*` globs. Deny wins over allow, and whatever is not allowed is denied. */
export interface PermissionRules {
  allow: readonly string[];
  deny: readonly string[];
}

/**
 * The budget of a run, shared with every agent that the run calls. It travels with the caller within one process; calls that leave
 * the process have budgets of their own.
 */
export interface Purse {
  /** Counts usage here and in the purse of every caller above. `cost` is in US dollars; null if unknown. */
  pay(usage: UsedTokens, cost: number | null): void;
  /** Names the limit that was reached, here or further up; undefined while budget is left. */
  spent(): string | undefined;
  /** Whether there is a limit in dollars, here or further up. Every model then needs a price. */
  readonly limitsCost: boolean;
}

interface UsedTokens {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
}

/** Ends loops of agents that call each other, even across several hubs. */
const maxDepth = 5;

/** Throws AGENT_ERROR if too many agents have called each other before this call. */
export function refuseTooDeep(agentId: string, depth = 0): void {
  if (depth < maxDepth) return;
  throw new HubError(
    'AGENT_ERROR',
    `The call to agent "${agentId}" was rejected because agents already called each other ${maxDepth} levels deep. Remove the tool that leads back from the scope of one of them.`,
  );
}
