import { describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader } from '../index/segment-header.ts';
import { type DocumentFilters, endOfMoment, filterDocuments, isSource, startOfMoment } from './filter-documents.ts';

const header = decodeHeader(
  encodeHeader(
    [
      { source: 'git:runbooks', updatedAt: '2026-01-30T23:59:59.999Z', tags: ['ops'] },
      { source: 'git:site', updatedAt: '2026-01-31T00:00:00.000Z', tags: [] },
      { source: 'filesystem:runbooks', updatedAt: '2026-01-31T23:59:59.999Z', tags: ['ops', 'web'] },
      { source: 'script:git', updatedAt: '2026-02-01T00:00:00.000Z', tags: ['Web', 'source:jira'] },
    ].map((each, docNo) => ({ ...each, docNo, order: docNo, updatedAt: Date.parse(each.updatedAt), lengths: [1] })),
  ),
);

const cases: [filters: DocumentFilters, documents: string][] = [
  [{}, '0123'],
  [{ source: ['git:runbooks'] }, '0'],
  [{ source: ['runbooks'] }, '02'],
  [{ source: ['git'] }, '013'],
  [{ source: ['filesystem', 'site'] }, '12'],
  [{ source: ['run'] }, ''],
  [{ source: ['jira'] }, '3'],
  [{ source: ['jira', 'git:site'] }, '13'],
  [{ since: '2026-01-31' }, '123'],
  [{ until: '2026-01-31' }, '012'],
  [{ since: '2026-01-31', until: '2026-01-31' }, '12'],
  [{ until: '2026-01-31T00:00:00Z' }, '01'],
  [{ until: '2026-01-31T01:00:00+01:00' }, '01'],
  [{ until: '2026-01-31T00:00' }, '01'],
  [{ tags: ['web'] }, '2'],
  [{ tags: ['web', 'ops'] }, '02'],
  [{ tags: ['none'] }, ''],
  [{ tags: ['ops'], source: ['git'], until: '2026-01-30' }, '0'],
  [{ source: [] }, ''],
];

describe('filters', () => {
  it.each(cases)('%j → %s', (filters, documents) => {
    const allowed = filterDocuments(header, header.updatedAt, filters);
    expect([...allowed.keys()].filter((index) => allowed[index] === 1).join('')).toBe(documents);
  });

  it('read a time without a zone as UTC', () => {
    expect(startOfMoment('2026-01-31 08:30')).toBe(Date.UTC(2026, 0, 31, 8, 30));
    expect(startOfMoment('2026-01-31T08:30:15.5')).toBe(Date.UTC(2026, 0, 31, 8, 30, 15, 500));
    expect(startOfMoment('2026-01-31T08:30:00+02:00')).toBe(Date.UTC(2026, 0, 31, 6, 30));
    expect(endOfMoment('2026-01-31')).toBe(Date.UTC(2026, 1, 1) - 1);
  });

  it('know a source by label, name or type', () => {
    expect(['git:runbooks', 'git', 'runbooks'].every((each) => isSource('git:runbooks', each))).toBe(true);
    expect(['run', 'git:', ':runbooks', ''].some((each) => isSource('git:runbooks', each))).toBe(false);
  });
});
