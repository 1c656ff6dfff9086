import { expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { eventText, writeEvents } from './write-events.ts';

/** Sleeps until the test ends the sleep. */
function handClock(): Clock & { pass(): void } {
  let sleepers: (() => void)[] = [];
  return {
    now: () => 0,
    sleep: (_milliseconds, signal) =>
      new Promise((resolve, reject) => {
        sleepers.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    pass() {
      for (const resolve of sleepers.splice(0)) resolve();
      sleepers = [];
    },
  };
}

it('writes the fields in one order and ends with an empty line', () => {
  expect(eventText({ id: 3, type: 'message', data: '{}' })).toBe('id: 3\nevent: message\ndata: {}\n\n');
  expect(eventText({ retry: 1000 })).toBe('retry: 1000\n\n');
  expect(eventText({ id: 'a-0', retry: 500, data: '' })).toBe('id: a-0\nretry: 500\ndata: \n\n');
});

it('sends events in order and a heartbeat while there are none, then ends once', async () => {
  const clock = handClock();
  const more = Promise.withResolvers<void>();
  let ends = 0;
  const stream = writeEvents(
    (async function* () {
      yield 'a\n\n';
      await more.promise;
      yield 'b\n\n';
    })(),
    { clock, onEnd: () => (ends += 1) },
  );
  const reader = stream.getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toBe('a\n\n');
  const beat = read();
  await new Promise((resolve) => setImmediate(resolve));
  clock.pass();
  expect(await beat).toBe(': still here\n\n');
  more.resolve();
  expect(await read()).toBe('b\n\n');
  expect(await reader.read()).toMatchObject({ done: true });
  expect(ends).toBe(1);
});

it('stops its source when the reader leaves, and fails its reader when the source fails', async () => {
  const left = Promise.withResolvers<void>();
  let isReturned = false;
  const endless = (async function* () {
    try {
      yield 'a\n\n';
      await left.promise;
    } finally {
      isReturned = true;
    }
  })();
  const stream = writeEvents(endless, { clock: handClock(), onEnd: () => left.resolve() });
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  await expect.poll(() => isReturned).toBe(true);

  let ends = 0;
  // biome-ignore lint/correctness/useYield: fails before its first event
  const broken = (async function* (): AsyncGenerator<string, void> {
    throw new Error('broken');
  })();
  const failing = writeEvents(broken, { clock: handClock(), onEnd: () => (ends += 1) }).getReader();
  await expect(failing.read()).rejects.toThrow('broken');
  expect(ends).toBe(1);
});
