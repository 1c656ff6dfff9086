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

/** Appears above a document that is not shown from its start. */
export function EarlierBar({ range, hasMore, isLoading, error, onLoad }: PartBarProps<void>) {
  if (!hasMore) return null;
  return (
    <div className={`${look} mb-3`}>
      <p className="min-w-0 flex-1 basis-48 text-muted tabular-nums">
        Showing from line {range.start_line.toLocaleString('en')}
      </p>
      <LoadButton isLoading={isLoading} icon={<ChevronUp aria-hidden />} label="Load earlier lines" onLoad={onLoad} />
      <Failure error={error} />
    </div>
  );
}

/** Appears below a document that is not fully loaded. `onLoad` resolves to whether more follows. */
export function MoreBar({ range, hasMore, isLoading, error, onLoad }: PartBarProps<boolean>) {
  const status = useRef<HTMLParagraphElement>(null);
  // The button disappears with the last part, so move the focus to the status.
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
        {hasMore ? `${linesOf(range)} shown` : `End of document: ${formatCount(range.total_lines, 'line')}`}
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

/** Keeps the focus while loading, unlike a disabled button. */
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
      These lines could not be loaded: {error.message}
    </p>
  );
}

function linesOf({ start_line, end_line, total_lines }: LoadedText['range']): string {
  const lines = [start_line, end_line].map((line) => line.toLocaleString('en')).join('–');
  return `Lines ${lines} of ${total_lines.toLocaleString('en')}`;
}
