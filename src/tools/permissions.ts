import { compileGlobs, type GlobList } from '../base/glob.ts';
import { hasRight } from '../base/rights.ts';
import type { Caller, CallingMember } from './caller.ts';
import type { Tool } from './tool.ts';

export type PermissionDecision = { allowed: true; rule: string } | { allowed: false; rule: string; message: string };

/** The maximum number of patterns per list in an error message. */
const maxShown = 20;

/** The part of a tool that `decide` looks at. */
export type JudgedTool = Pick<Tool, 'name' | 'right' | 'isForMembers' | 'isForUser' | 'permissionName' | 'agentId'>;

/**
 * Decides whether a caller may use a tool. Every surface asks it, both to list and to call. A member of the team has the rules of
 * its type plus the scope of its agent. Everyone else needs the tool's right, and cannot call tools for members (mail needs a sender),
 * except the user who acts in person. An address that names an agent is limited to that agent's scope.
 */
export function decide(caller: Caller, tool: JudgedTool): PermissionDecision {
  if (caller.member) return decideForMember(caller.member, tool);
  if (tool.isForMembers && !caller.isUser) {
    return {
      allowed: false,
      rule: 'for members of the team',
      message: `Tool '${tool.name}' is for members of the team. Call it as a member: "zoo team add" creates one and shows its token.`,
    };
  }
  if (!hasRight(caller.right, tool.right)) return withoutRight(caller, tool);
  return caller.scope
    ? decideByScope(caller.scope, tool)
    : { allowed: true, rule: `the right to ${caller.right} includes it` };
}

function withoutRight({ kind, right }: Caller, tool: JudgedTool): PermissionDecision {
  const who = kind === 'anonymous' ? 'a caller without a key' : 'this caller';
  return {
    allowed: false,
    rule: `${who} may only ${right}`,
    message: `Tool "${tool.name.slice(0, 80)}" needs the "${tool.right}" right, which ${who} does not have. Connect with a key: "zoo connect CLIENT" or "zoo key create NAME" creates one.`,
  };
}

function decideForMember(member: CallingMember, tool: JudgedTool): PermissionDecision {
  const { type, rules } = member;
  if (tool.isForUser) return refused(member, tool, 'only the user may call it');
  if (tool.agentId !== undefined && tool.agentId === member.agent) return itself(tool.agentId);
  const name = tool.permissionName ?? tool.name;
  const denied = firstMatch(rules.deny, name);
  if (denied !== undefined) return refused(member, tool, `${type} may not call ${denied}`);
  const allowed = firstMatch(rules.allow, name);
  if (allowed !== undefined) return { allowed: true, rule: `${type} may call ${allowed}` };
  const scoped = firstMatch(member.scope, name);
  if (scoped !== undefined) return { allowed: true, rule: `agent "${member.agent}" has ${scoped} in its scope` };
  const mayCall = [...rules.allow.slice(0, maxShown), ...member.scope.slice(0, maxShown)].join(', ') || 'none';
  return refused(member, tool, `no ${type} rule allows it`, `. Allowed: ${mayCall}.`);
}

/** Clients of teams look for the first sentence, so its wording is fixed. The rule follows. */
function refused({ type }: CallingMember, tool: JudgedTool, rule: string, hint = ''): PermissionDecision {
  return {
    allowed: false,
    rule,
    message: `Tool '${tool.name.slice(0, 80)}' is not allowed for agent type '${type}' (${rule})${hint}`,
  };
}

function decideByScope(scope: NonNullable<Caller['scope']>, tool: JudgedTool): PermissionDecision {
  if (tool.agentId === scope.agentId) return itself(scope.agentId);
  const rule = `scope of agent "${scope.agentId}"`;
  if (firstMatch(scope.tools, tool.permissionName ?? tool.name) !== undefined) return { allowed: true, rule };
  const allowed = scope.tools.length > 0 ? scope.tools.join(', ') : 'none';
  return {
    allowed: false,
    rule,
    message: `Tool "${tool.name.slice(0, 80)}" is not in the scope of agent "${scope.agentId}". Its tools: ${allowed}.`,
  };
}

/** An agent cannot call itself, even if a `*` in its scope matches. */
function itself(agentId: string): PermissionDecision {
  return { allowed: false, rule: 'no agent calls itself', message: `Agent "${agentId}" cannot call itself as a tool.` };
}

/**
 * Compiled pattern lists. A list never changes: a new config or a new revision of an agent brings a new list. Long lists also remember
 * their answer for each name, because there are few tools and every call asks about one.
 */
const compiled = new WeakMap<readonly string[], (name: string) => string | undefined>();
const longList = 20;
const maxRemembered = 5_000;
/** No tool has a longer name, so remembering one would only cost memory. */
const maxRememberedName = 256;

function firstMatch(patterns: readonly string[], name: string): string | undefined {
  if (patterns.length === 0) return undefined;
  let find = compiled.get(patterns);
  if (!find) {
    const list = compileGlobs(patterns);
    find = patterns.length < longList ? list.find : rememberAnswers(list);
    compiled.set(patterns, find);
  }
  return find(name);
}

function rememberAnswers(list: GlobList): (name: string) => string | undefined {
  /** Null if no pattern matches. */
  const answers = new Map<string, string | null>();
  return (name) => {
    const known = answers.get(name);
    if (known !== undefined) return known ?? undefined;
    const found = list.find(name);
    if (answers.size < maxRemembered && name.length <= maxRememberedName) answers.set(name, found ?? null);
    return found;
  };
}
