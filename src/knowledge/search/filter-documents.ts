import type { z } from 'zod';
import { dayMs } from '../../base/clock.ts';
import type { SegmentHeader } from '../index/segment-header.ts';
import type { SearchFilters } from './search-request.ts';

export type DocumentFilters = z.output<typeof SearchFilters>;

/** Returns 1 for each document of a segment that passes all filters, else 0. */
export function filterDocuments(header: SegmentHeader, updatedAt: Float64Array, filters: DocumentFilters): Uint8Array {
  const since = filters.since === undefined ? Number.NEGATIVE_INFINITY : startOfMoment(filters.since);
  const until = filters.until === undefined ? Number.POSITIVE_INFINITY : endOfMoment(filters.until);
  const sources = header.sourceNames.map((name) => filters.source?.some((each) => isSource(name, each)) ?? true);
  // A script may name another source for a document, which is kept as a tag.
  const named = header.tagNames.map((name) => filters.source?.some((each) => name === `source:${each}`) ?? false);
  const tags = filters.tags && new Set(filters.tags);
  const wanted = header.tagNames.map((name) => tags?.has(name) ?? true);
  const allowed = new Uint8Array(header.docNos.length);
  for (let index = 0; index < allowed.length; index++) {
    const time = updatedAt[index] ?? 0;
    const fits =
      time >= since &&
      time <= until &&
      (sources[header.sources[index] ?? 0] === true ||
        header.tags[index]?.some((tag) => named[tag] === true) === true) &&
      (tags === undefined || header.tags[index]?.some((tag) => wanted[tag] === true) === true);
    allowed[index] = fits ? 1 : 0;
  }
  return allowed;
}

/** Matches a label such as `git:runbooks` by itself, its name `runbooks` or its type `git`. */
export function isSource(label: string, wanted: string): boolean {
  if (label === wanted) return true;
  const colon = label.indexOf(':');
  return label.slice(0, colon) === wanted || label.slice(colon + 1) === wanted;
}

/** Parses a date or time. UTC unless it has a time zone. */
export function startOfMoment(moment: string): number {
  const hasNoZone = /^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(moment);
  return Date.parse(hasNoZone ? `${moment.replace(' ', 'T')}Z` : moment);
}

/** Like `startOfMoment`, but a date without a time means the end of that day. */
export function endOfMoment(moment: string): number {
  return startOfMoment(moment) + (/^\d{4}-\d{2}-\d{2}$/.test(moment) ? dayMs - 1 : 0);
}
