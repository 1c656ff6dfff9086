import { describe, expect, it } from 'vitest';
import { resultsOf, runWith } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish, say, tokens } from '../../test/support/models/scripted-model.ts';
import { HubError } from '../base/hub-error.ts';

const passing = new HubError('MODEL_ERROR', 'The connection was lost.', { details: { isRetryable: true } });
const lasting = new HubError('MODEL_ERROR', 'The prompt is too long.', { details: { isRetryable: false } });

describe('an answer that is cut off', () => {
  it.each([
    ['ends without an end', []],
    ['breaks for a reason that may pass', [{ type: 'throw', error: passing }]],
    ['stands still', [{ type: 'throw', error: new HubError('TIMEOUT', 'Nothing came for 60 s.') }]],
    ['ends with an error', [finish('error', tokens(0, 0))]],
  ] as const)('is asked for again when it %s, and none of its calls was carried out', async (_, fault) => {
    const { tool, effects } = countedTools();
    const { result, model, events } = await runWith({
      answers: [
        [say('I wi'), call('1', 'send'), ...fault],
        [say('I will'), call('1', 'send'), finish('tool-calls')],
        [say('Sent.'), finish()],
      ],
      tools: [tool('send')],
    });
    expect(result).toMatchObject({ status: 'completed', text: 'Sent.', ticks: 2 });
    expect(effects).toEqual(['1']);
    expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
    expect(events.filter(({ type }) => type === 'tick.retried')).toMatchObject([
      { tick: 1, reason: expect.any(String) },
    ]);
    expect(result.messages[0]?.content[0]).toEqual({ type: 'text', text: 'I will' });
  });

  it('fails the run the third time, and keeps its text', async () => {
    const { tool, effects } = countedTools();
    const { result, model, events } = await runWith({
      answers: [[say('a')], [say('ab'), call('1', 'send')], [], [say('never'), finish()]],
      tools: [tool('send')],
    });
    expect(model.requests).toHaveLength(3);
    expect(events.filter(({ type }) => type === 'tick.retried')).toHaveLength(2);
    expect(result).toMatchObject({
      status: 'failed',
      text: 'ab',
      error: { code: 'MODEL_ERROR', message: 'The answer of scripted/model was cut off.' },
    });
    expect(effects).toEqual([]);
    expect(resultsOf(result.messages)).toMatchObject([{ toolUseId: '1', isError: true }]);
  });

  it.each([
    ['for a reason that stays', [say('a'), { type: 'throw', error: lasting }], 'MODEL_ERROR', 'a'],
    [
      'before it said anything, which the model has tried again itself',
      [{ type: 'throw', error: passing }],
      'MODEL_ERROR',
      '',
    ],
    ['for an unknown reason', [say('a'), { type: 'throw', error: new Error('key=secret') }], 'INTERNAL_ERROR', 'a'],
  ] as const)('fails the run at once when it breaks %s', async (_, answer, code, text) => {
    const { result, model } = await runWith({ answers: [answer, [finish()]] });
    expect(model.requests).toHaveLength(1);
    expect(result).toMatchObject({ status: 'failed', error: { code }, text });
    expect(result.reason).not.toContain('secret');
  });

  it('counts the known cost of its parts', async () => {
    const { result } = await runWith({ answers: [[finish('error', tokens(7, 1))], [finish('stop', tokens(5, 2))]] });
    expect(result.usage).toEqual(tokens(12, 3));
  });
});
