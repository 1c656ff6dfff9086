import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextWith } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish, type ScriptStep, say, scriptedModel } from '../../test/support/models/scripted-model.ts';
import { HubError } from '../base/hub-error.ts';
import type { Message } from './message.ts';
import type { ApprovalAnswer, RunEvent } from './run-events.ts';
import type { RunStore } from './run-store.ts';
import { runTicks } from './run-ticks.ts';

const never = new Promise<never>(() => {});
const toolNames = ['good', 'bad', 'broken', 'asked', 'hanging', 'late', 'missing'] as const;
const endings = [
  'finish',
  'finish',
  'finish',
  'finish',
  'cut',
  'passing',
  'lasting',
  'unknown',
  'error',
  'hang',
] as const;

const answer = fc.record({
  text: fc.constantFrom('', 'a', 'ab'),
  /** The number is the id within the answer; equal numbers are the same call. */
  calls: fc.array(fc.record({ id: fc.nat(3), tool: fc.constantFrom(...toolNames), isJson: fc.boolean() }), {
    maxLength: 4,
  }),
  ending: fc.constantFrom(...endings),
});

const scenario = fc.record({
  answers: fc.array(answer, { minLength: 1, maxLength: 12 }),
  approvals: fc.array(fc.constantFrom<ApprovalAnswer>('approve', 'deny', 'always'), { minLength: 1, maxLength: 4 }),
  maxTicks: fc.integer({ min: 1, max: 5 }),
  maxTokens: fc.option(fc.integer({ min: 1, max: 60 })),
  abortAtEvent: fc.option(fc.nat(30)),
  leaveAtEvent: fc.option(fc.nat(30)),
  refuseWrite: fc.option(fc.nat(12)),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

describe('any run, whatever the model, the tools, the store and the users do', () => {
  it('ends, leaves a valid conversation, and has no effect twice', async () => {
    const statuses = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { result, messages, events, effects } = await play(given);
        statuses.add(result.status);
        const uses = checkConversation(messages);
        expect(new Set(effects).size).toBe(effects.length);
        for (const effect of effects) expect(uses).toContain(effect);
        if (given.leaveAtEvent === null) checkEvents(events);
      }),
      { numRuns: 600 },
    );
    // The scenarios are useful only if they reach every status.
    expect([...statuses].toSorted()).toEqual(['aborted', 'budget', 'completed', 'failed', 'max-ticks']);
  });
});

async function play(given: Scenario) {
  const control = new AbortController();
  const abortSoon = () => void setImmediate(() => control.abort());
  const hang = () => {
    abortSoon();
    return never;
  };
  const { tool, effects } = countedTools();
  const com = contextWith(
    tool('good'),
    tool('bad', () => Promise.reject(new HubError('NOT_FOUND', 'Not here.'))),
    tool('broken', () => Promise.reject(new Error('broken'))),
    tool('asked', undefined, { requiresConfirmation: async () => true }),
    tool('hanging', hang),
    tool('late', () => never, { timeoutMs: 1 }),
  );
  const answers = given.answers.map((each) => () => {
    // A repeated answer contains the same calls.
    const tick = com.messages.length;
    return [
      say(each.text),
      ...each.calls.map(({ id, tool: name, isJson }) => ({
        ...call(`${tick}-${id}`, name),
        ...(!isJson && { invalidInput: '{' }),
      })),
      ...endOf(each.ending, hang),
    ];
  });
  let questions = 0;
  const run = runTicks(
    { model: scriptedModel(answers), com, store: storeRefusing(given.refuseWrite) },
    {
      input: 'go',
      maxTicks: given.maxTicks,
      budget: { maxTokens: given.maxTokens ?? undefined },
      approve: async () => given.approvals[questions++ % given.approvals.length] ?? 'deny',
      signal: control.signal,
    },
  );
  const events: RunEvent[] = [];
  for await (const event of run.events) {
    events.push(event);
    if (events.length === given.abortAtEvent) control.abort();
    if (events.length === given.leaveAtEvent) break;
  }
  const result = await run.result;
  return { result, events, effects, messages: com.messages };
}

function endOf(ending: (typeof endings)[number], hang: () => Promise<never>): ScriptStep[] {
  const passing = new HubError('MODEL_ERROR', 'Lost.', { details: { isRetryable: true } });
  switch (ending) {
    case 'finish':
      return [finish('tool-calls')];
    case 'error':
      return [finish('error')];
    case 'cut':
      return [];
    case 'passing':
      return [{ type: 'throw', error: passing }];
    case 'lasting':
      return [{ type: 'throw', error: new HubError('MODEL_ERROR', 'Refused.') }];
    case 'unknown':
      return [{ type: 'throw', error: new Error('?') }];
    case 'hang':
      return [{ type: 'wait', until: hang() }];
  }
}

function storeRefusing(refused: number | null): RunStore {
  let writes = 0;
  const write = async () => {
    await null;
    if (writes++ === refused) throw new HubError('UNAVAILABLE', 'The disk is full.');
  };
  const store: Pick<RunStore, 'begin' | 'save' | 'finish'> = { begin: write, save: write, finish: write };
  return store as RunStore;
}

/** Checks that each call has one result, right after the answer and in order. Returns the ids of all calls. */
function checkConversation(messages: readonly Message[]): string[] {
  const all: string[] = [];
  let results = 0;
  for (const [index, { role, content }] of messages.entries()) {
    expect(content).not.toEqual([]);
    if (role === 'tool') results += content.length;
    if (role !== 'assistant') continue;
    const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    all.push(...uses);
    if (uses.length === 0) continue;
    const next = messages[index + 1];
    expect(next?.role).toBe('tool');
    expect(next?.content.map((block) => (block.type === 'tool_result' ? block.toolUseId : ''))).toEqual(uses);
  }
  expect(new Set(all).size).toBe(all.length);
  expect(results).toBe(all.length);
  return all;
}

function checkEvents(events: readonly RunEvent[]): void {
  expect(events[0]?.type).toBe('run.started');
  expect(events.at(-1)?.type).toBe('run.finished');
  const idsOf = (type: 'tool.called' | 'tool.finished') =>
    events.flatMap((event) => (event.type === type ? [event.id] : [])).toSorted();
  expect(idsOf('tool.finished')).toEqual(idsOf('tool.called'));
}
