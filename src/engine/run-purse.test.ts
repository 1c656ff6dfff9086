import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextWith, resultsOf } from '../../test/support/command/run-with.ts';
import { call, finish, say, scriptedModel, tokens } from '../../test/support/models/scripted-model.ts';
import type { Purse } from '../tools/caller.ts';
import { ToolContent } from '../tools/content.ts';
import type { Budget } from './budget.ts';
import type { ContextObjectModel } from './context-object-model.ts';
import type { ExecutableTool, ToolRunContext } from './executable-tool.ts';
import type { Model, Usage } from './model.ts';
import type { RunResult } from './run-events.ts';
import { RunPurse } from './run-purse.ts';
import { executeTicks } from './run-ticks.ts';

describe('a purse', () => {
  const purse = (budget: Budget, payer?: RunPurse) => new RunPurse({ budget, payer, cost: 0 });

  it.each<[string, Budget[], string | undefined]>([
    ['without limits is never empty', [{}, {}, {}], undefined],
    ['has something left below its limit', [{ maxTokens: 101 }, {}, {}], undefined],
    ['is empty at its own limit', [{}, {}, { maxTokens: 100 }], 'The run used 100 of 100 tokens.'],
    [
      'is empty when the one that pays is',
      [{}, { maxTokens: 100 }, { maxTokens: 200 }],
      'The budget of the run that called this one is used up. The run used 100 of 100 tokens.',
    ],
    [
      'is empty when the first of all is, and says it once',
      [{ maxCost: 0.5 }, {}, {}],
      'The budget of the run that called this one is used up. The run cost $0.5000 of $0.5.',
    ],
  ])('%s', (_, [first = {}, second = {}, third = {}], reason) => {
    const middle = purse(second, purse(first));
    const inner = purse(third, middle);
    inner.pay(tokens(60, 40), 0.5);
    expect(inner.spent()).toBe(reason);
  });

  it('counts for all callers, and not for called agents', () => {
    const outer = purse({ maxCost: 1 });
    const inner = purse({}, outer);
    outer.pay(tokens(1, 2), 0.25);
    inner.pay(tokens(10, 20), 0.5);
    expect(outer).toMatchObject({ usage: tokens(11, 22), cost: 0.75, limitsCost: true });
    expect(inner).toMatchObject({ usage: tokens(10, 20), cost: 0.5, limitsCost: true });
  });

  it('does not know the total cost once one price is unknown', () => {
    const outer = purse({});
    purse({}, outer).pay(tokens(10, 20), null);
    outer.pay(tokens(1, 2), 0.25);
    expect(outer.cost).toBeNull();
    expect(outer.limitsCost).toBe(false);
  });
});

/** A tool that asks another model and pays from the run's purse. */
function asking(name: string, model: Model, results: RunResult[] = [], tools: ExecutableTool[] = []): ExecutableTool {
  return {
    metadata: { name, description: '', inputSchema: { type: 'object' } },
    run: () => '',
    async execute(_input, { purse, signal }: ToolRunContext) {
      const result = await executeTicks({ model, com: contextWith(...tools) }, { input: 'go', payer: purse, signal });
      results.push(result);
      return new ToolContent([{ type: 'text', text: result.text }], { isError: result.status !== 'completed' });
    },
  };
}

