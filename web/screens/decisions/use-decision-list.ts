import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useReducer, useRef } from 'react';
import type { DecisionLine, DecisionLines } from '../../api/decision-lines.ts';
import {
  type DecisionFilter,
  decisionKeys,
  decisionPageOptions,
  decisionPageSize,
  decisionTailOptions,
} from '../../api/decision-queries.ts';
import {
  changeLedger,
  countEntries,
  emptyLedger,
  layOutRows,
  newerPosition,
  pageToJoin,
  type Row,
  type Slot,
} from './page-ledger.ts';

/** The maximum number of pending entries while the user reads further down. Above it, the list starts over. */
const maxPending = 1_000;
const chartRefreshMs = 3_000;

export interface DecisionListOptions {
  filter: DecisionFilter;
  isLive: boolean;
  /** The newest entries are visible, so new ones may appear above them. */
  isAtTop: boolean;
  /** Whether to load older entries. */
  wantsMore: boolean;
}

/** Loads the list for one filter. The component that uses it needs the filter as its key. */
export function useDecisionList({ filter, isLive, isAtTop, wantsMore }: DecisionListOptions) {
  const client = useQueryClient();
  // A first page that is already in the cache is shown at once.
  const [ledger, change] = useReducer(changeLedger, filter, (of) => {
    const page = client.getQueryData(decisionPageOptions(of, { cursor: null }).queryKey);
    return page ? changeLedger(emptyLedger, { type: 'start', page }) : emptyLedger;
  });
  const { next, newest, slots } = ledger;
  const pending = countEntries(ledger.pending);

  const frontier = useQuery({
    ...decisionPageOptions(filter, { cursor: next ?? null }),
    enabled: next === undefined || (next !== null && wantsMore),
  });
  // Keeps the first page in the cache, because loading it again would start with newer entries.
  useQuery({ ...decisionPageOptions(filter, { cursor: null }), enabled: false });
  useEffect(() => {
    if (frontier.data) change({ type: 'older', cursor: next ?? null, page: frontier.data });
  }, [frontier.data, next]);

  /** Starts over from the newest entry. The current list stays until it arrives. */
  const startAgain = async () => {
    const page = await client.fetchQuery({ ...decisionPageOptions(filter, { cursor: null }), staleTime: 0 });
    change({ type: 'start', page });
  };

  const isFull = pending >= maxPending;
  const canGrow = filter.until === undefined || Date.parse(filter.until) > Date.now();
  const isEmpty = next === null && slots.length === 0;
  const tail = useQuery({
    ...decisionTailOptions(filter, newest),
    enabled: isLive && canGrow && !isFull && (newest !== null || isEmpty),
  });
  const refreshChart = useThrottled(
    () => void client.invalidateQueries({ queryKey: decisionKeys.counts }),
    chartRefreshMs,
  );
  // Only a new reply changes the list. The scroll position at that moment decides how.
  const applyReply = useRef<(page: DecisionLines) => void>(() => {});
  applyReply.current = (reply) => {
    if (newest === null) {
      if (reply.lines.length === 0) return;
      client.setQueryData(decisionPageOptions(filter, { cursor: null }).queryKey, reply);
      change({ type: 'start', page: reply });
      return;
    }
    const { page, except } = withoutKnown(reply);
    if (page.lines.length > 0) {
      refreshChart();
      for (const callId of new Set(page.lines.map((line) => line.callId)))
        void client.invalidateQueries({ queryKey: decisionKeys.call(callId) });
    }
    if (reply.lines.length >= decisionPageSize && isAtTop) {
      // Too many new entries at once: skip to the newest instead of adding each one.
      startAgain().catch(() => {});
      return;
    }
    const hold = !isAtTop;
    const shared = pageToJoin(ledger, { hold, count: page.lines.length });
    const sharedKey = shared && decisionPageOptions(filter, shared.position).queryKey;
    const before = sharedKey && client.getQueryData(sharedKey)?.lines;
    // Entries cannot join a page that left the cache, because it is loaded again as it was.
    if (sharedKey && before) client.setQueryData(sharedKey, { ...page, lines: [...page.lines, ...before] });
    else client.setQueryData(decisionPageOptions(filter, newerPosition(newest, except)).queryKey, page);
    change({ type: 'newer', after: newest, except, page, hold, join: before !== undefined });
  };
  /** Removes known entries: PostgreSQL starts the tail slightly before the end of the first page to miss nothing. */
  const withoutKnown = (page: DecisionLines) => {
    const known = new Set(
      client.getQueryData(decisionPageOptions(filter, { cursor: null }).queryKey)?.lines.map((line) => line.seq),
    );
    const except = page.lines.map((line) => line.seq).filter((seq) => known.has(seq));
    return { page: { ...page, lines: page.lines.filter((line) => !known.has(line.seq)) }, except };
  };
  useEffect(() => {
    if (tail.data) applyReply.current(tail.data);
  }, [tail.data]);
  useEffect(() => {
    if (isAtTop && !isFull) change({ type: 'release' });
  }, [isAtTop, isFull]);

  const rows = useMemo(() => layOutRows(slots), [slots]);
  return {
    rows,
    entries: countEntries(slots),
    newestAt: ledger.newestAt,
    /** True once the first page has loaded. */
    isReady: next !== undefined,
    hasMore: next !== null,
    isLoadingMore: frontier.isFetching,
    error: frontier.error,
    retry: () => void frontier.refetch(),
    /** How far back a text search has scanned. */
    lookedBackTo: ledger.lookedBackTo,
    pending,
    isPendingFull: isFull,
    showPending: () => {
      if (isFull) startAgain().catch(() => {});
      else change({ type: 'release' });
    },
  };
}

/** Returns a lookup of the visible lines: undefined while a page reloads, null when retention deleted the entry. */
export function useShownLines(filter: DecisionFilter, shown: readonly (Row | undefined)[]) {
  const needed = [...new Set(shown.flatMap((row) => (row?.type === 'entry' ? [row.slot] : [])))];
  const pages = useQueries({
    queries: needed.map((slot) =>
      decisionPageOptions(filter, slot.position, 'after' in slot.position ? slot.count : undefined),
    ),
  });
  const linesOf = new Map<Slot, DecisionLine[]>();
  for (const [index, slot] of needed.entries()) {
    const lines = pages[index]?.data?.lines;
    if (lines) linesOf.set(slot, lines);
  }
  return (row: Row & { type: 'entry' }): DecisionLine | null | undefined => {
    const lines = linesOf.get(row.slot);
    if (!lines) return undefined;
    // New entries join the head of a page just before the list counts them.
    return lines['after' in row.slot.position ? lines.length - row.slot.count + row.index : row.index] ?? null;
  };
}

/** Runs the first call at once, then at most one per interval. The last call always runs. */
function useThrottled(run: () => void, everyMs: number): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isWaiting = useRef(false);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => () => clearTimeout(timer.current), []);
  const trigger = () => {
    if (timer.current !== undefined) {
      isWaiting.current = true;
      return;
    }
    latest.current();
    timer.current = setTimeout(() => {
      timer.current = undefined;
      if (isWaiting.current) {
        isWaiting.current = false;
        trigger();
      }
    }, everyMs);
  };
  return trigger;
}
