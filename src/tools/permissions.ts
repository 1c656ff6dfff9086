import { compileGlobs, type GlobList } from '../base/glob.ts';
import type { Caller, CallingMember } from './caller.ts';
import type { Tool } from './tool.ts';

export type PermissionDecision = { allowed: true; rule: string } | { allowed: false; rule: string; message: string };

/** The maximum number of patterns of each kind that an error names. */
const maxShown = 20;

/** What `decide` has to know of a tool. */
export type JudgedTool = Pick<Tool, 'name' | 'isForMembers' | 'permissionName' | 'agentId'>;

/**
 * The one place that says whether a caller may use a tool; listing and calling both ask it, on every surface. A member of the
 * team has the rules of its type and the scope of its agent. The local person may do everything but what only a member
 * can (who would send the mail?); an address that names an agent shows only that agent's scope.
 */
export function decide(caller: Caller, tool: JudgedTool): PermissionDecision {
  if (caller.member) return decideForMember(caller.member, tool);
  if (tool.isForMembers) {
    return {
      allowed: false,
      rule: 'for members of the team',
      message: `Tool '${tool.name}' is for members of the team. Call it as one of them: "zoo team add" makes a member and shows its token.`,
    };
  }
  return caller.scope
    ? decideByScope(caller.scope, tool)
    : { allowed: true, rule: 'the local caller may use every tool' };
}

function decideForMember(member: CallingMember, tool: JudgedTool): PermissionDecision {
  const { type, rules } = member;
  if (tool.agentId !== undefined && tool.agentId === member.agent) return itself(tool.agentId);
  const name = tool.permissionName ?? tool.name;
  const denied = firstMatch(rules.deny, name);
  if (denied !== undefined) return refused(member, tool, `deny "${denied}" of ${type}`);
  const allowed = firstMatch(rules.allow, name);
  if (allowed !== undefined) return { allowed: true, rule: `allow "${allowed}" of ${type}` };
  const scoped = firstMatch(member.scope, name);
  if (scoped !== undefined) return { allowed: true, rule: `scope "${scoped}" of agent "${member.agent}"` };
  const mayCall = [...rules.allow.slice(0, maxShown), ...member.scope.slice(0, maxShown)].join(', ') || 'none';
  return refused(member, tool, `no ${type} rule allows it`, `. Allowed: ${mayCall}.`);
}

/** The fixed sentence that clients of teams look for, then the rule. */
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

/** Whatever its scope names: a `*` is not meant so. */
function itself(agentId: string): PermissionDecision {
  return { allowed: false, rule: 'no agent calls itself', message: `Agent "${agentId}" cannot call itself as a tool.` };
}

/**
 * Lists are never changed in place: the config and an agent's revision bring new ones. So each is compiled once, and what a long one
 * says to a name is kept: tools are few, and each is asked about at every call.
 */
const compiled = new WeakMap<readonly string[], (name: string) => string | undefined>();
const longList = 20;
const maxKept = 5_000;
/** Longer names are no tools: keeping them would only cost memory. */
const maxKeptName = 256;

function firstMatch(patterns: readonly string[], name: string): string | undefined {
  if (patterns.length === 0) return undefined;
  let find = compiled.get(patterns);
  if (!find) {
    const list = compileGlobs(patterns);
    find = patterns.length < longList ? list.find : keepAnswers(list);
    compiled.set(patterns, find);
  }
  return find(name);
}

function keepAnswers(list: GlobList): (name: string) => string | undefined {
  /** Null: no pattern matches. */
  const answers = new Map<string, string | null>();
  return (name) => {
    const known = answers.get(name);
    if (known !== undefined) return known ?? undefined;
    const found = list.find(name);
    if (answers.size < maxKept && name.length <= maxKeptName) answers.set(name, found ?? null);
    return found;
  };
}
