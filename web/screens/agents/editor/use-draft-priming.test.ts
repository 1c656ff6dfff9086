import { describe, expect, it } from 'vitest';
import { toPrimeQuery } from './use-draft-priming.ts';

const query = (text: string) => ({ query: text, source: null, tags: [], mode: null, limit: 3 });
const argument = (name: string) => ({ name, description: '', required: false });

describe('toPrimeQuery', () => {
  it('returns null for a draft without searches', () => {
    expect(toPrimeQuery({ arguments: [], knowledge: [] }, {})).toBeNull();
    expect(toPrimeQuery({ arguments: [], knowledge: [query('  ')] }, {})).toBeNull();
  });

  it('leaves out invalid searches and keeps the positions of the rest', () => {
    const question = toPrimeQuery(
      {
        arguments: [argument('service'), argument('not valid'), argument('service')],
        knowledge: [query(''), query('{service} runbook'), { ...query('x'), limit: 99 }, query('standards')],
      },
      { service: 'payments', other: 'x' },
    );
    expect(question).toEqual({
      request: {
        arguments: [argument('service')],
        knowledge: [query('{service} runbook'), query('standards')],
        values: { service: 'payments' },
      },
      positions: [1, 3],
    });
  });

  it('sends no value for an empty sample', () => {
    const draft = { arguments: [argument('service')], knowledge: [query('{service}')] };
    expect(toPrimeQuery(draft, { service: '' })?.request.values).toEqual({});
  });
});
