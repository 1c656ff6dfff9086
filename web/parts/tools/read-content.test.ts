import { describe, expect, it } from 'vitest';
import { base64Bytes, jsonIn, safeLink } from './read-content.ts';

describe('reading tool results', () => {
  it.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    [' [1]', [1]],
    ['{"a":', undefined],
    ['42', undefined],
    ['Hello {"a":1}', undefined],
  ])('parses %j as %j', (text, value) => {
    expect(jsonIn(text)).toEqual(value);
  });

  it.each<[string, string | undefined]>([
    ['https://example.com/a', 'https://example.com/a'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['file:///etc/passwd', undefined],
    ['not an address', undefined],
  ])('links %s to %s', (uri, link) => {
    expect(safeLink(uri)).toBe(link);
  });

  it('decodes both base64 alphabets and rejects anything else', () => {
    expect(base64Bytes('aGk=')).toEqual(new Uint8Array([104, 105]));
    expect(base64Bytes('-_-_')).toEqual(new Uint8Array([251, 255, 191]));
    expect(base64Bytes('no base64!')).toBeUndefined();
  });
});
