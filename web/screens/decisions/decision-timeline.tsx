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
import { ErrorState, errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { useListKeys } from '../../ui/use-list-keys.ts';
import { useMedia } from '../../ui/use-media.ts';
import { dayName, momentName } from './day-names.ts';
import { DecisionRow, MissingRow } from './decision-row.tsx';
import { useDecisionList, useShownLines } from './use-decision-list.ts';

export interface DecisionTimelineProps {
  filter: DecisionFilter;
  isLive: boolean;
  openSeq: number | undefined;
  openCall: string | undefined;
  onOpen: (line: DecisionLine) => void;
  /** When the newest entry was written; null when there is none. */
  onNewest: (at: number | null) => void;
  /** Shown when there is nothing. */
  empty: ReactNode;
}

/** Give it the filter as its key: another filter is another list. Only the rows near the window are drawn. */
export function DecisionTimeline(props: DecisionTimelineProps) {
  const { filter, isLive, openSeq, openCall, onOpen, onNewest, empty } = props;
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const [pointed, setPointed] = useState<string | null>(null);
  const [isStopped, setIsStopped] = useState(false);
  const [isNearEnd, setIsNearEnd] = useState(true);
  const isAtTop = useIsAtTop();
  const decisions = useDecisionList({ filter, isLive, isAtTop, wantsMore: isNearEnd && !isStopped });
  const { rows } = decisions;
  const isWide = useMedia('(min-width: 40rem)');
  const virtual = useWindowVirtualizer({
    count: rows.count,
    // A narrow row has two lines, a day has one.
    estimateSize: (row) => (isWide ? 40 : rows.at(row)?.type === 'day' ? 32 : 60),
    scrollMargin: top,
    overscan: 10,
  });
  const unevenRows = isWide ? null : rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another height have other places.
  useLayoutEffect(() => virtual.measure(), [virtual, isWide, unevenRows]);
  // What stands above the list grows and shrinks with the filters.
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
      const place = rows.at(row);
      const line = place?.type === 'entry' ? lineOf(place) : undefined;
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
      {decisions.held > 0 && (
        <div className="sticky top-3 z-20 flex h-0 justify-center">
          <button
            type="button"
            onClick={() => {
              window.scrollTo({ top: 0 });
              decisions.showHeld();
            }}
            className="inline-flex h-8 items-center gap-1.5 rounded-full bg-accent px-3.5 font-medium text-on-accent text-xs shadow-pop hover:bg-accent-hover"
          >
            <ArrowUp aria-hidden className="size-3.5" />
            {heldText(decisions.held, decisions.isHeldFull)}
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
                      <h2 className="flex h-full items-center bg-sunken/60 px-4 font-semibold text-muted text-xs max-sm:px-3">
                        {dayName(row.day, now)}
                      </h2>
                    ) : line ? (
                      <DecisionRow
                        line={line}
                        row={item.index}
                        isOpen={line.seq === openSeq}
                        isPartner={line.callId === pointed || line.callId === openCall}
                        onOpen={onOpen}
                        onPoint={setPointed}
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

function heldText(held: number, isFull: boolean): string {
  if (isFull) return `${held.toLocaleString('en')} or more new entries`;
  return held === 1 ? '1 new entry' : `${held.toLocaleString('en')} new entries`;
}

function LoadingTimeline() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading the log"
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => (
        <div key={key} className="h-10 max-sm:h-15">
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
  /** A search for text looks through many entries for each one it finds. */
  isSearch: boolean;
  lookedBackTo: number | null;
  error: unknown;
  isStopped: boolean;
  onStop: () => void;
  onMore: () => void;
}

/** What comes below the last row: more, an end, or why not. */
function TimelineEnd(props: TimelineEndProps) {
  const { entries, hasMore, isLoading, isSearch, lookedBackTo, error, isStopped, onStop, onMore } = props;
  const found = entries === 0 ? 'Nothing found' : `${formatCount(entries, 'entry', 'entries')} found`;
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
        <span>{formatCount(entries, 'entry', 'entries')}, back to the first</span>
      ) : isSearch && isStopped ? (
        <>
          <span>
            {found}.{reach}
          </span>
          <Button size="sm" onClick={onMore}>
            Search further back
          </Button>
        </>
      ) : isSearch && isLoading ? (
        <>
          <span>
            {found} so far.{reach}
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
  /** Days are passed over. */
  isEntry: (row: number) => boolean;
  /** Where to begin when no row has the focus. */
  firstShown: number;
  scrollTo: (row: number) => void;
  /** The focus came to this row by a key. */
  onMove: (row: number) => void;
}

/** j and k, or the arrows, walk over the rows. */
function useRowKeys(keys: RowKeys): void {
  const wanted = useRef<number | null>(null);
  // A row far away is drawn only after the scroll that brings it near.
  useEffect(() => {
    if (wanted.current !== null && focusRow(keys, wanted.current)) wanted.current = null;
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
      wanted.current = row;
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

/** Whether the page shows its beginning. */
function useIsAtTop(): boolean {
  return useSyncExternalStore(subscribe, () => window.scrollY < nearTop);
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  return () => window.removeEventListener('scroll', listener);
}
