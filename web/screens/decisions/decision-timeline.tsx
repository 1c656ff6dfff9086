import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp, RotateCw } from 'lucide-react';
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { DecisionLine } from '../../api/decision-lines.ts';
import type { DecisionFilter } from '../../api/decision-queries.ts';
import { Button } from '../../ui/button.tsx';
import { dayName } from '../../ui/day-names.ts';
import { ErrorState, errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { useListKeys } from '../../ui/use-list-keys.ts';
import { useMedia } from '../../ui/use-media.ts';
import { DecisionRow, MissingRow } from './decision-row.tsx';
import { momentName } from './time-names.ts';
import { useDecisionList, useShownLines } from './use-decision-list.ts';

export interface DecisionTimelineProps {
  filter: DecisionFilter;
  isLive: boolean;
  openSeq: number | undefined;
  openCall: string | undefined;
  onOpen: (line: DecisionLine) => void;
  /** Called with the time of the newest entry, or null when there is none. */
  onNewest: (at: number | null) => void;
  /** Shown when the list is empty. */
  empty: ReactNode;
}

/** Lists the entries and draws only rows near the viewport. Use the filter as its key, because a new filter needs a new list. */
export function DecisionTimeline(props: DecisionTimelineProps) {
  const { filter, isLive, openSeq, openCall, onOpen, onNewest, empty } = props;
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const [hoveredCall, setHoveredCall] = useState<string | null>(null);
  const [isStopped, setIsStopped] = useState(false);
  const [isNearEnd, setIsNearEnd] = useState(true);
  const isAtTop = useIsAtTop();
  const decisions = useDecisionList({ filter, isLive, isAtTop, wantsMore: isNearEnd && !isStopped });
  const { rows } = decisions;
  const isWide = useMedia('(min-width: 56rem)');
  const virtual = useWindowVirtualizer({
    count: rows.count,
    // On narrow screens an entry has two lines and a day has one.
    estimateSize: (row) => (isWide ? 40 : rows.at(row)?.type === 'day' ? 32 : 60),
    scrollMargin: top,
    overscan: 10,
  });
  const unevenRows = isWide ? null : rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height have other positions.
  useLayoutEffect(() => virtual.measure(), [virtual, isWide, unevenRows]);
  // The content above the list changes its height with the filters.
  useLayoutEffect(() => {
    if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const isNear = last >= rows.count - 60;
  useEffect(() => setIsNearEnd(isNear), [isNear]);

  const shown = items.map((item) => rows.at(item.index));
  const lineOf = useShownLines(filter, shown);
  const { newestAt } = decisions;
  useEffect(() => onNewest(newestAt === null ? null : Date.parse(newestAt)), [newestAt, onNewest]);

  useRowKeys({
    list,
    count: rows.count,
    isEntry: (row) => rows.at(row)?.type === 'entry',
    firstShown: items.find((item) => item.start >= (virtual.scrollOffset ?? 0))?.index ?? 0,
    scrollTo: (row) => virtual.scrollToIndex(row),
    onMove: (row) => {
      const target = rows.at(row);
      const line = target?.type === 'entry' ? lineOf(target) : undefined;
      if (openSeq !== undefined && line) onOpen(line);
    },
  });

  if (!decisions.isReady) {
    if (!decisions.error) return <LoadingTimeline />;
    return <ErrorState title="The log could not be loaded" error={decisions.error} onRetry={decisions.retry} />;
  }
  const now = new Date();
  return (
    <>
      {decisions.pending > 0 && (
        <div className="sticky top-3 z-20 flex h-0 justify-center">
          <button
            type="button"
            onClick={() => {
              window.scrollTo({ top: 0 });
              decisions.showPending();
            }}
            className="inline-flex h-8 items-center gap-1.5 rounded-full bg-accent px-3.5 font-medium text-on-accent text-xs shadow-pop hover:bg-accent-hover"
          >
            <ArrowUp aria-hidden className="size-3.5" />
            {pendingText(decisions.pending, decisions.isPendingFull)}
          </button>
        </div>
      )}
      {rows.count === 0 && !decisions.hasMore ? (
        empty
      ) : (
        <>
          {rows.count > 0 && (
            <ul
              ref={list}
              aria-label="Log entries"
              className="@container relative overflow-hidden rounded-card border border-line bg-surface shadow-card"
              style={{ height: virtual.getTotalSize() + 2 }}
            >
              {items.map((item, position) => {
                const row = shown[position];
                const line = row?.type === 'entry' ? lineOf(row) : undefined;
                return (
                  <li
                    key={line ? line.seq : row?.type === 'day' ? row.day : `row ${item.index}`}
                    {...(row?.type === 'day' && { 'data-day': row.day })}
                    className="absolute inset-x-0 border-line border-t first:border-t-0"
                    style={{ top: item.start - top, height: item.size }}
                  >
                    {row?.type === 'day' ? (
                      <h2 className="flex h-full items-center bg-sunken/60 px-4 font-semibold text-muted text-xs max-[56rem]:px-3">
                        {dayName(row.day, now)}
                      </h2>
                    ) : line ? (
                      <DecisionRow
                        line={line}
                        row={item.index}
                        isOpen={line.seq === openSeq}
                        isPartner={line.callId === hoveredCall || line.callId === openCall}
                        onOpen={onOpen}
                        onPoint={setHoveredCall}
                      />
                    ) : (
                      <MissingRow isGone={line === null} />
                    )}
                  </li>
                );
              })}
            </ul>
          )}
          <TimelineEnd
            entries={decisions.entries}
            hasMore={decisions.hasMore}
            isLoading={decisions.isLoadingMore}
            isSearch={filter.text !== undefined}
            lookedBackTo={decisions.lookedBackTo}
            error={decisions.error}
            isStopped={isStopped}
            onStop={() => setIsStopped(true)}
            onMore={() => {
              setIsStopped(false);
              if (decisions.error) decisions.retry();
            }}
          />
        </>
      )}
    </>
  );
}

function pendingText(pending: number, isFull: boolean): string {
  if (isFull) return `${pending.toLocaleString('en')} or more new entries`;
  return pending === 1 ? '1 new entry' : `${pending.toLocaleString('en')} new entries`;
}

function LoadingTimeline() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading log"
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
        <div key={key} className="h-10 max-[56rem]:h-15">
          <MissingRow isGone={false} />
        </div>
      ))}
    </div>
  );
}

