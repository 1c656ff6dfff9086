import { describe, expect, it } from 'vitest';
import { resultsOf, runWith, textOf } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish, say, tokens } from '../../test/support/models/scripted-model.ts';
import { steppedClock } from '../../test/support/time/stepped-clock.ts';
import { HubError } from '../base/hub-error.ts';
import { RunRecord } from './run-record.ts';
import type { RunProgress, RunStore } from './run-store.ts';

type Write = { what: 'begin' | 'save' | 'finish' } & Partial<RunProgress> & { status?: string; title?: string };

/** Records all writes, each with a short delay; `refuse` makes a write fail. */
function notingStore(refuse: (write: Write, number: number) => boolean = () => false) {
  const writes: Write[] = [];
  let open = 0;
  const note = async (write: Write) => {
    open += 1;
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    if (open > 0) throw new Error('Two writes at a time.');
    if (refuse(write, writes.length)) throw new HubError('UNAVAILABLE', 'The database is locked.');
    writes.push(write);
  };
  const store: Pick<RunStore, 'begin' | 'save' | 'finish'> = {
    begin: (run) => note({ what: 'begin', ...run }),
    save: (_, progress) => note({ what: 'save', ...progress }),
    finish: (_, end) => note({ what: 'finish', ...end }),
  };
  return { writes, store: store as RunStore };
}

const statesOf = ({ calls = [] }: Write) => calls.map(({ id, state }) => `${id} ${state}`).join(', ');