describe('a run that calls agents', () => {
  it('reports its own usage and the total', async () => {
    const inner = scriptedModel([[say('in'), finish('stop', tokens(100, 50))]], { price: { input: 1, output: 1 } });
    const outer = scriptedModel(
      [
        [call('1', 'inner'), finish('tool-calls', tokens(10, 5))],
        [say('out'), finish('stop', tokens(20, 5))],
      ],
      { price: { input: 10, output: 10 } },
    );
    const result = await executeTicks({ model: outer, com: contextWith(asking('inner', inner)) }, { input: 'go' });
    expect(result).toMatchObject({ status: 'completed', usage: tokens(30, 10), together: { usage: tokens(130, 60) } });
    expect(result.cost).toBeCloseTo(0.0004, 9);
    expect(result.together.cost).toBeCloseTo(0.00055, 9);
  });

  it('ends once they have used up its budget, with their answer in the conversation', async () => {
    const inner = scriptedModel([[say('in'), finish('stop', tokens(80, 5))]]);
    const outer = scriptedModel([[call('1', 'inner'), finish('tool-calls', tokens(10, 5))]]);
    const result = await executeTicks(
      { model: outer, com: contextWith(asking('inner', inner)) },
      { input: 'go', budget: { maxTokens: 100 } },
    );
    expect(result).toMatchObject({ status: 'budget', reason: 'The run used 100 of 100 tokens.', usage: tokens(10, 5) });
    expect(resultsOf(result.messages)).toMatchObject([{ toolUseId: '1', isError: false }]);
  });

  it('stops a called agent before its next answer and without its calls', async () => {
    const results: RunResult[] = [];
    const inner = scriptedModel([[say('in'), call('x', 'inner'), finish('tool-calls', tokens(80, 5))]]);
    const outer = scriptedModel([[call('1', 'inner'), finish('tool-calls', tokens(10, 5))]]);
    const result = await executeTicks(
      { model: outer, com: contextWith(asking('inner', inner, results)) },
      { input: 'go', budget: { maxTokens: 100 } },
    );
    expect(results).toMatchObject([{ status: 'budget', reason: expect.stringContaining('that called this one') }]);
    expect(result.status).toBe('budget');
    expect(inner.requests).toHaveLength(1);
  });

  it('with a cost limit refuses an agent whose price is unknown', async () => {
    const inner = scriptedModel([]);
    const outer = scriptedModel([[call('1', 'inner'), finish('tool-calls')], [finish()]], {
      price: { input: 1, output: 1 },
    });
    const result = await executeTicks(
      { model: outer, com: contextWith(asking('inner', inner)) },
      { input: 'go', budget: { maxCost: 1 } },
    );
    expect(resultsOf(result.messages)[0]).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The price of scripted\/model is unknown/) }],
    });
  });

  it('checks the purse after its components, right before it asks the model', async () => {
    const slow = scriptedModel([[say('in'), finish('stop', tokens(80, 5))]]);
    const late = scriptedModel([[say('late'), finish()]]);
    const paid = Promise.withResolvers<void>();
    const inner: ExecutableTool = {
      ...asking('late', late),
      async execute(_input, { purse, signal }: ToolRunContext) {
        const components = [{ onTickStart: () => paid.promise }];
        const parts = { model: late, com: contextWith(), components };
        const result = await executeTicks(parts, { input: 'go', payer: purse, signal });
        return new ToolContent([{ type: 'text', text: result.status }], { isError: true });
      },
    };
    const quick: ExecutableTool = {
      ...asking('quick', slow),
      async execute(input, context) {
        const answered = await asking('quick', slow).execute?.(input, context);
        paid.resolve();
        return answered ?? new ToolContent([]);
      },
    };
    const outer = scriptedModel([[call('1', 'late'), call('2', 'quick'), finish('tool-calls', tokens(10, 5))]]);
    const result = await executeTicks(
      { model: outer, com: contextWith(inner, quick) },
      { input: 'go', budget: { maxTokens: 100 } },
    );
    expect(result.status).toBe('budget');
    expect(resultsOf(result.messages)[0]).toMatchObject({ content: [{ text: 'budget' }] });
    expect(late.requests).toHaveLength(0);
  });

  it('does not repeat an answer that broke off when nothing is left', async () => {
    const model = scriptedModel([[say('a'), finish('error', tokens(80, 20))]]);
    const result = await executeTicks({ model, com: contextWith() }, { input: 'go', budget: { maxTokens: 100 } });
    expect(result.status).toBe('failed');
    expect(model.requests).toHaveLength(1);
  });
});

const maxUsed = 30;

/** A tree of agents: the usage of each answer, and the agents that it calls. */
interface Plan {
  answers: { uses: number; turns: number; calls: Plan[] }[];
}

