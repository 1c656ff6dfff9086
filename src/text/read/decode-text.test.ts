import { expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

it.each([
  ['UTF-8', Buffer.from('größer'), 'größer'],
  ['UTF-8 with its mark', Buffer.from('\ufeffa'), 'a'],
  ['UTF-16 little-endian', Buffer.from('\ufeffgrün 東', 'utf16le'), 'grün 東'],
  ['UTF-16 big-endian', Buffer.from('\ufeffgrün 東', 'utf16le').swap16(), 'grün 東'],
  ['Latin-1', Buffer.from('Das ist größer als jene', 'latin1'), 'Das ist größer als jene'],
  ['line ends of other systems', Buffer.from('a\r\nb\rc\n'), 'a\nb\nc\n'],
  ['a string with NUL and half a character', 'a\0b\ud800', 'a\ufffdb\ufffd'],
  ['nothing', new Uint8Array(), ''],
])('reads %s', (_, content, expected) => {
  expect(decodeText('a.txt', content)).toBe(expected);
});

it.each([
  ['NUL bytes', Buffer.from([137, 80, 78, 71, 0, 0]), /"a\.txt" cannot be read as text: it contains NUL bytes/],
  ['control characters', Buffer.from([1, 2, 3, 4, 97, 98]), /control characters/],
  ['another encoding', Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), /not UTF-8, UTF-16 or Latin-1/],
])('refuses %s', (_, content, message) => {
  expect(() => decodeText('a.txt', content)).toThrowError(
    expect.objectContaining({ code: 'INVALID_FORMAT', message: expect.stringMatching(message) }),
  );
});
