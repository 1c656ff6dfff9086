import { describe, expect, it } from 'vitest';
import type { SyncReport } from '../../../src/knowledge/sync/sync-report.ts';
import { actionsOf, describeProgress, describeReport } from './describe-sync.ts';

const progress = { source: 'git:docs', phase: 'indexing', seen: 12_000, toRead: 10_000, read: 1_240 } as const;
const report: SyncReport = {
  source: 'git:docs',
  added: 0,
  changed: 0,
  removed: 0,
  unchanged: 5,
  fetched: 0,
  upserted: 0,
  newestAt: null,
  failed: [],
  failedCount: 0,
  chunks: 0,
  dryRun: false,
  durationMs: 40,
};

describe('describeProgress', () => {
  it.each([
    [null, null, 'Starting…'],
    [{ ...progress, phase: 'scanning' }, null, 'Scanning: 12,000 items found'],
    [progress, 0.124, '1,240 of 10,000'],
    [{ ...progress, toRead: 0, read: 0 }, null, '0 of 0'],
    [{ ...progress, phase: 'removing' }, 1, 'Removing deleted documents'],
  ] as const)('of %j', (now, share, words) => {
    expect(describeProgress(now)).toEqual({ share, words });
  });
});

describe('describeReport', () => {
  it.each([
    [{}, 'no changes in 40 ms'],
    [{ added: 1_200, removed: 3, durationMs: 1_500 }, '1,200 added, 3 removed in 1.5 s'],
    [{ changed: 1, failedCount: 2, durationMs: 125_000 }, '1 changed, 2 unreadable in 2 min 5 s'],
  ])('of %j', (fields, words) => {
    expect(describeReport({ ...report, ...fields })).toBe(words);
  });
});

describe('actionsOf', () => {
  it('a source from the config can be synced but not removed', () => {
    expect(actionsOf({ origin: 'config', state: 'ready', requestedAt: null })).toEqual({
      canSync: true,
      canCancel: false,
      canRemove: false,
    });
  });

  it('a source that is no longer configured can only be removed', () => {
    expect(actionsOf({ origin: 'gone', state: 'ready', requestedAt: null })).toEqual({
      canSync: false,
      canCancel: false,
      canRemove: true,
    });
  });

  it('a running sync can only be cancelled', () => {
    expect(actionsOf({ origin: 'store', state: 'syncing', requestedAt: null })).toEqual({
      canSync: false,
      canCancel: true,
      canRemove: false,
    });
  });

  it('a sync that waits can be cancelled, too', () => {
    expect(actionsOf({ origin: 'store', state: 'ready', requestedAt: '2026-11-19T12:00:00.000Z' })).toEqual({
      canSync: true,
      canCancel: true,
      canRemove: true,
    });
  });
});