interface TimelineEndProps {
  entries: number;
  hasMore: boolean;
  isLoading: boolean;
  /** A text search scans many entries for each match. */
  isSearch: boolean;
  lookedBackTo: number | null;
  error: unknown;
  isStopped: boolean;
  onStop: () => void;
  onMore: () => void;
}

/** Shows progress, the end or an error below the last row. */
function TimelineEnd(props: TimelineEndProps) {
  const { entries, hasMore, isLoading, isSearch, lookedBackTo, error, isStopped, onStop, onMore } = props;
  const matches = entries === 0 ? 'Nothing found' : `${formatCount(entries, 'entry', 'entries')} found`;
  const reach = lookedBackTo === null ? '' : ` Searched back to ${momentName(lookedBackTo)}.`;
  return (
    <div
      className="mt-3 flex min-h-8 flex-wrap items-center justify-center gap-x-3 gap-y-2 text-center text-muted text-xs"
      aria-live="polite"
    >
      {error ? (
        <>
          <span role="alert">Older entries could not be loaded: {errorText(error)}</span>
          <Button size="sm" icon={<RotateCw aria-hidden />} onClick={onMore}>
            Try again
          </Button>
        </>
      ) : !hasMore ? (
        <span>{formatCount(entries, 'entry', 'entries')} in total</span>
      ) : isSearch && isStopped ? (
        <>
          <span>
            {matches}.{reach}
          </span>
          <Button size="sm" onClick={onMore}>
            Search older entries
          </Button>
        </>
      ) : isSearch && isLoading ? (
        <>
          <span>
            {matches} so far.{reach}
          </span>
          <Button size="sm" onClick={onStop}>
            Stop
          </Button>
        </>
      ) : (
        <span>{isLoading ? 'Loading older entries…' : `${formatCount(entries, 'entry', 'entries')} so far`}</span>
      )}
    </div>
  );
}

interface RowKeys {
  list: RefObject<HTMLElement | null>;
  count: number;
  /** Returns false for days, which are skipped. */
  isEntry: (row: number) => boolean;
  /** Where to start when no row has the focus. */
  firstShown: number;
  scrollTo: (row: number) => void;
  /** Called when a key moved the focus to this row. */
  onMove: (row: number) => void;
}

/** Moves between rows with j and k or the arrow keys. */
function useRowKeys(keys: RowKeys): void {
  const pendingFocus = useRef<number | null>(null);
  // A distant row is drawn only after scrolling.
  useEffect(() => {
    if (pendingFocus.current !== null && focusRow(keys, pendingFocus.current)) pendingFocus.current = null;
  });
  useListKeys({
    move(step) {
      const { list, count, isEntry, firstShown, scrollTo } = keys;
      if (count === 0) return false;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
      const isInList = focused?.dataset.row !== undefined && list.current?.contains(focused);
      let row = isInList ? Number(focused?.dataset.row) + step : firstShown;
      while (row >= 0 && row < count && !isEntry(row)) row += isInList ? step : 1;
      if (row < 0 || row >= count || focusRow(keys, row)) return true;
      pendingFocus.current = row;
      scrollTo(row);
      return true;
    },
  });
}

function focusRow({ list, onMove }: RowKeys, row: number): boolean {
  const button = list.current?.querySelector<HTMLElement>(`[data-row="${row}"]`);
  if (!button) return false;
  button.focus({ preventScroll: true });
  button.scrollIntoView({ block: 'nearest' });
  onMove(row);
  return true;
}

const nearTop = 24;

/** Returns whether the page is scrolled to its top. */
function useIsAtTop(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY < nearTop);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}
