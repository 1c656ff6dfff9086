import { describe, expect, it } from 'vitest';
import type { Message } from '../engine/message.ts';
import type { ChatEvent, ChatEventBody } from './chat.ts';
import { recoverAnswer } from './recover-answer.ts';

const runId = 'r';
const usage = { inputTokens: 3, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const tick = (number: number): ChatEventBody => ({ type: 'tick.started', runId, tick: number });
const text = (delta: string): ChatEventBody => ({ type: 'text', runId, delta });
const called = (id: string): ChatEventBody => ({ type: 'tool.called', runId, id, tool: 't', input: { id } });
const asked = (id: string): ChatEventBody => ({ type: 'approval.needed', runId, id, tool: 't', input: { id } });
const done = (id: string): ChatEventBody => ({
  type: 'tool.finished',
  runId,
  id,
  tool: 't',
  content: [{ type: 'text', text: `result of ${id}` }],
  isError: false,
  durationMs: 1,
});
const use = (id: string) => ({ type: 'tool_use' as const, id, name: 't', input: { id } });
const answer = (...ids: string[]): Message => ({
  role: 'assistant',
  content: [{ type: 'text', text: 'Hm.' }, ...ids.map(use)],
});
const result = (id: string, shown: unknown, isError = false) =>
  expect.objectContaining({ type: 'tool_result', toolUseId: id, isError, content: [{ type: 'text', text: shown }] });

function recover(bodies: readonly ChatEventBody[], stored: readonly Message[] = []) {
  const events = bodies.map((body, index): ChatEvent => ({ seq: index + 1, at: 0, ...body }));
  return recoverAnswer(events, stored);
}

describe('an answer whose process ended', () => {
  it.each<[what: string, events: ChatEventBody[], stored: Message[], added: unknown[]]>([
    ['before it said anything', [tick(1)], [], []],
    [
      'in the middle of its text',
      [tick(1), text('Hel'), text('lo')],
      [],
      [{ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] }],
    ],
    [
      'after it was asked for again',
      [tick(1), text('Cut'), { type: 'tick.retried', runId, tick: 1, reason: '' }, text('Ano')],
      [],
      [{ role: 'assistant', content: [{ type: 'text', text: 'Ano' }] }],
    ],
    ['while it only thought', [tick(1), { type: 'reasoning', runId, delta: 'Hm' }], [], []],
    [
      'with one call done, one running and one that waits',
      [tick(1), text('Hm.'), called('a'), called('b'), called('c'), asked('c'), done('a')],
      [answer('a', 'b', 'c')],
      [
        {
          role: 'tool',
          content: [
            result('a', 'result of a'),
            result('b', expect.stringContaining('may have taken effect'), true),
            result('c', expect.stringContaining('had not been approved'), true),
          ],
        },
      ],
    ],
    [
      'before the shown calls were stored',
      [tick(1), text('Hm.'), called('a'), done('a')],
      [],
      [answer('a'), { role: 'tool', content: [result('a', 'result of a')] }],
    ],
    [
      'with a call of the same id as one before',
      [tick(1), called('a'), done('a'), tick(2), called('a')],
      [answer('a'), { role: 'tool', content: [] }, answer('a')],
      [{ role: 'tool', content: [result('a', expect.stringContaining('may have taken effect'), true)] }],
    ],
    ['when all of it was stored', [tick(1), text('Hm.')], [answer()], []],
    ['when more was stored than shown', [tick(1)], [answer(), { role: 'tool', content: [] }, answer()], []],
  ])('%s can be continued', (_what, events, stored, added) => {
    expect(recover(events, stored).messages).toEqual(added);
  });

  it('counts completed ticks', () => {
    const whole: ChatEventBody = { type: 'tick.finished', runId, tick: 1, usage, cost: 1 };
    expect(recover([tick(1), whole, tick(2), { ...whole, cost: 2 }, tick(3)])).toMatchObject({
      usage: { inputTokens: 6, outputTokens: 2 },
      cost: 3,
    });
    expect(recover([tick(1), { ...whole, cost: null }]).cost).toBeNull();
  });
});
