import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { newId } from '../base/ids.ts';
import type { DecisionQuery } from '../tools/decision-log.ts';

const begin = 1_794_000_000_000;
const minute = 60_000;

/** The clock runs, is set back by half an hour, runs, jumps an hour ahead, and is corrected. */
const times = [
  ...Array.from({ length: 10 }, (_, index) => begin + index * minute),
  ...Array.from({ length: 10 }, (_, index) => begin - 20 * minute + index * minute),
  ...Array.from({ length: 12 }, (_, index) => begin + 60 * minute + index * minute),
  ...Array.from({ length: 10 }, (_, index) => begin + index * minute + 30_000),
];
const calls = times.map((at) => ({ callId: newId('call', at), at }));

describe.each(databaseKinds)('a log in %s whose clock was set back and forward', (kind) => {
  let stores: TestStores;
  beforeAll(async () => {
    stores = await openTestStores(kind);
    for (const { callId, at } of calls) {
      await stores.store.decisions.append(decision(callId, { at, tool: 'stepped' }));
      await stores.store.decisions.append(decision(callId, { at, tool: 'stepped', kind: 'result' }));
    }
  });
  afterAll(() => stores.remove());

  async function idsOf(query: DecisionQuery): Promise<string[]> {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.other.decisions.page({ ...query, kind: 'invocation', limit: 7, cursor });
      found.push(...page.entries.map((entry) => entry.callId));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  const steps = [-25, -20, -15, -10, 0, 3, 9, 20, 60, 65, 80];
  const ranges = steps.flatMap((from) => steps.filter((to) => to >= from).map((to) => [from, to] as const));

  it('shows every entry of any period', async () => {
    for (const [from, to] of ranges) {
      const [since, until] = [begin + from * minute, begin + to * minute];
      const meant = calls.filter(({ at }) => at >= since && at <= until).map(({ callId }) => callId);
      expect(await idsOf({ since, until })).toEqual(meant.toReversed());
      expect(await idsOf({ since, until, tool: 'stepped' })).toEqual(meant.toReversed());
      expect(await idsOf({ since })).toEqual(idsWhere((at) => at >= since));
      expect(await idsOf({ until })).toEqual(idsWhere((at) => at <= until));
    }
  });

  function idsWhere(isMeant: (at: number) => boolean): string[] {
    return calls
      .filter(({ at }) => isMeant(at))
      .map(({ callId }) => callId)
      .toReversed();
  }

  it('finds each call by its id', async () => {
    for (const { callId } of calls) {
      const { entries } = await stores.other.decisions.page({ callId });
      expect(entries.map((entry) => [entry.callId, entry.kind])).toEqual([
        [callId, 'result'],
        [callId, 'invocation'],
      ]);
    }
  });

  it('finds entries of several minutes in one group', async () => {
    const at = begin + 500 * minute;
    const together = [0, 1, 2, 3].map((index) => decision(newId('call', at), { at: at + index * minute }));
    await Promise.all(together.map((entry) => stores.store.decisions.append(entry)));
    for (const entry of together) expect(await idsOf({ since: entry.at, until: entry.at })).toEqual([entry.callId]);
  });

  it('still finds the remaining entries after old ones were deleted', async () => {
    const before = begin + 5 * minute;
    await stores.store.decisions.prune(before);
    const left = await idsOf({});
    expect(await idsOf({ since: begin - 100 * minute, until: begin + 1_000 * minute })).toEqual(left);
    for (const { callId, at } of calls.filter((call) => left.includes(call.callId)))
      expect(await idsOf({ since: at, until: at })).toContain(callId);
    expect(left.length).toBeGreaterThanOrEqual(calls.filter(({ at }) => at >= before).length);
  });
});
