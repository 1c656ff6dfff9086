import { describe, expect, it } from 'vitest';
import type { DecisionBody } from '../../src/decisions/decisions.contract.ts';
import { summarize, toLines } from './decision-lines.ts';

const body = (part: Partial<DecisionBody>): DecisionBody => ({
  seq: 1,
  callId: 'call_1',
  kind: 'result',
  at: '2026-03-03T12:00:00.000Z',
  surface: 'mcp',
  agentId: null,
  persona: null,
  taskId: null,
  tool: 'ping',
  decision: 'Tool result: ping',
  reasoning: 'Automatic tool result log',
  context: {},
  chain: 'c',
  chainNo: 1,
  hash: 'h',
  ...part,
});

describe('a summary', () => {
  it.each<[string, Partial<DecisionBody>, string]>([
    ['what went in', { kind: 'invocation', context: { to: 'ann', tags: ['a', 'b'] } }, 'to: ann · tags: 2 items'],
    ['that nothing went in', { kind: 'invocation', context: {} }, 'no input'],
    ['that nothing came out', { context: {} }, 'no output'],
    ['what came out', { context: { mail: { id: 'm', to: 'ann' }, ok: true } }, 'mail: {id, to} · ok: true'],
    ['what failed', { kind: 'error', context: { code: 'TOOL_ERROR', message: 'no\n disk' } }, 'TOOL_ERROR: no disk'],
    ['what a tool answered in words', { context: { content: [{ type: 'text', text: 'done' }] } }, 'done'],
    ['how a long text begins', { context: { truncated: true, head: '{"a":1' } }, '{"a":1'],
    ['what was noted', { kind: 'manual', decision: 'Use B', reasoning: 'A is slow' }, 'Use B — A is slow'],
    ['the decision when nothing was kept', { context: null }, 'Tool result: ping'],
  ])('%s', (_, part, expected) => expect(summarize(body(part))).toBe(expected));

  it('is cut to its maximum length', () => {
    const long = summarize(body({ context: { text: 'x'.repeat(30_000) } }));
    expect(long.length).toBe(180);
    expect(long.endsWith('…')).toBe(true);
  });
});

it('a list keeps no inputs or outputs', () => {
  const { lines } = toLines({
    decisions: [body({ context: { text: 'secret'.repeat(9_000) } })],
    cursor: null,
    newest: 'n1',
  });
  expect(JSON.stringify(lines).length).toBeLessThan(600);
});

it('a page reports how far it searched if its cursor contains a time', () => {
  const at = Date.parse('2026-03-03T12:00:00Z');
  expect(toLines({ decisions: [], cursor: `${at.toString(36)}.1f`, newest: null }).lookedBackTo).toBe(at);
  expect(toLines({ decisions: [], cursor: 'something else', newest: null }).lookedBackTo).toBeNull();
  expect(toLines({ decisions: [], cursor: null, newest: null }).lookedBackTo).toBeNull();
});
