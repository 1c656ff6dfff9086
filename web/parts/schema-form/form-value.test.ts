import { describe, expect, it } from 'vitest';
import {
  hasUnread,
  readJson,
  readNumber,
  startValue,
  UnreadText,
  valueAt,
  variantOf,
  withItem,
  withoutItem,
  withProperty,
} from './form-value.ts';
import { fieldOf } from './schema-fields.ts';

describe('a new form', () => {
  it('contains required parts only', () => {
    const field = fieldOf({
      type: 'object',
      properties: {
        name: { type: 'string' },
        limit: { type: 'integer', default: 5 },
        mode: { type: 'string', default: 'fast' },
        kind: { const: 'note' },
        filters: {
          type: 'object',
          properties: { tags: { type: 'array', items: { type: 'string' } }, kind: { const: 1 } },
          required: ['tags'],
        },
        more: { type: 'object', properties: { a: { type: 'string' } } },
      },
      required: ['name', 'mode', 'kind', 'filters'],
    });
    expect(startValue(field, true)).toEqual({ mode: 'fast', kind: 'note', filters: { tags: [] } });
  });

  it('has as many entries as the list requires', () => {
    const field = fieldOf({ type: 'array', items: { type: 'object', properties: { a: {} } }, minItems: 2 });
    expect(startValue(field, true)).toEqual([{}, {}]);
  });
});

describe('editing', () => {
  it('sets and removes properties, and keeps their order and unknown ones', () => {
    const value = { a: 1, other: true };
    expect(Object.keys(withProperty(withProperty(value, 'b', 2), 'a', 3))).toEqual(['a', 'other', 'b']);
    expect(withProperty(value, 'a', undefined)).toEqual({ other: true });
    expect(withProperty('no object', 'a', 1)).toEqual({ a: 1 });
  });

  it('ignores inherited names', () => {
    expect(valueAt({}, 'constructor')).toBeUndefined();
    const changed = withProperty({}, '__proto__', { evil: true });
    expect(Object.hasOwn(changed, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });

  it('changes and removes entries of a list', () => {
    expect(withItem(['a', 'b'], 1, 'c')).toEqual(['a', 'c']);
    expect(withItem(['a', 'b'], 0, undefined)).toEqual([null, 'b']);
    expect(withoutItem(['a', 'b', 'c'], 1)).toEqual(['a', 'c']);
  });
});

describe('typed text', () => {
  it.each([
    ['', undefined],
    [' 12 ', 12],
    ['-1.5e3', -1500],
  ])('%j is the number %j', (text, number) => {
    expect(readNumber(text)).toBe(number);
  });

  it('that is not a number or JSON stays as typed and is reported', () => {
    expect(readNumber('1,5')).toEqual(new UnreadText('1,5'));
    expect(readJson('{"a":')).toEqual(new UnreadText('{"a":'));
    expect(readJson('{"a":1}')).toEqual({ a: 1 });
    expect(readJson('  ')).toBeUndefined();
    expect(hasUnread({ list: [1, { deep: new UnreadText('x') }] })).toBe(true);
    expect(hasUnread({ list: [1, null, 'x'] })).toBe(false);
    expect(JSON.stringify({ a: new UnreadText('1,5') })).toBe('{"a":"1,5"}');
  });
});

describe('alternatives', () => {
  const field = fieldOf({
    anyOf: [
      { type: 'object', properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['kind'] },
      { type: 'object', properties: { kind: { const: 'link' }, url: { type: 'string' } }, required: ['kind'] },
      { type: 'number' },
    ],
  });
  it.each([
    [{ kind: 'file' }, 0],
    [{ kind: 'link', url: 'x' }, 1],
    [7, 2],
    [new UnreadText('7x'), 2],
    [undefined, 0],
    [{ path: 3 }, 0],
  ])('%j matches alternative %i', (value, index) => {
    expect(field.kind === 'variants' && variantOf(field, value)).toBe(index);
  });
});
