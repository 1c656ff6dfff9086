import type { BrainEntry, BrainEntryType } from '../../../../src/brain/brain.ts';
import { dayOf } from '../../../ui/day-names.ts';

export interface BrainFilter {
  text: string;
  /** Empty matches every type. */
  types: readonly BrainEntryType[];
  /** Matches entries with any of these tags; empty matches every entry. */
  tags: readonly string[];
  pinnedOnly: boolean;
  /** Local days, YYYY-MM-DD, or empty. */
  from: string;
  to: string;
}

export const everyEntry: BrainFilter = { text: '', types: [], tags: [], pinnedOnly: false, from: '', to: '' };

export function isFiltering(filter: BrainFilter): boolean {
  return (
    filter.text.trim() !== '' ||
    filter.types.length > 0 ||
    filter.tags.length > 0 ||
    filter.pinnedOnly ||
    filter.from !== '' ||
    filter.to !== ''
  );
}

export function filterBrain(entries: readonly BrainEntry[], filter: BrainFilter): BrainEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter((entry) => {
    if (filter.pinnedOnly && !entry.pinned) return false;
    if (filter.types.length > 0 && !filter.types.includes(entry.type)) return false;
    if (filter.tags.length > 0 && !entry.tags.some((tag) => filter.tags.includes(tag))) return false;
    const day = dayOf(entry.timestamp);
    if (filter.from !== '' && day < filter.from) return false;
    if (filter.to !== '' && day > filter.to) return false;
    const text = `${entry.content}\n${entry.tags.join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** A heading, YYYY-MM-DD in the reader's time zone, or an entry below it. */
export type BrainRow = { day: string } | { entry: BrainEntry; isFirst: boolean; isLast: boolean };

/** Puts entries under their days, newest first. */
export function toRows(entries: readonly BrainEntry[]): BrainRow[] {
  const days = Map.groupBy([...entries].sort(newestFirst), ({ timestamp }) => dayOf(timestamp));
  return [...days].flatMap(([day, ofDay]) => [
    { day },
    ...ofDay.map((entry, index) => ({ entry, isFirst: index === 0, isLast: index === ofDay.length - 1 })),
  ]);
}

/** Returns every tag with its number of entries, most used first. */
export function countTags(entries: readonly BrainEntry[]): { tag: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const tag of entries.flatMap((entry) => entry.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((left, right) => right.count - left.count || left.tag.localeCompare(right.tag));
}

/** "release, api ,api" → ["release", "api"]. */
export function parseTags(text: string): string[] {
  const tags = text
    .split(',')
    .map((tag) => tag.trim().slice(0, 64))
    .filter(Boolean);
  return [...new Set(tags)].slice(0, 50);
}

function newestFirst(left: BrainEntry, right: BrainEntry): number {
  return Date.parse(right.timestamp) - Date.parse(left.timestamp) || right.id.localeCompare(left.id);
}
