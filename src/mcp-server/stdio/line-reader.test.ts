import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

function reading(chunks: (Buffer | string)[]): { lines: string[]; tooLong: number } {
  const seen = { lines: [] as string[], tooLong: 0 };
  const reader = new LineReader({
    line: (text) => seen.lines.push(text),
    tooLong: () => {
      seen.tooLong += 1;
    },
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return seen;
}

test('lines are put together from chunks cut anywhere, also inside a character', () => {
  const bytes = Buffer.from('{"a":"🦊"}\n\r\n\n{"b":1}\r\n{"c":"é"}');
  const single = Array.from(bytes, (byte) => Buffer.from([byte]));
  expect(reading(single).lines).toEqual(['{"a":"🦊"}', '{"b":1}\r', '{"c":"é"}']);
  expect(reading([bytes]).lines).toEqual(['{"a":"🦊"}', '{"b":1}\r', '{"c":"é"}']);
});

test('a line over the limit is reported once, and the next one is read', () => {
  const chunk = 'x'.repeat(1_000_000);
  const seen = reading([chunk, chunk, chunk, chunk, chunk, '\n{"ok":1}\n']);
  expect(seen).toEqual({ lines: ['{"ok":1}'], tooLong: 1 });
});
