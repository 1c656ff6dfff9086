import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.ts';

function queueOf(events: readonly number[]) {
  let left = 0;
  const queue = new EventQueue<number>(() => {
    left += 1;
  });
  for (const event of events) queue.push(event);
  return { queue, timesLeft: () => left };
}

async function readAll(queue: EventQueue<number>): Promise<number[]> {
  const read: number[] = [];
  for await (const event of queue) read.push(event);
  return read;
}

describe('a queue of events', () => {
  it('keeps all events for a late reader', async () => {
    const events = Array.from({ length: 5000 }, (_, index) => index);
    const { queue, timesLeft } = queueOf(events);
    queue.end();
    expect(await readAll(queue)).toEqual(events);
    expect(timesLeft()).toBe(0);
  });

  it('gives a waiting reader each event and the end', async () => {
    const { queue } = queueOf([]);
    const reads = [queue.next(), queue.next(), queue.next()];
    queue.push(1);
    queue.push(2);
    queue.end();
    expect(await Promise.all(reads)).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
      { value: undefined, done: true },
    ]);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it('reports once that its reader left, and keeps nothing after that', async () => {
    const { queue, timesLeft } = queueOf([1, 2, 3]);
    for await (const event of queue) if (event === 1) break;
    queue.push(4);
    await queue.return();
    expect(timesLeft()).toBe(1);
    expect(await queue.next()).toEqual({ value: undefined, done: true });
  });

  it('does not report a reader that has read everything', async () => {
    const { queue, timesLeft } = queueOf([1, 2]);
    queue.end();
    for await (const event of queue) if (event === 1) break;
    expect(timesLeft()).toBe(0);
  });
});
