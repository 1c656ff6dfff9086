import { describe, expect, it } from 'vitest';
import { EventReader } from './server-events.ts';

function dataIn(reader: EventReader, text: string): string[] {
  return [...reader.read(text)].map(({ data }) => data);
}

describe('events in pieces', () => {
  const text =
    ': hello\r\nevent: a\r\ndata: one\r\n\r\ndata:two\ndata: three\nid: 7\n\nretry: 5\n\ndata: Zoë 🦊\n\ndata: open';

  it.each([1, 2, 3, 7, 1_000])('are the same for any size of the pieces (%d characters)', (size) => {
    const reader = new EventReader(1_000);
    const data: string[] = [];
    for (let start = 0; start < text.length; start += size)
      data.push(...dataIn(reader, text.slice(start, start + size)));
    expect(data).toEqual(['one', 'two\nthree', '', 'Zoë 🦊']);
  });

  it.each([1, 2, 1_000])('may use any of the three line endings (%d characters)', (size) => {
    const lines = 'data: 1\r\rdata: 2\r\n\r\ndata: 3\r\n\rdata: 4\n\n';
    const reader = new EventReader(1_000);
    const data: string[] = [];
    for (let start = 0; start < lines.length; start += size)
      data.push(...dataIn(reader, lines.slice(start, start + size)));
    expect(data).toEqual(['1', '2', '3', '4']);
  });

  it('may have no data; comments are not events', () => {
    expect(dataIn(new EventReader(100), 'data:\n\nevent: ping\ndata\n\n: comment\n\ndata: 1\n\n')).toEqual([
      '',
      '',
      '1',
    ]);
  });

  it('may be long lines in many pieces', () => {
    const reader = new EventReader(50_000_000);
    const piece = 'x'.repeat(1_000);
    for (let count = 0; count < 20_000; count += 1)
      expect([...reader.read(count === 0 ? 'data: ' : piece)]).toEqual([]);
    expect(dataIn(reader, '\n\n').map((data) => data.length)).toEqual([19_999_000]);
  });

  it('are limited while they arrive, in one line and in many', () => {
    const line = new EventReader(100);
    expect(dataIn(line, `data: ${'x'.repeat(90)}\n\n`)).toEqual(['x'.repeat(90)]);
    expect(() => [...line.read(`data: ${'x'.repeat(100)}`)]).toThrow('longer than 100 characters');
    const lines = new EventReader(100);
    expect(() => [...lines.read('data: 12345\n'.repeat(20))]).toThrow(RangeError);
  });
});
