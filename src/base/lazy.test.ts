import { expect, it } from 'vitest';
import { lazy, once } from './lazy.ts';

class Clerk {
  #count = 0;

  count(): number {
    this.#count += 1;
    return this.#count;
  }

  async greet(name: string): Promise<string> {
    return `Hello ${name}`;
  }
}

it('loads once, on the first call', async () => {
  let loads = 0;
  const load = once(async () => {
    loads += 1;
    return new Clerk();
  });
  const clerk = lazy(load);
  expect(load.promise).toBeUndefined();
  expect(await Promise.all([clerk.greet('you'), clerk.count(), clerk.count()])).toEqual(['Hello you', 1, 2]);
  expect(loads).toBe(1);
  expect(await load.promise).toBeInstanceOf(Clerk);
});

it('can be awaited even though it is not a promise, and keeps its methods', async () => {
  const clerk = lazy(async () => new Clerk());
  expect(await clerk).toBe(clerk);
  expect(clerk.greet).toBe(clerk.greet);
});

it('has its own methods, which load nothing', async () => {
  const load = once(async () => new Clerk());
  const clerk = lazy(load, { isThere: () => load.promise !== undefined });
  expect(clerk.isThere()).toBe(false);
  expect(await clerk.greet('you')).toBe('Hello you');
});

it('closes a loaded object, and loads nothing to close it', async () => {
  const closed: string[] = [];
  const load = once(async () => ({ greet: async () => 'Hello', close: async () => void closed.push('closed') }));
  const clerk = lazy(load);
  await clerk.close();
  expect([load.promise, closed]).toEqual([undefined, []]);
  await clerk.greet();
  await clerk.close();
  expect(closed).toEqual(['closed']);
});

it('tries again after loading failed', async () => {
  let isThere = false;
  const clerk = lazy(
    once(async () => {
      if (!isThere) throw new Error('not yet');
      return new Clerk();
    }),
  );
  await expect(clerk.count()).rejects.toThrow('not yet');
  isThere = true;
  expect(await clerk.count()).toBe(1);
});
