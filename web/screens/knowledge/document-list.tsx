import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { DocumentBody as DocumentSummary } from '../../../src/knowledge/document-body.ts';
import { SourceName } from '../../parts/knowledge/source-look.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { formatCount } from '../../ui/format-count.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';

export interface DocumentListProps {
  documents: readonly DocumentSummary[];
  /** They answer an earlier filter; the next ones are on their way. */
  isOld: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  onMore: () => void;
}

const rowHeight = 60;

/** Only the rows near the window are drawn; the next page is asked for before the end is reached. */
export function DocumentList({ documents, isOld, hasMore, isLoadingMore, onMore }: DocumentListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const wanted = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
  }, []);
  const rows = useWindowVirtualizer({
    count: documents.length,
    estimateSize: () => rowHeight,
    scrollMargin: top,
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  const isNearEnd = hasMore && !isLoadingMore && !isOld && lastShown >= documents.length - 20;
  useEffect(() => {
    if (isNearEnd) onMore();
  });

  const focusRow = (index: number) => {
    const link = list.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    link?.focus();
    return Boolean(link);
  };
  // A row far away is drawn only after the scroll that brings it near.
  useEffect(() => {
    if (wanted.current !== null && focusRow(wanted.current)) wanted.current = null;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.row === undefined) return;
    const index = Number(event.target.dataset.row);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: documents.length - 1 }[event.key];
    if (next === undefined || next < 0 || next >= documents.length || event.metaKey || event.ctrlKey || event.altKey)
      return;
    event.preventDefault();
    if (focusRow(next)) return;
    wanted.current = next;
    rows.scrollToIndex(next);
  };

  return (
    <>
      <ul
        ref={list}
        aria-label="Documents"
        className={classes(
          'relative rounded-card border border-line bg-surface shadow-card transition-opacity',
          isOld && 'opacity-60',
        )}
        style={{ height: rows.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {items.map((item) => {
          const document = documents[item.index];
          return (
            document && (
              <li
                key={document.id}
                aria-setsize={hasMore ? -1 : documents.length}
                aria-posinset={item.index + 1}
                className="absolute inset-x-0 border-line border-t first:border-t-0"
                style={{ top: item.start - top, height: rowHeight }}
              >
                <DocumentRow document={document} index={item.index} />
              </li>
            )
          );
        })}
      </ul>
      <div className="mt-3 flex h-8 items-center justify-center text-faint text-xs">
        {hasMore ? (
          <Button size="sm" variant="ghost" busy={isLoadingMore} onClick={onMore}>
            Load more
          </Button>
        ) : (
          formatCount(documents.length, 'document')
        )}
      </div>
    </>
  );
}

const DocumentRow = memo(function DocumentRow({ document, index }: { document: DocumentSummary; index: number }) {
  return (
    <Link
      to="/knowledge/documents/$id"
      params={{ id: document.id }}
      data-row={index}
      className="flex h-full items-center gap-4 px-4 outline-offset-[-2px] hover:bg-hover"
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-sm">{document.title}</span>
        <span className="flex min-w-0 gap-2.5 text-faint text-xs">
          <span className="max-w-32 shrink-0">
            <SourceName source={document.source} />
          </span>
          <span className="min-w-0 truncate font-mono text-2xs leading-4.5" title={document.source_id}>
            {document.source_id}
          </span>
        </span>
      </span>
      <span className="w-20 text-right text-muted text-xs tabular-nums max-sm:hidden">
        {formatCount(document.chunks, 'passage')}
      </span>
      <RelativeTime at={document.updated_at} className="w-20 text-right text-faint text-xs max-sm:w-16" />
    </Link>
  );
});
