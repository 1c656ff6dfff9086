import type { SyncReport } from '../../../src/knowledge/sync/sync-report.ts';

export function syncReport(fields: Partial<SyncReport>): SyncReport {
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0, failedCount: 0, chunks: 0 };
  const read = { fetched: 0, upserted: 0, newestAt: null };
  return { source: 'git:a', ...counts, ...read, failed: [], dryRun: false, durationMs: 1, ...fields };
}