const plan = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.record({
    answers: fc.array(
      fc.record({
        uses: fc.integer({ min: 1, max: maxUsed }),
        /** How many turns to yield to others first. */
        turns: fc.nat(5),
        calls: fc.oneof({ maxDepth: 3 }, fc.constant<Plan[]>([]), fc.array(tie('plan'), { maxLength: 3 })),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
})).plan;

describe('any tree of agents that call each other at the same time', () => {
  it('starts no answer once the budget is used up, and exceeds it only by running answers', async () => {
    const statuses = new Set<string>();
    let parallel = 0;
    const limits = fc.record({ limit: fc.integer({ min: 1, max: 150 }), isCost: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(plan, limits, async (root, { limit, isCost }) => {
        const asked: Asked = { limit, said: 0, heard: 0, paid: 0, answering: 0, over: 0, late: 0, unpaid: 0 };
        const result = await executeTicks(partsOf(root, asked), {
          input: 'go',
          budget: isCost ? { maxCost: limit } : { maxTokens: limit },
          payer: watching(asked),
        });
        statuses.add(result.status);
        parallel = Math.max(parallel, asked.over);
        const { usage, cost } = result.together;
        expect(usage.inputTokens + usage.outputTokens).toBe(asked.said);
        expect(cost).toBeCloseTo(asked.said, 6);
        expect({ late: asked.late, unpaid: asked.unpaid }).toEqual({ late: 0, unpaid: 0 });
        expect(asked.said).toBeLessThan(limit + maxUsed * Math.max(asked.over, 1));
        if (result.status === 'budget') expect(asked.said).toBeGreaterThanOrEqual(limit);
      }),
      { numRuns: 400 },
    );
    expect(statuses).toEqual(new Set(['completed', 'budget']));
    expect(parallel).toBeGreaterThan(2);
  });
});

interface Asked {
  limit: number;
  /** Tokens of the answers that the models finished. */
  said: number;
  /** Tokens of the answers that the runs have read completely. */
  heard: number;
  /** Tokens that reached the purse of the first run. */
  paid: number;
  /** Answers that have started and are not paid for yet. */
  answering: number;
  /** The number of such answers when the purse became empty, including the last one. */
  over: number;
  /** Answers that started after the purse was empty. */
  late: number;
  /** Answers that were read completely but not paid for at once. */
  unpaid: number;
}

/** Observes every payment as it is made: an answer counts only once a run has read it. */
function watching(asked: Asked): Purse {
  return {
    limitsCost: false,
    spent: () => undefined,
    pay({ inputTokens, outputTokens }) {
      asked.paid += inputTokens + outputTokens;
      if (asked.paid >= asked.limit && asked.over === 0) asked.over = asked.answering;
      asked.answering -= 1;
    },
  };
}

function partsOf({ answers }: Plan, asked: Asked): { model: Model; com: ContextObjectModel } {
  const tools = answers.flatMap(({ calls }, turn) =>
    calls.map((each, index) => {
      const { model, com } = partsOf(each, asked);
      return asking(`${turn}-${index}`, model, [], com.getTools());
    }),
  );
  let next = 0;
  const model: Model = {
    provider: 'planned',
    modelId: 'model',
    price: { input: 1_000_000, output: 1_000_000 },
    async *stream() {
      asked.answering += 1;
      if (asked.paid >= asked.limit) asked.late += 1;
      const turn = next;
      next += 1;
      const { uses, turns, calls } = answers[turn] ?? { uses: 1, turns: 0, calls: [] };
      for (let index = 0; index < turns; index += 1) await Promise.resolve();
      for (const index of calls.keys()) yield call(`${turn}-${index}`, `${turn}-${index}`);
      asked.said += uses;
      try {
        yield finish(calls.length > 0 ? 'tool-calls' : 'stop', spread(uses));
      } finally {
        asked.heard += uses;
        if (asked.paid < asked.heard) asked.unpaid += 1;
      }
    },
  };
  return { model, com: contextWith(...tools) };
}

function spread(uses: number): Usage {
  return tokens(Math.floor(uses / 2), Math.ceil(uses / 2));
}
