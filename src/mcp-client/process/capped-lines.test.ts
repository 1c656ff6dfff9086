import { expect, it } from 'vitest';
import { cutLines } from './capped-lines.ts';

function cut(maxBytes: number) {
  const lines: string[] = [];
  const heads: string[] = [];
  const take = cutLines({
    maxBytes,
    onLine: (line) => lines.push(line.toString()),
    onTooLong: (head) => heads.push(head.toString()),
  });
  return { lines, heads, take: (text: string | Buffer) => take(Buffer.from(text)) };
}

it('lines are whole wherever the bytes were cut, also within a character', () => {
  const text = 'first\n\nzweite Zeile: ü€😀\nlast\nrest without end';
  const bytes = Buffer.from(text);
  for (let at = 1; at < bytes.length; at += 1) {
    const { lines, take } = cut(100);
    take(bytes.subarray(0, at));
    take(bytes.subarray(at));
    expect(lines).toEqual(['first', '', 'zweite Zeile: ü€😀', 'last']);
  }
});

it('a line over the limit is told as soon as it is, once, and the next line is read again', () => {
  const { lines, heads, take } = cut(10);
  take('0123456789\n');
  take('01234');
  take('56789');
  expect(heads).toEqual([]);
  take('a');
  expect(heads).toEqual(['0123456789a']);
  take('more and more');
  take(' of it\nnext\n');
  take('another that is too long\nand\n');
  expect(lines).toEqual(['0123456789', 'next', 'and']);
  expect(heads).toEqual(['0123456789a', 'another that is too long']);
});
