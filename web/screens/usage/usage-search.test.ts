import { expect, it } from 'vitest';
import { toUsageRequest, usageSearch } from './usage-search.ts';

it('the address of the usage keeps what it knows', () => {
  expect(usageSearch({ by: 'model', last: 'month', other: 1 })).toEqual({ by: 'model', last: 'month' });
  expect(usageSearch({ agent: 'guide', client: '', member: 7 })).toEqual({ agent: 'guide', client: '' });
  expect(usageSearch({ by: 'toString', last: 'odd' })).toEqual({});
});

it('a request covers whole intervals up to the current hour', () => {
  const now = Date.parse('2026-03-03T12:34:56Z');
  expect(toUsageRequest({ last: 'week' }, now)).toEqual({
    by: 'agent',
    step: 24,
    since: '2026-02-25T00:00:00.000Z',
    until: '2026-03-03T12:59:59.999Z',
  });
  expect(toUsageRequest({ last: 'day', by: 'client', client: '' }, now)).toMatchObject({
    client: '',
    since: '2026-03-02T13:00:00.000Z',
    step: 1,
  });
});
