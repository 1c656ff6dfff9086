import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowUp } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { DecisionLine } from '../../api/decision-lines.ts';
import type { DecisionFilter } from '../../api/decision-queries.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { dayName } from './day-names.ts';
import { DecisionRow, MissingRow } from './decision-row.tsx';
import { TimelineEnd } from './timeline-end.tsx';
import { useDecisionList, useShownLines } from './use-decision-list.ts';
import { useIsAtTop } from './use-is-at-top.ts';
import { useRowKeys } from './use-row-keys.ts';

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
