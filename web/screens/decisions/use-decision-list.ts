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
  newerPlace,
  pageToJoin,
  type Row,
  type Slot,
} from './page-ledger.ts';

/** More than this is not kept for somebody who reads further down; the list begins again instead. */
const maxHeld = 1_000;
const chartEveryMs = 3_000;

export interface DecisionListOptions {
  filter: DecisionFilter;
  isLive: boolean;
  /** The newest entries are on the screen, so that new ones may come in above them. */
  isAtTop: boolean;
  /** Whether to go on to older entries. */
  wantsMore: boolean;
}

/** The list of one filter; give the component that uses it a key of that filter. */
export function useDecisionList({ filter, isLive, isAtTop, wantsMore }: DecisionListOptions) {
  const client = useQueryClient();
  const [ledger, change] = useReducer(changeLedger, emptyLedger);
  const { next, newest, slots } = ledger;
  const held = countEntries(ledger.held);

  const frontier = useQuery({
    ...decisionPageOptions(filter, { cursor: next ?? null }),
    enabled: next === undefined || (next !== null && wantsMore),
  });
  // The first page cannot be asked for again: it would begin with what is newest then. Looked at here, it is never let go.
  useQuery({ ...decisionPageOptions(filter, { cursor: null }), enabled: false });
  useEffect(() => {
    if (frontier.data) change({ type: 'older', cursor: next ?? null, page: frontier.data });
  }, [frontier.data, next]);

  /** From the newest entry, once it is there: what is shown stays until then. */
  const startAgain = async () => {
    const page = await client.fetchQuery({ ...decisionPageOptions(filter, { cursor: null }), staleTime: 0 });
    change({ type: 'start', page });
  };

  const isFull = held >= maxHeld;
  const canGrow = filter.until === undefined || Date.parse(filter.until) > Date.now();
  const isEmpty = next === null && slots.length === 0;
  const tail = useQuery({
    ...decisionTailOptions(filter, newest),
    enabled: isLive && canGrow && !isFull && (newest !== null || isEmpty),
  });
  const refreshChart = useThrottled(
    () => void client.invalidateQueries({ queryKey: decisionKeys.counts }),
    chartEveryMs,
  );
  // Only new answers change the list; where the person stands when one comes decides how.
  const take = useRef<(page: DecisionLines) => void>(() => {});
  take.current = (answer) => {
    if (newest === null) {
      if (answer.lines.length === 0) return;
      client.setQueryData(decisionPageOptions(filter, { cursor: null }).queryKey, answer);
      change({ type: 'start', page: answer });
      return;
    }
    const { page, except } = withoutKnown(answer);
    if (page.lines.length > 0) {
      refreshChart();
      for (const callId of new Set(page.lines.map((line) => line.callId)))
        void client.invalidateQueries({ queryKey: decisionKeys.call(callId) });
    }
    if (answer.lines.length >= decisionPageSize && isAtTop) {
      // A flood: whoever looks at the newest entries wants those, not each one in between.
      startAgain().catch(() => {});
      return;
    }
    const hold = !isAtTop;
    const shared = pageToJoin(ledger, { hold, count: page.lines.length });
    const sharedKey = shared && decisionPageOptions(filter, shared.place).queryKey;
    const before = sharedKey && client.getQueryData(sharedKey)?.lines;
    // A page that was let go takes nobody in: it is read again as it was.
    if (sharedKey && before) client.setQueryData(sharedKey, { ...page, lines: [...page.lines, ...before] });
    else client.setQueryData(decisionPageOptions(filter, newerPlace(newest, except)).queryKey, page);
    change({ type: 'newer', after: newest, except, page, hold, join: before !== undefined });
  };
  /** PostgreSQL begins the tail a little before the end of the first page, so that nothing is missed. */
  const withoutKnown = (page: DecisionLines) => {
    const known = new Set(
      client.getQueryData(decisionPageOptions(filter, { cursor: null }).queryKey)?.lines.map((line) => line.seq),
    );
    const except = page.lines.map((line) => line.seq).filter((seq) => known.has(seq));
    return { page: { ...page, lines: page.lines.filter((line) => !known.has(line.seq)) }, except };
  };
  useEffect(() => {
    if (tail.data) take.current(tail.data);
  }, [tail.data]);
  useEffect(() => {
    if (isAtTop && !isFull) change({ type: 'release' });
  }, [isAtTop, isFull]);

  const rows = useMemo(() => layOutRows(slots), [slots]);
  return {
    rows,
    entries: countEntries(slots),
    newestAt: ledger.newestAt,
    /** True once the first page came. */
    isReady: next !== undefined,
    hasMore: next !== null,
    isLoadingMore: frontier.isFetching,
    error: frontier.error,
    retry: () => void frontier.refetch(),
    /** How far a search for text has looked. */
    lookedBackTo: ledger.lookedBackTo,
    held,
    isHeldFull: isFull,
    showHeld: () => {
      if (isFull) startAgain().catch(() => {});
      else change({ type: 'release' });
    },
  };
}

/** What the rows on the screen say; undefined while a page that was let go is read again, null where retention took it. */
export function useShownLines(filter: DecisionFilter, shown: readonly (Row | undefined)[]) {
  const needed = [...new Set(shown.flatMap((row) => (row?.type === 'entry' ? [row.slot] : [])))];
  const pages = useQueries({
    queries: needed.map((slot) =>
      decisionPageOptions(filter, slot.place, 'after' in slot.place ? slot.count : undefined),
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
    // Newer entries join a page at its head a moment before the list counts them.
    return lines['after' in row.slot.place ? lines.length - row.slot.count + row.index : row.index] ?? null;
  };
}

/** The first call at once, then at most one in each turn; none is forgotten. */
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
