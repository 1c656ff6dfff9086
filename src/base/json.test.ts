import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HubError } from './hub-error.ts';
import { canonicalJson, parseJson, stringifyFrozen } from './json.ts';

const limits = { maxCharacters: 1_000_000, maxDepth: 8, maxElements: 1_000 };

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HubError) return error.code;
    throw error;
  }
  return 'accepted';
}

describe('parseJson', () => {
  it.each([
    ['a depth at the limit', '['.repeat(8) + ']'.repeat(8), 'accepted'],
    ['a depth past the limit', '['.repeat(9) + ']'.repeat(9), 'TOO_LARGE'],
    ['a long text at the limit', `${'['.repeat(8)}${' '.repeat(5_000)}${']'.repeat(8)}`, 'accepted'],
    ['a long text past the limit', `${'['.repeat(9)}${' '.repeat(5_000)}${']'.repeat(9)}`, 'TOO_LARGE'],
    ['half of a deep one', '['.repeat(9), 'TOO_LARGE'],
    ['objects and lists past the limit', '{"a":['.repeat(5) + ']}'.repeat(5), 'TOO_LARGE'],
    ['a depth of a million', '['.repeat(1_000_000), 'TOO_LARGE'],
    ['brackets inside a string', JSON.stringify('['.repeat(100)), 'accepted'],
    ['brackets after an escaped quote', JSON.stringify(`"\\"${'['.repeat(100)}`), 'accepted'],
    ['brackets after one escaped quote', JSON.stringify(`"${'['.repeat(100)}`), 'accepted'],
    ['too many elements', `[${'1,'.repeat(1_001)}1]`, 'TOO_LARGE'],
    ['too many characters', `"${'x'.repeat(1_000_001)}"`, 'TOO_LARGE'],
    ['half a document', '{"name": "x', 'INVALID_ARGUMENTS'],
    ['a __proto__ key', '{"a":{"__proto__":{"b":1}}}', 'INVALID_ARGUMENTS'],
    ['an escaped __proto__ key', '{"\\u005f_proto__":1}', 'INVALID_ARGUMENTS'],
    ['__proto__ as a value', '{"a":"__proto__"}', 'accepted'],
  ])('answers %s with %3$s', (_name, text, expected) => {
    expect(codeOf(() => parseJson(text, limits))).toBe(expected);
  });

  it('reads the output of JSON.stringify for any strings', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__'));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe('stringifyFrozen', () => {
  it('follows a changing object and caches the text of a frozen one', () => {
    const changing = { a: 1 };
    stringifyFrozen(changing);
    changing.a = 2;
    expect(stringifyFrozen(changing)).toBe('{"a":2}');
    const frozen = Object.freeze({ a: 1 });
    expect(stringifyFrozen(frozen)).toBe(stringifyFrozen(frozen));
  });
});

describe('canonical JSON', () => {
  it('gives equal values the same text, regardless of the order of keys', () => {
    const one = { name: 'send', inputSchema: { type: 'object', properties: { b: { minimum: -0 }, a: {} } } };
    const other = { inputSchema: { properties: { a: {}, b: { minimum: 0.0 } }, type: 'object' }, name: 'send' };
    expect(canonicalJson(one)).toBe(
      '{"inputSchema":{"properties":{"a":{},"b":{"minimum":0}},"type":"object"},"name":"send"}',
    );
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });

  it('treats values that JSON lacks as JSON.stringify does', () => {
    expect(canonicalJson({ a: undefined, b: [undefined, null] })).toBe('{"b":[null,null]}');
  });

  it('distinguishes a number that is too large for JSON from null', () => {
    expect(canonicalJson(JSON.parse('[1e999]'))).not.toBe(canonicalJson([null]));
  });
});
