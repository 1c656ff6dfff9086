import { describe, expect, it } from 'vitest';
import type { Right } from '../base/rights.ts';
import { type Identity, nobody, owner } from './callers.ts';
import { refuseRoute } from './refuse-route.ts';

const client = { kind: 'client', right: 'work', id: 'key_1', name: 'Cursor', agentId: null } as const;
const bound = { ...client, agentId: 'reviewer' };
const member = { kind: 'member', right: 'use', memberId: 'w' } as const;
const anonymous = { kind: 'anonymous', right: 'use' } as const;

function codeOf(...args: Parameters<typeof refuseRoute>): string {
  try {
    refuseRoute(...args);
    return 'allowed';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

describe('a route', () => {
  it.each<[who: string, caller: Identity, codes: Record<Right, string>]>([
    ['the owner', owner, { none: 'allowed', use: 'allowed', work: 'allowed', administer: 'allowed' }],
    ['a client', client, { none: 'allowed', use: 'allowed', work: 'allowed', administer: 'PERMISSION_DENIED' }],
    [
      'a member',
      member,
      { none: 'allowed', use: 'allowed', work: 'PERMISSION_DENIED', administer: 'PERMISSION_DENIED' },
    ],
    [
      'nobody known',
      anonymous,
      { none: 'allowed', use: 'allowed', work: 'UNAUTHENTICATED', administer: 'UNAUTHENTICATED' },
    ],
    [
      'a wrong key',
      nobody,
      { none: 'allowed', use: 'UNAUTHENTICATED', work: 'UNAUTHENTICATED', administer: 'UNAUTHENTICATED' },
    ],
  ])('needs its right, for %s', (_, caller, codes) => {
    for (const [right, code] of Object.entries(codes))
      expect(codeOf({ right: right as Right }, caller, {}), right).toBe(code);
  });

  it('of another agent is refused to a key for one agent, and so is one of no agent', () => {
    expect(codeOf({ right: 'use', scopedBy: 'id' }, bound, { id: 'reviewer' })).toBe('allowed');
    expect(codeOf({ right: 'use', scopedBy: 'id' }, bound, { id: 'other' })).toBe('PERMISSION_DENIED');
    expect(codeOf({ right: 'use' }, bound, { id: 'reviewer' })).toBe('PERMISSION_DENIED');
    expect(codeOf({ right: 'use', scopedBy: 'handler' }, bound, {})).toBe('allowed');
    expect(codeOf({ right: 'none' }, bound, {})).toBe('allowed');
    expect(codeOf({ right: 'use', scopedBy: 'id' }, client, { id: 'other' })).toBe('allowed');
  });
});
