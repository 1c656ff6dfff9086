import { describe, expect, it } from 'vitest';
import { ownerCaller } from '../callers/callers.ts';
import type { Caller, CallingMember } from './caller.ts';
import { decide, type JudgedTool } from './permissions.ts';

const tool = (name: string, fields: Partial<JudgedTool> = {}): JudgedTool => ({
  name,
  right: 'work',
  isForMembers: false,
  ...fields,
});

function member(fields: Partial<CallingMember> = {}): Caller {
  const rules = { allow: ['mail__*', 'task__add'], deny: ['task__*'] };
  return {
    surface: 'http',
    kind: 'member',
    right: 'use',
    member: { id: 'w', type: 'WORKER', rules, agent: null, scope: [], taskId: null, ...fields },
  };
}

describe('a member', () => {
  it('may call the tools that its type allows, by name or glob', () => {
    expect(decide(member(), tool('mail__send', { isForMembers: true }))).toEqual({
      allowed: true,
      rule: 'WORKER may call mail__*',
    });
  });

  it('may not call a denied tool, even if it is allowed by name', () => {
    expect(decide(member(), tool('task__add'))).toMatchObject({ allowed: false, rule: 'WORKER may not call task__*' });
  });

  it('may not call a tool that no rule allows, and the error names the tool and the type', () => {
    const decision = decide(member(), tool('search'));
    expect(decision).toMatchObject({ allowed: false, rule: 'no WORKER rule allows it' });
    expect(decision.allowed || decision.message).toMatch(/^Tool 'search' is not allowed for agent type 'WORKER'/);
  });

  it('may also call tools in the scope of its agent, unless its type denies them', () => {
    const caller = member({ agent: 'reviewer', scope: ['search', 'task__list'] });
    expect(decide(caller, tool('search'))).toEqual({ allowed: true, rule: 'agent "reviewer" has search in its scope' });
    expect(decide(caller, tool('task__list'))).toMatchObject({ allowed: false });
  });

  it('may call a second name of a tool exactly when it may call the first', () => {
    expect(decide(member(), tool('post', { permissionName: 'mail__send' }))).toMatchObject({ allowed: true });
    expect(decide(member(), tool('mail__x', { permissionName: 'task__x' }))).toMatchObject({ allowed: false });
  });

  it('cannot call its own agent', () => {
    const caller = member({ agent: 'a', scope: ['agent__*'] });
    expect(decide(caller, tool('agent__a', { agentId: 'a' }))).toMatchObject({ rule: 'no agent calls itself' });
    expect(decide(caller, tool('agent__b', { agentId: 'b' })).allowed).toBe(true);
  });

  it('with no rules at all may call nothing', () => {
    expect(decide(member({ rules: { allow: [], deny: [] } }), tool('mail__send')).allowed).toBe(false);
  });
});

describe('a caller that is not a member', () => {
  it('may call everything except tools for members only', () => {
    expect(decide(ownerCaller(), tool('search')).allowed).toBe(true);
    expect(decide(ownerCaller(), tool('mail__send', { isForMembers: true })).allowed).toBe(false);
  });

  it('may only call tools that its right includes', () => {
    const anonymous: Caller = { surface: 'mcp', kind: 'anonymous', right: 'use' };
    expect(decide(anonymous, tool('search', { right: 'use' })).allowed).toBe(true);
    expect(decide(anonymous, tool('mcp__web__fetch'))).toMatchObject({
      allowed: false,
      rule: 'a caller without a key may only use',
    });
    const client: Caller = { surface: 'mcp', kind: 'client', right: 'work' };
    expect(decide(client, tool('mcp__web__fetch')).allowed).toBe(true);
    expect(decide(client, tool('restore', { right: 'administer' })).allowed).toBe(false);
  });

  it('may call tools for members if it is the user in person', () => {
    const user: Caller = { ...ownerCaller('web'), isUser: true };
    expect(decide(user, tool('mail__send', { isForMembers: true })).allowed).toBe(true);
    const deletes = tool('mail__delete', { isForMembers: true, isForUser: true });
    expect(decide(user, deletes).allowed).toBe(true);
    expect(decide(ownerCaller(), deletes).allowed).toBe(false);
    expect(decide(member(), deletes)).toMatchObject({ allowed: false, rule: 'only the user may call it' });
  });

  it('cannot call the agent of its own address, even if the scope allows everything', () => {
    const caller: Caller = { ...ownerCaller('mcp'), scope: { agentId: 'a', tools: ['*'] } };
    expect(decide(caller, tool('agent__a', { agentId: 'a' })).allowed).toBe(false);
    expect(decide(caller, tool('agent__b', { agentId: 'b' })).allowed).toBe(true);
    expect(decide(ownerCaller(), tool('agent__a', { agentId: 'a' })).allowed).toBe(true);
  });

  it("sees only the agent's scope at the address of an agent", () => {
    const caller: Caller = { ...ownerCaller('mcp'), scope: { agentId: 'a', tools: ['get*'] } };
    expect(decide(caller, tool('get')).allowed).toBe(true);
    expect(decide(caller, tool('search')).allowed).toBe(false);
    expect(decide(caller, tool('get_mail', { isForMembers: true })).allowed).toBe(false);
  });
});

function numbered<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

it.each([
  ['end otherwise', (index: number) => `mcp__*${index}_x*a`],
  ['have to be searched for within the name', (index: number) => `mcp__*_${index}_*`],
  ['are names', (index: number) => `mcp__task__name_${index}`],
])('decides in less than 5 µs with 200 rules that %s', (_, pattern) => {
  const caller = member({ rules: { allow: numbered(100, pattern), deny: numbered(100, pattern) } });
  const asked = numbered(100, (index) => tool(`mcp__task__update_status_of_everything_${index}`));
  let best = Number.POSITIVE_INFINITY;
  // Takes the best of many runs, so that other processes on the machine do not matter.
  for (let round = 0; round < 50; round += 1) {
    const start = performance.now();
    for (const each of asked) decide(caller, each);
    best = Math.min(best, (performance.now() - start) / asked.length);
  }
  expect(asked.filter((each) => decide(caller, each).allowed)).toEqual([]);
  expect(best * 1_000).toBeLessThan(5);
});

it('decides the same for more names than it caches', () => {
  const never = numbered(20, (index) => `never_${index}_*`);
  const rules = { allow: ['tool_*1', ...never], deny: [...never, 'tool_*11'] };
  const caller = member({ rules });
  const wrong = numbered(6_000, (index) => `tool_${index}`).filter((name) => {
    const expected = name.endsWith('1') && !name.endsWith('11');
    return [1, 2].some(() => decide(caller, tool(name)).allowed !== expected);
  });
  expect(wrong).toEqual([]);
});
