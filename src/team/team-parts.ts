import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { DecisionHistory } from '../tools/decision-log.ts';
import type { PermissionRules } from '../tools/permissions.ts';
import type { Redact } from '../tools/redact/redact.ts';
import type { MemberType } from './members/member.ts';
import type { TeamStore } from './team.store.ts';

/** What the team's files work with. */
export interface TeamParts {
  store: TeamStore;
  decisions: DecisionHistory;
  clock: Clock;
  logger: Logger;
  settings: TeamSettings;
  /** Takes known secrets out of a text before it is stored. */
  redact: Redact;
  /** The tools in the scope of an agent; undefined when there is no such agent. */
  scopeOf(agent: string): Promise<readonly string[] | undefined>;
}

export interface TeamSettings {
  permissions: Readonly<Record<MemberType, PermissionRules>>;
  /** Where events go besides the handlers of this process. */
  eventTargets: readonly EventTarget[];
  /** A member with a task in progress that made no call for so long is stalled. */
  stalledAfterMs: number;
  /** A task that waits so long (assigned, not begun; in review; blocked) is told up the line. */
  waitingAfterMs: number;
  /** The same fault again within this time is counted, not mailed. */
  escalationWindowMs: number;
  reconcileEveryMs: number;
}

export interface EventTarget {
  /** `webhook:NAME` or `inngest`. */
  target: string;
  /** Types of events; all when it is missing. */
  events?: readonly string[] | undefined;
}
