import type { SourceState } from '../store/knowledge-store.ts';

/** Segments that were opened before this moment belong to nobody: no sync that may still write is so old. */
export function oldestLiveSync(states: readonly SourceState[], own: { source: string; startedAt: number }): number {
  const others = states.filter((state) => state.source !== own.source && state.isSyncing);
  const starts = others.map((state) => state.startedAt ?? own.startedAt);
  // The clock was set back while another one ran, so times do not tell what is its.
  if (starts.some((start) => start > own.startedAt)) return 0;
  return Math.min(own.startedAt, ...starts);
}
