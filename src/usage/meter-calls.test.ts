import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { HubError } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import type { MeteredCall } from '../engine/run-options.ts';
import { UsageMeter } from './meter-calls.ts';
import type { UsageStore } from './usage.ts';

const usage = { inputTokens: 100, outputTokens: 10, cachedInputTokens: 0, reasoningTokens: 0 };
const spender = { agentId: 'guide', client: '', memberId: '' };

describe('the meter', () => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores('sqlite');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await stores.remove();
  });

  /** Fails as often as there are errors, before or after the calls were stored. */
  function meterWith(...failures: { error: Error; isStored: boolean }[]) {
    const { store, clock } = stores;
    const add: UsageStore['add'] = async (entries) => {
      const failure = failures.shift();
      if (failure === undefined || failure.isStored) await store.usage.add(entries);
      if (failure) throw failure.error;
    };
    const parts = { usage: { ...store.usage, add }, settings: store.settings };
    const meter = new UsageMeter({ store: parts, clock, logger: silentLogger });
    const record = () => meter.for(spender).record(callAt(clock.now()));
    return { meter, record, spent: async () => (await store.usage.spent(0)).hub.tokens };
  }

  it('writes calls that could not be stored again, by itself and once', async () => {
    const { record, spent, meter } = meterWith({ error: new HubError('UNAVAILABLE', 'Gone.'), isStored: false });
    record();
    await meter.flush();
    expect(await spent()).toBe(0);
    expect(vi.getTimerCount()).toBe(1);
    record();
    await vi.advanceTimersByTimeAsync(5_000);
    await meter.flush();
    expect(await spent()).toBe(220);
  });

  it('does not write calls again that may have been stored', async () => {
    const error = new HubError('UNAVAILABLE', 'Cut off.', { details: { mayHaveRun: true } });
    const { record, spent, meter } = meterWith({ error, isStored: true });
    record();
    await meter.flush();
    await meter.flush();
    expect(await spent()).toBe(110);
  });

  it('announces once that a budget is nearly used up, and once that it is used up', async () => {
    const { meter, record } = meterWith();
    const announced: string[] = [];
    const stop = stores.store.changes.on(({ topic }) => topic === 'inbox' && announced.push(topic));
    const counts: number[] = [];
    const budget = { scope: { kind: 'hub' }, period: 'day', unit: 'tokens', limit: 400, action: 'warn' } as const;
    await stores.store.settings.write('budgets.day', budget);
    // Each call uses 110 tokens.
    for (let call = 0; call < 5; call += 1) {
      record();
      await meter.flush();
      counts.push(announced.length);
    }
    stop();
    expect(counts).toEqual([0, 0, 1, 2, 2]);
  });

  it('stores what is left when it closes', async () => {
    const { record, spent, meter } = meterWith();
    record();
    await meter.close();
    expect(await spent()).toBe(110);
    expect(vi.getTimerCount()).toBe(0);
  });
});

function callAt(endedAt: number): MeteredCall {
  return { model: 'house/one', startedAt: endedAt - 50, endedAt, usage, cost: 0.5, error: null };
}
