import { describe, expect, it } from 'vitest';
import { contextWith, resultsOf, runWith, textOf } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish, say, scriptedModel, tokens } from '../../test/support/models/scripted-model.ts';
import { executeTicks } from './run-ticks.ts';
import { costOf } from './usage.ts';

describe('a budget', () => {
  it('of tokens ends the run after the answer that exceeds it, and the calls of that answer do not run', async () => {
    const { tool, effects } = countedTools();
    const { result, model } = await runWith({
      answers: [
        [call('1', 'send'), finish('tool-calls', tokens(40, 10))],
        [say('More'), call('2', 'send'), finish('tool-calls', tokens(45, 5))],
      ],
      tools: [tool('send')],
      budget: { maxTokens: 100 },
    });
    expect(result).toMatchObject({ status: 'budget', reason: 'The run used 100 of 100 tokens.', text: 'More' });
    expect(model.requests).toHaveLength(2);
    expect(effects).toEqual(['1']);
    expect(resultsOf(result.messages)).toMatchObject([
      { toolUseId: '1', isError: false },
      { toolUseId: '2', isError: true },
    ]);
    expect(textOf(resultsOf(result.messages)[1])).toBe(
      'The call to "send" was not carried out: The run used 100 of 100 tokens.',
    );
  });

  it('of dollars ends the run too', async () => {
    const { tool, effects } = countedTools();
    const model = scriptedModel([[call('1', 'send'), finish('tool-calls', tokens(1000, 1000))]], {
      price: { input: 1, output: 4 },
    });
    const result = await executeTicks(
      { model, com: contextWith(tool('send')) },
      { input: 'go', budget: { maxCost: 0.005 } },
    );
    expect(result).toMatchObject({ status: 'budget', reason: 'The run cost $0.0050 of $0.005.', cost: 0.005 });
    expect(effects).toEqual([]);
  });

  it('does not affect the last answer of a run', async () => {
    const { result } = await runWith({
      answers: [[say('Done'), finish('stop', tokens(99, 99))]],
      budget: { maxTokens: 10 },
    });
    expect(result.status).toBe('completed');
  });

  it('of dollars needs a price, and the error says how to set one', async () => {
    const model = scriptedModel([]);
    const asked = executeTicks({ model, com: contextWith() }, { input: 'go', budget: { maxCost: 1 } });
    await expect(asked).rejects.toThrow(
      /^The price of scripted\/model is unknown.* \[providers\.scripted\.prices\."model"\]/,
    );
  });

  it.each([{ maxTokens: 0 }, { maxTokens: Number.NaN }, { maxCost: -1 }])('is refused as %j', async (budget) => {
    const asked = executeTicks({ model: scriptedModel([]), com: contextWith() }, { input: 'go', budget });
    await expect(asked).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  });
});

describe('the cost of a run', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000, reasoningTokens: 50_000 };

  it.each([
    ['counts cached input by its own price', { input: 2, output: 10, cachedInput: 0.5 }, 1.2 + 0.2 + 1],
    ['counts cached input as input where it has no price', { input: 2, output: 10 }, 2 + 1],
    ['is not known without a price', undefined, null],
  ])('%s', (_, price, cost) => {
    const counted = costOf(usage, price);
    if (cost === null) expect(counted).toBeNull();
    else expect(counted).toBeCloseTo(cost, 9);
  });
});
