import { matchesAnyGlob } from '../base/glob.ts';
import type { Caller } from './caller.ts';

export type PermissionDecision = { allowed: true; rule: string } | { allowed: false; rule: string; message: string };

/**
 * The one place that says whether a caller may use a tool; listing and calling both ask it.
 * The local person may do everything; an address that names an agent shows only that agent's scope.
 */
export function decide(caller: Caller, toolName: string): PermissionDecision {
  const { scope } = caller;
  if (!scope) return { allowed: true, rule: 'the local caller may use every tool' };
  if (matchesAnyGlob(scope.tools, toolName)) {
    return { allowed: true, rule: `scope of agent "${scope.agentId}"` };
  }
  const allowed = scope.tools.length > 0 ? scope.tools.join(', ') : 'none';
  return {
    allowed: false,
    rule: `scope of agent "${scope.agentId}"`,
    message: `Tool "${toolName.slice(0, 80)}" is not in the scope of agent "${scope.agentId}". Its tools: ${allowed}.`,
  };
}
