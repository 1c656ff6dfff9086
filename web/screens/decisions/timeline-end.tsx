import { RotateCw } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { momentName } from './day-names.ts';

export interface TimelineEndProps {
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
export function TimelineEnd(props: TimelineEndProps) {
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
