import { describe, expect, it } from 'vitest';
import type { BrainEntry } from '../../../../src/brain/brain.ts';
import { countTags, everyEntry, filterBrain, isFiltering, parseTags, toRows } from './brain-timeline.ts';

function entry(id: string, fields: Partial<BrainEntry> = {}): BrainEntry {
  const timestamp = new Date(2026, 10, 15, 12).toISOString();
  return {
    id,
    agentId: 'otter',
    type: 'note',
    content: `About ${id}`,
    pinned: false,
    tags: [],
    metadata: {},
    timestamp,
    ...fields,
  };
}

const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
const entries = [
  entry('a', { timestamp: at(14, 9), type: 'decision', tags: ['api'] }),
  entry('b', { timestamp: at(15, 9), pinned: true, tags: ['api', 'release'] }),
  entry('c', { timestamp: at(15, 11), content: 'The Release went well' }),
];
const ids = (found: BrainEntry[]) => found.map((each) => each.id);

describe('the brain timeline', () => {
  it('is grouped by local day, newest first', () => {
    const rows = toRows(entries).map((row) =>
      'day' in row ? row.day : [row.entry.id, row.isFirst && 'first', row.isLast && 'last'],
    );
    expect(rows).toEqual([
      '2026-11-15',
      ['c', 'first', false],
      ['b', false, 'last'],
      '2026-11-14',
      ['a', 'first', 'last'],
    ]);
  });

  it.each([
    ['everything', {}, ['a', 'b', 'c']],
    ['a type', { types: ['decision'] as const }, ['a']],
    ['any of the tags', { tags: ['release', 'api'] }, ['a', 'b']],
    ['pinned ones', { pinnedOnly: true }, ['b']],
    ['words in content or tags', { text: 'release' }, ['b', 'c']],
    ['a first day', { from: '2026-11-15' }, ['b', 'c']],
    ['a last day, the whole of it', { to: '2026-11-14' }, ['a']],
  ])('is filtered by %s', (_, filter, expected) => {
    expect(ids(filterBrain(entries, { ...everyEntry, ...filter }))).toEqual(expected);
  });

  it('knows whether a filter is set', () => {
    expect(isFiltering(everyEntry)).toBe(false);
    expect(isFiltering({ ...everyEntry, to: '2026-11-14' })).toBe(true);
  });

  it('counts tags, most used first', () => {
    expect(countTags(entries)).toEqual([
      { tag: 'api', count: 2 },
      { tag: 'release', count: 1 },
    ]);
  });

  it('parses comma-separated tags without duplicates', () => {
    expect(parseTags(' release, api ,,api')).toEqual(['release', 'api']);
  });
});
