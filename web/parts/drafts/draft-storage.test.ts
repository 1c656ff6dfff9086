import { describe, expect, it } from 'vitest';
import { createDraftStorage, type DraftPlace, draftLimits } from './draft-storage.ts';
import { shapeLike } from './use-form-draft.ts';

/** A place like `localStorage`, with the same limit. */
function memory(capacity = Number.POSITIVE_INFINITY) {
  const entries = new Map<string, string>();
  const place: DraftPlace = {
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => {
      if (value.length > capacity) throw new DOMException('full', 'QuotaExceededError');
      entries.set(key, value);
    },
    removeItem: (key) => void entries.delete(key),
  };
  let now = 1_000;
  return {
    entries,
    storage: createDraftStorage({ place: () => place, now: () => now }),
    wait: (ms: number) => {
      now += ms;
    },
    at: () => now,
  };
}

describe('a stored draft', () => {
  it('is read by hub and name only', () => {
    const { storage, at } = memory();
    storage.write('one', 'task/new', { value: { title: 'Half a ti' }, at: at(), base: null });
    expect(storage.read('one', 'task/new')).toEqual({ value: { title: 'Half a ti' }, at: 1_000, base: null });
    expect(storage.read('one', 'task/new2')).toBeUndefined();
    expect(storage.read('two', 'task/new')).toBeUndefined();
    storage.remove('one', 'task/new', at());
    expect(storage.read('one', 'task/new')).toBeUndefined();
  });

  it('is removed by the page that wrote or showed it, and not if another page has typed since', () => {
    const { storage, wait, at, entries } = memory();
    const shown = at();
    wait(1);
    storage.write('one', 'mail/new', { value: 'from the other page', at: at(), base: null });
    storage.remove('one', 'mail/new', shown);
    expect(storage.read('one', 'mail/new')?.value).toBe('from the other page');
    const [[key = '', text = ''] = []] = [...entries];
    expect([storage.nameOf('one', key), storage.nameOf('two', key), storage.timeOf(text)]).toEqual([
      'mail/new',
      undefined,
      at(),
    ]);
    storage.remove('one', 'mail/new', at());
    expect(storage.read('one', 'mail/new')).toBeUndefined();
  });

  it('is forgotten after 30 days', () => {
    const { storage, at, wait, entries } = memory();
    storage.write('one', 'old', { value: 'x', at: at(), base: null });
    wait(draftLimits.ageMs);
    expect(storage.read('one', 'old')?.value).toBe('x');
    wait(1);
    expect(storage.read('one', 'old')).toBeUndefined();
    storage.write('one', 'new', { value: 'y', at: at(), base: null });
    expect([...entries.keys()]).toEqual(['zoo.draft/one/new']);
  });

  it('gives way to newer ones when all together are too large', () => {
    const { storage, at, wait } = memory();
    const value = 'x'.repeat(draftLimits.one - 100);
    for (const name of ['first', 'second', 'third', 'fourth']) {
      expect(storage.write('one', name, { value, at: at(), base: null })).toBe(true);
      wait(1);
    }
    expect(['first', 'second', 'third', 'fourth'].map((name) => storage.read('one', name) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  it('is not kept when it is too large or the browser has no room, and leaves no older text behind', () => {
    const { storage, at } = memory(200);
    storage.write('one', 'agent/a', { value: 'short', at: at(), base: '1' });
    expect(storage.write('one', 'agent/a', { value: 'x'.repeat(draftLimits.one), at: at(), base: '1' })).toBe(false);
    expect(storage.read('one', 'agent/a')).toBeUndefined();
    expect(storage.write('one', 'agent/a', { value: 'x'.repeat(300), at: at(), base: '1' })).toBe(false);
  });

  it('of one hub is removed when the user signs out there', () => {
    const { storage, at, entries } = memory();
    entries.set('zoo-theme', 'dark');
    for (const hub of ['one', 'one-b']) storage.write(hub, 'a', { value: 'x', at: at(), base: null });
    storage.clear('one');
    expect([...entries.keys()]).toEqual(['zoo-theme', 'zoo.draft/one-b/a']);
  });

  it('is ignored when it is not readable', () => {
    const { storage, entries } = memory();
    for (const text of ['{"value":', '"x"', '{"value":1}', '{"value":1,"at":"today","base":null}']) {
      entries.set('zoo.draft/one/a', text);
      expect(storage.read('one', 'a')).toBeUndefined();
    }
  });

  it('does not break a browser that blocks its storage', () => {
    const storage = createDraftStorage({
      place: () => {
        throw new DOMException('blocked', 'SecurityError');
      },
      now: Date.now,
    });
    expect(storage.write('one', 'a', { value: 'x', at: 1, base: null })).toBe(false);
    expect(storage.read('one', 'a')).toBeUndefined();
    storage.clear('one');
  });
});

describe('a restored draft', () => {
  it.each<[what: string, stored: unknown, start: unknown, value: unknown]>([
    ['takes the fields that the form has', { title: 'A', old: 1 }, { title: '', body: 'b' }, { title: 'A', body: 'b' }],
    ['leaves out a field of another type', { title: 3 }, { title: '' }, { title: '' }],
    ['may fill a field that starts empty', { agent: 'ada' }, { agent: null }, { agent: 'ada' }],
    ['is a text for a text', 'Hello', '', 'Hello'],
    ['is not used for another form', 'Hello', { title: '' }, undefined],
    ['is not used for a text if it is none', { title: '' }, '', undefined],
  ])('%s', (_, stored, start, value) => {
    expect(shapeLike(stored, start)).toEqual(value);
  });
});
