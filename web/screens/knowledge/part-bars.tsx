import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format-count.ts';
import type { LoadedText } from './join-parts.ts';

interface PartBarProps<T> {
  range: LoadedText['range'];
  hasMore: boolean;
  isLoading: boolean;
  error: Error | null;
  onLoad: () => Promise<T>;
}

const look =
  'flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line bg-surface px-4 py-2.5 text-sm';

/** Above a document that is shown from somewhere in the middle. */
export function EarlierBar({ range, hasMore, isLoading, error, onLoad }: PartBarProps<void>) {
  if (!hasMore) return null;
  return (
    <div className={`${look} mb-3`}>
      <p className="min-w-0 flex-1 basis-48 text-muted tabular-nums">
        Shown from line {range.start_line.toLocaleString('en')}
      </p>
      <LoadButton isLoading={isLoading} icon={<ChevronUp aria-hidden />} label="Load earlier lines" onLoad={onLoad} />
      <Failure error={error} />
    </div>
  );
}

/** Below a document that is not shown to its end: where it stops, and how to go on. `onLoad` says whether there is still more. */
export function MoreBar({ range, hasMore, isLoading, error, onLoad }: PartBarProps<boolean>) {
  const status = useRef<HTMLParagraphElement>(null);
  // With the last part the button goes; whoever reads with the keyboard stays where it was.
  const loadMore = async () => {
    if (!(await onLoad())) status.current?.focus();
  };
  return (
    <div className={`${look} mt-3`}>
      <p
        ref={status}
        role="status"
        tabIndex={-1}
        className="min-w-0 flex-1 basis-48 rounded-md text-muted tabular-nums"
      >
        {hasMore ? `${linesOf(range)} shown` : `The end: ${formatCount(range.total_lines, 'line')} in all`}
      </p>
      {hasMore && (
        <LoadButton isLoading={isLoading} icon={<ChevronDown aria-hidden />} label="Load more" onLoad={loadMore} />
      )}
      <Failure error={error} />
    </div>
  );
}

interface LoadButtonProps {
  isLoading: boolean;
  icon: ReactNode;
  label: string;
  onLoad: () => Promise<void>;
}

/** Stays in focus while it loads, which a disabled button does not. */
function LoadButton({ isLoading, icon, label, onLoad }: LoadButtonProps) {
  return (
    <Button
      icon={icon}
      aria-disabled={isLoading || undefined}
      aria-busy={isLoading || undefined}
      onClick={() => {
        if (!isLoading) void onLoad();
      }}
    >
      {isLoading ? 'Loading…' : label}
    </Button>
  );
}

function Failure({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <p role="alert" className="basis-full break-words text-danger">
      That part could not be loaded: {error.message}
    </p>
  );
}

function linesOf({ start_line, end_line, total_lines }: LoadedText['range']): string {
  const lines = [start_line, end_line].map((line) => line.toLocaleString('en')).join('–');
  return `Lines ${lines} of ${total_lines.toLocaleString('en')}`;
}
