import { describe, expect, it } from 'vitest';
import { parseQuery } from './parse-query.ts';

const cases: [query: string, terms: string][] = [
  ['how to retry a failed sync', 'retri fail sync'],
  ['cats AND dogs OR NOT mice', 'cat dog mice'],
  ['retry retries retry', 'retri×3'],
  ['to be or not to be', 'to×2 be×2 or not'],
  ['getElementById', 'get element id getelementbyid'],
  ['title:foo -bar* (baz)', 'titl foo bar baz'],
  ['東京都', '東京 京都'],
  ['東', '東'],
  ['… !? "" **', ''],
  ['', ''],
];

describe('a query', () => {
  it.each(cases)('%j looks for %s', (query, expected) => {
    const terms = parseQuery(query).terms.map(({ term, weight }) => (weight === 1 ? term : `${term}×${weight}`));
    expect(terms.join(' ')).toBe(expected);
  });

  it('takes quoted words as phrases and as terms', () => {
    const query = parseQuery('sync "retries of the hub" “exit code” "unclosed');
    expect(query.phrases).toEqual([
      ['retri', 'of', 'the', 'hub'],
      ['exit', 'code'],
    ]);
    expect(query.terms.map(({ term }) => term)).toEqual(['sync', 'retri', 'hub', 'exit', 'code', 'unclos']);
    expect(query.words).toEqual(['sync', 'retri', 'hub', 'exit', 'code', 'unclos']);
    expect(query.required).toEqual([]);
    expect(parseQuery('"…" word').phrases).toEqual([]);
    expect(parseQuery('"fs.readFile"').phrases).toEqual([['fs', 'read', 'file']]);
  });

  const required: [query: string, required: string][] = [
    ['"exit code"', 'exit code'],
    [' “exit code”, "not found"! ', 'exit code|not found'],
    ['sync "exit code"', ''],
    ['sync +"exit code" "not found"', 'exit code'],
    ['+“exit code” sync', 'exit code'],
    ['1+"exit code"', ''],
    ['+ "exit code" sync', ''],
    ['"exit code" "unclosed', ''],
    ['+"" sync', ''],
  ];
  it.each(required)('%j requires the phrases %j', (query, expected) => {
    expect(
      parseQuery(query)
        .required.map((words) => words.join(' '))
        .join('|'),
    ).toBe(expected);
  });

  it('with thousands of words uses the first 256', () => {
    const query = parseQuery(Array.from({ length: 2_000 }, (_, index) => `w${index}`).join(' '));
    expect(query.terms).toHaveLength(256);
    expect(query.terms.at(-1)?.term).toBe('w255');
  });
});
