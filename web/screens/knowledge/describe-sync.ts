import type { SourceInfo } from '../../../src/knowledge/knowledge.ts';
import type { SyncProgress, SyncReport } from '../../../src/knowledge/sync/sync-report.ts';
import { formatCount } from '../../ui/format-count.ts';

/** Describes the progress of a sync as a share, null while unknown, and as text. */
export function describeProgress(progress: SyncProgress | null): { share: number | null; words: string } {
  if (!progress) return { share: null, words: 'Starting…' };
  const { phase, seen, toRead, read } = progress;
  switch (phase) {
    case 'queued':
      return { share: null, words: 'Waiting for another sync to finish' };
    case 'scanning':
      return { share: null, words: `Scanning: ${formatCount(seen, 'item')} found` };
    case 'indexing':
      return {
        share: toRead === 0 ? null : Math.min(1, read / toRead),
        words: `${read.toLocaleString('en')} of ${toRead.toLocaleString('en')}`,
      };
    case 'removing':
      return { share: 1, words: 'Removing deleted documents' };
    case 'merging':
      return { share: 1, words: 'Merging the index' };
    case 'done':
      return { share: 1, words: 'Done' };
  }
}

/** Summarizes a sync: "12 added, 3 changed in 1.5 s", or "no changes in 40 ms". */
export function describeReport({ added, changed, removed, failedCount, durationMs }: SyncReport): string {
  const parts = [
    added > 0 && `${added.toLocaleString('en')} added`,
    changed > 0 && `${changed.toLocaleString('en')} changed`,
    removed > 0 && `${removed.toLocaleString('en')} removed`,
    failedCount > 0 && `${failedCount.toLocaleString('en')} unreadable`,
  ].filter((part) => part !== false);
  return `${parts.length === 0 ? 'no changes' : parts.join(', ')} in ${describeDuration(durationMs)}`;
}

function describeDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(1, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Returns the actions that a source allows now. */
export function actionsOf({ origin, state, requestedAt }: Pick<SourceInfo, 'origin' | 'state' | 'requestedAt'>) {
  return {
    canSync: origin !== 'gone' && state !== 'syncing',
    canCancel: state === 'syncing' || requestedAt !== null,
    canRemove: origin !== 'config' && state !== 'syncing',
  };
}
