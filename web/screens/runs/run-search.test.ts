import { expect, it } from 'vitest';
import { runSearch, toRunFilter } from './run-search.ts';

it('the address of the runs keeps known filters and drops the rest', () => {
  expect(runSearch({ agent: 'a', state: 'failed', last: 'day', text: 42, called: 'only', other: 1 })).toEqual({
    agent: 'a',
    state: 'failed',
    last: 'day',
    text: '42',
    called: 'only',
  });
  expect(runSearch({ agent: '', state: 'odd', last: 'toString', text: '', called: 'hide' })).toEqual({});
});

it('a span begins at a whole minute', () => {
  const now = Date.parse('2026-03-03T12:34:56Z');
  expect(toRunFilter({ last: 'hour', agent: 'a' }, now)).toEqual({ agent: 'a', since: '2026-03-03T11:34:00.000Z' });
  expect(toRunFilter({ text: 'x' }, now)).toEqual({ text: 'x' });
});
