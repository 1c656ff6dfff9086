import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds } from '../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores } from '../../test/support/databases/test-store.ts';
import { bucketOf, hourMs, percentile, type UsageEntry } from './usage.ts';

const hour = 500_000;
const entry: UsageEntry = {
  hour,
  agentId: 'guide',
  client: '',
  memberId: '',
  model: 'house/one',
  bucket: bucketOf(1_000),
  calls: 1,
  errors: 0,
  unpriced: 0,
  inputTokens: 100,
  outputTokens: 10,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0.5,
};

describe.each(databaseKinds)('the use of models in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  it('is added up by group and over time, for all processes', async () => {
    await stores.store.usage.add([
      entry,
      { ...entry, agentId: 'clerk', client: 'laptop', cost: 2, bucket: bucketOf(8_000) },
    ]);
    await stores.other.usage.add([entry, { ...entry, hour: hour + 30, errors: 1, memberId: 'm1', model: 'house/two' }]);
    const range = { since: hour * hourMs, until: (hour + 48) * hourMs, stepHours: 24 };
    const report = (query: object) => stores.other.usage.report({ ...range, by: 'agent', ...query });
    const { groups, intervals, total } = await report({});
    expect(total).toMatchObject({ calls: 4, errors: 1, inputTokens: 400, outputTokens: 40, cost: 3.5 });
    expect(groups.map(({ key, calls, cost }) => [key, calls, cost])).toEqual([
      ['clerk', 1, 2],
      ['guide', 3, 1.5],
    ]);
    expect(intervals.map(({ at, calls }) => [Date.parse(at) / hourMs, calls])).toEqual([
      [hour, 3],
      [hour + 24, 1],
    ]);
    const { series } = await report({});
    const pointsOf = ({ intervals: points }: (typeof series)[number]) =>
      points.map(({ at, cost }) => [Date.parse(at) / hourMs, cost]);
    expect(series.map((each) => [each.key, pointsOf(each)])).toEqual([
      ['clerk', [[hour, 2]]],
      [
        'guide',
        [
          [hour, 1],
          [hour + 24, 0.5],
        ],
      ],
    ]);
    expect((await report({ agent: 'clerk' })).series).toEqual([]);
    expect(groups[0]?.p95Ms).toBeGreaterThan(7_500);
    expect(groups[1]?.p50Ms).toBeLessThan(1_060);
    expect((await report({ by: 'client' })).groups.map(({ key }) => key)).toEqual(['laptop', '']);
    expect((await report({ by: 'member', member: 'm1' })).groups).toMatchObject([{ key: 'm1', calls: 1, errors: 1 }]);
    expect((await report({ by: 'model', agent: 'guide' })).groups.map(({ key }) => key)).toEqual([
      'house/one',
      'house/two',
    ]);
    expect((await report({ since: 0, until: hourMs })).total).toMatchObject({ calls: 0, p50Ms: null });
  });

  it('is stored completely or not at all', async () => {
    const { usage } = stores.store;
    const many = Array.from({ length: 120 }, (_, index) => ({ ...entry, agentId: `agent-${index}` }));
    const broken = { ...entry, agentId: 'zzz', calls: Number.NaN };
    await expect(usage.add([...many, broken])).rejects.toThrow();
    expect((await usage.spent(0)).hub).toEqual({ tokens: 0, cost: 0, unpriced: 0 });
    await usage.add(many);
    expect((await usage.spent(0)).hub).toMatchObject({ cost: 60 });
  });

  it('is reported for the 200 most expensive groups, and the rest together', async () => {
    const { usage } = stores.store;
    const durations = [100, 9_000].map(bucketOf);
    await usage.add(
      Array.from({ length: 250 }, (_, index) => durations.map((bucket) => ({ index, bucket }))).flatMap((each) =>
        each.map(({ index, bucket }) => ({ ...entry, memberId: `m${index}`, cost: index, bucket })),
      ),
    );
    const range = { since: hour * hourMs, until: (hour + 1) * hourMs, stepHours: 1 };
    const { groups, rest, total, intervals } = await usage.report({ ...range, by: 'member' });
    expect(total).toMatchObject({ calls: 500, inputTokens: 50_000, cost: 249 * 250 });
    const { series } = await usage.report({ ...range, by: 'member' });
    expect(series.map(({ key }) => key)).toEqual(['m249', 'm248', 'm247', 'm246', 'm245', null]);
    expect(series.at(-1)?.intervals).toMatchObject([{ calls: 490 }]);
    expect(intervals).toMatchObject([{ calls: 500, cost: 249 * 250 }]);
    expect(groups).toHaveLength(200);
    expect(groups[0]).toMatchObject({ key: 'm249', cost: 498, calls: 2 });
    expect(rest).toMatchObject({ groups: 50, calls: 100, cost: 49 * 50, p50Ms: groups[0]?.p50Ms });
    expect((await usage.report({ ...range, by: 'member', member: 'm3' })).rest).toBeNull();
  });

  it('is summed since a time for the hub, an agent and a member, and old use is deleted', async () => {
    const { usage } = stores.store;
    await usage.add([entry, { ...entry, hour: hour + 1, agentId: 'clerk', memberId: 'm1', unpriced: 1 }]);
    const { hub, agents, members } = await usage.spent(hour * hourMs, {
      agents: ['guide', 'clerk'],
      members: ['m1', 'nobody'],
    });
    expect(hub).toEqual({ tokens: 220, cost: 1, unpriced: 1 });
    expect([...agents].sort()).toEqual([
      ['clerk', { tokens: 110, cost: 0.5, unpriced: 1 }],
      ['guide', { tokens: 110, cost: 0.5, unpriced: 0 }],
    ]);
    expect([...members.keys()]).toEqual(['m1']);
    expect((await usage.spent((hour + 1) * hourMs)).hub).toMatchObject({ tokens: 110 });
    await usage.prune((hour + 1) * hourMs);
    expect((await usage.spent(0)).hub).toMatchObject({ tokens: 110 });
  });
});

it('a percentile is within five percent of the duration', () => {
  for (const ms of [3, 40, 250, 1_234, 60_000, 600_000]) {
    const found = percentile(new Map([[bucketOf(ms), 7]]), 0.5) ?? 0;
    expect(Math.abs(found - ms) / ms).toBeLessThan(0.051);
  }
  const mixed = new Map([
    [bucketOf(100), 90],
    [bucketOf(10_000), 10],
  ]);
  expect(percentile(mixed, 0.5)).toBeLessThan(110);
  expect(percentile(mixed, 0.95)).toBeGreaterThan(9_000);
  expect(percentile(new Map(), 0.5)).toBeNull();
});
