import { expect, it } from 'vitest';
import { groupPermissions } from './group-permissions.ts';

it('allowed and denied tools are grouped by the rule that decided', () => {
  const grouped = groupPermissions([
    { tool: 'mcp__mail__send', allowed: true, rule: 'WORKER may call mcp__mail__*' },
    { tool: 'search', allowed: false, rule: 'no WORKER rule allows it' },
    { tool: 'mcp__mail__read', allowed: true, rule: 'WORKER may call mcp__mail__*' },
  ]);
  expect(grouped).toEqual({
    allowed: {
      count: 2,
      groups: [{ rule: 'WORKER may call mcp__mail__*', tools: ['mcp__mail__read', 'mcp__mail__send'] }],
    },
    denied: { count: 1, groups: [{ rule: 'no WORKER rule allows it', tools: ['search'] }] },
  });
});
