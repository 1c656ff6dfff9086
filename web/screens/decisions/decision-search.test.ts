import { describe, expect, it } from 'vitest';
import { decisionSearch, isFiltered, toDecisionFilter, withoutFilters } from './decision-search.ts';

const now = Date.parse('2026-03-03T12:34:56Z');

describe('the URL', () => {
  it('drops unknown parameters', () => {
    expect(
      decisionSearch({ agentId: 'worker-1', tool: 'mcp__mail__send', kind: 'error', text: 42, seq: '17', sort: 'up' }),
    ).toEqual({ agentId: 'worker-1', tool: 'mcp__mail__send', kind: 'error', text: '42', seq: 17 });
    expect(decisionSearch({ kind: 'toString', last: 'year', since: 'soon', seq: -1, agentId: '', tool: {} })).toEqual(
      {},
    );
  });

  it('has either a preset or a custom range', () => {
    const since = '2026-03-01T00:00:00.000Z';
    expect(decisionSearch({ last: 'hour' })).toEqual({ last: 'hour' });
    expect(decisionSearch({ last: 'hour', since: '2026-03-01T00:00:00Z' })).toEqual({ since });
  });
});

it('the request contains the start of a preset and leaves out the end of a range, but never contains the open entry', () => {
  expect(toDecisionFilter({ last: 'hour', kind: 'error', seq: 5, text: '  refund ' }, now)).toEqual({
    kind: 'error',
    since: '2026-03-03T11:30:00.000Z',
    text: 'refund',
  });
  expect(toDecisionFilter({ text: '   ' }, now)).toEqual({});
  expect(toDecisionFilter({ until: '2026-03-03T12:00:00.000Z' }, now)).toEqual({ until: '2026-03-03T11:59:59.999Z' });
});

it('an open entry is not a filter and stays open when the filters are cleared', () => {
  expect(isFiltered({ seq: 5 })).toBe(false);
  expect(isFiltered({ seq: 5, last: 'day' })).toBe(true);
  expect(withoutFilters({ seq: 5, tool: 'ping' })).toEqual({ seq: 5 });
  expect(withoutFilters({ tool: 'ping' })).toEqual({});
});