describe('the record of a run', () => {
  it('shows each call before it runs and after it has ended', async () => {
    const { writes, store } = notingStore();
    const { tool } = countedTools();
    const seen: string[] = [];
    const look = () => {
      seen.push(statesOf(writes.at(-1) ?? { what: 'begin' }));
      return 'seen';
    };
    await runWith({
      input: 'What is there?\nTell me all.',
      agent: { id: 'scout', name: 'Scout' },
      answers: [
        [call('1', 'look'), call('2', 'ask'), call('3', 'fail'), call('4', 'deny'), finish('tool-calls', tokens(3, 2))],
        [say('This.'), finish('stop', tokens(4, 1))],
      ],
      tools: [
        tool('look', look),
        tool('ask', look, { requiresConfirmation: true }),
        tool('fail', () => Promise.reject(new HubError('NOT_FOUND', 'No.'))),
        tool('deny', look, { requiresConfirmation: true }),
      ],
      approve: async (request) => (request.tool === 'ask' ? 'approve' : 'deny'),
      store,
    });
    expect(writes[0]).toMatchObject({
      what: 'begin',
      agentId: 'scout',
      model: 'scripted/model',
      title: 'What is there?',
      messages: [{ role: 'user' }],
    });
    // Each tool was stored as running while it ran.
    expect(seen).toHaveLength(2);
    expect(seen[0]).toContain('1 running');
    expect(seen[1]).toContain('2 running');
    const withCalls = writes.filter((write) => statesOf(write) !== '');
    expect(statesOf(withCalls.at(-1) ?? { what: 'begin' })).toBe('1 finished, 2 finished, 3 failed, 4 denied');
    expect(withCalls[0]?.messages?.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const afterTicks = writes.filter((write) => write.what === 'save' && statesOf(write) === '');
    expect(afterTicks.map(({ ticks, usage }) => [ticks, usage])).toEqual([
      [1, tokens(3, 2)],
      [2, tokens(7, 3)],
    ]);
    expect(writes.at(-1)).toMatchObject({ what: 'finish', status: 'completed', ticks: 2 });
    expect(writes.at(-1)?.messages?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('needs one write for all calls that start together', async () => {
    const { writes, store } = notingStore();
    const { tool } = countedTools();
    const calls = Array.from({ length: 20 }, (_, index) => call(`${index}`, 'a'));
    await runWith({ answers: [[...calls, finish('tool-calls')], [finish()]], tools: [tool('a')], store });
    expect(writes.filter((write) => statesOf(write).includes('running'))).toHaveLength(1);
  });

  it('shows how an aborted or failed run ended', async () => {
    const aborted = notingStore();
    await runWith({ answers: [], store: aborted.store, signal: AbortSignal.abort() });
    expect(aborted.writes.at(-1)).toMatchObject({ what: 'finish', status: 'aborted', error: null });
    const failed = notingStore();
    const error = new HubError('NOT_CONFIGURED', 'No key.');
    await runWith({ answers: [[{ type: 'throw', error }]], store: failed.store });
    expect(failed.writes.at(-1)).toMatchObject({
      status: 'failed',
      error: { code: 'NOT_CONFIGURED', message: 'No key.' },
    });
  });

  it.each([
    ['begins', (write: Write) => write.what === 'begin', 0, []],
    ['starts tools', (write: Write) => statesOf(write).includes('running'), 1, []],
    ['has the result of a call', (write: Write) => statesOf(write).includes('finished'), 1, ['1']],
    ['ends a tick', (write: Write) => write.what === 'save' && statesOf(write) === '', 1, ['1']],
    ['ends', (write: Write) => write.what === 'finish', 2, ['1']],
  ] as const)('that cannot be written when the run %s makes it a failed one', async (_, refuse, requests, effects) => {
    const { store } = notingStore(refuse);
    const counted = countedTools();
    const { result, model } = await runWith({
      answers: [[call('1', 'a'), finish('tool-calls')], [finish()]],
      tools: [counted.tool('a')],
      store,
    });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'UNAVAILABLE', message: 'The database is locked.' },
    });
    expect(model.requests).toHaveLength(requests);
    expect(counted.effects).toEqual(effects);
    expect(resultsOf(result.messages)).toHaveLength(requests === 0 ? 0 : 1);
  });

  it('is not written after the end', async () => {
    const { writes, store } = notingStore();
    const progress = { ticks: 0, usage: tokens(0, 0), cost: null, messages: [], calls: [] };
    const parts = { store, clock: steppedClock(), id: 'run_1', progress: () => progress, onFailure: () => {} };
    const record = new RunRecord(parts);
    await record.begin({ agentId: null, model: 'a/b', title: '', messages: [] });
    await Promise.all([record.finish({ status: 'completed', reason: '', error: null }), record.save()]);
    expect(writes.map(({ what }) => what)).toEqual(['begin', 'finish']);
  });

  it('of another run is not changed when the id is taken', async () => {
    const { writes, store } = notingStore((write) => write.what === 'begin');
    const { result } = await runWith({ answers: [], store, runId: 'run_taken' });
    expect(result).toMatchObject({ runId: 'run_taken', status: 'failed' });
    expect(writes).toEqual([]);
  });

  it('is written at least every 15 seconds while nothing happens', async () => {
    const clock = steppedClock();
    const { writes, store } = notingStore();
    const { tool } = countedTools();
    const { result } = await runWith({
      answers: [[call('1', 'wait'), finish('tool-calls')], [finish()]],
      tools: [
        tool('wait', async () => {
          const before = writes.length;
          for (let beat = 1; beat <= 3; beat += 1) {
            while (clock.sleeps().length === 0) await new Promise((resolve) => setImmediate(resolve));
            clock.advance(15_000);
            while (writes.length < before + beat) await new Promise((resolve) => setImmediate(resolve));
          }
          return 'waited';
        }),
      ],
      store,
      clock,
    });
    expect(result.status).toBe('completed');
    expect(clock.sleeps()).toEqual([]);
  });

  it('that cannot be saved stops the run, and the tool is aborted', async () => {
    const clock = steppedClock();
    const counted = countedTools();
    let isRunning = false;
    const { store } = notingStore((write) => write.what === 'save' && isRunning);
    const { result } = await runWith({
      answers: [[call('1', 'wait'), finish('tool-calls')]],
      tools: [
        counted.tool('wait', (_, { signal }) => {
          isRunning = true;
          clock.advance(15_000);
          return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        }),
      ],
      store,
      clock,
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'UNAVAILABLE' } });
    expect(textOf(resultsOf(result.messages)[0])).toContain('was cancelled while it ran');
  });
});
