import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { PermissionRules } from '../tools/caller.ts';
import type { DecisionHistory } from '../tools/decision-log.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { MemberType } from './members/member.ts';
import type { TeamStore } from './team.store.ts';

/** The ports and settings that the team's files share. */
export interface TeamParts {
  store: TeamStore;
  decisions: DecisionHistory;
  clock: Clock;
  logger: Logger;
  settings: TeamSettings;
  /** Removes known secrets from a text before it is stored. */
  redact: Redact;
  /** Returns the tools in an agent's scope, or undefined if there is no such agent. */
  scopeOf(agent: string): Promise<readonly string[] | undefined>;
}

export interface TeamSettings {
  permissions: Readonly<Record<MemberType, PermissionRules>>;
  /** Receivers of events, besides the handlers in this process. */
  eventTargets: readonly EventTarget[];
  /** A member with a task in progress is stalled after this long without a call. */
  stalledAfterMs: number;
  /** A task that is assigned but not begun, in review or blocked is reported to a supervisor after this long. */
  waitingAfterMs: number;
  /** Within this time, a repeated fault is counted in the first mail instead of mailed again. */
  escalationWindowMs: number;
  reconcileEveryMs: number;
}

export interface EventTarget {
  /** `webhook:NAME` or `inngest`. */
  target: string;
  /** The types of events it receives; all types if omitted. */
  events?: readonly string[] | undefined;
}
