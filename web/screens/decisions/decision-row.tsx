import { memo } from 'react';
import type { DecisionLine } from '../../api/decision-lines.ts';
import { classes } from '../../ui/classes.ts';
import { exactTime } from '../../ui/day-names.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { CallerName } from './caller-name.tsx';
import { KindBadge } from './kind-look.tsx';
import { timeOfDay } from './time-names.ts';

export interface DecisionRowProps {
  line: DecisionLine;
  row: number;
  isOpen: boolean;
  /** Belongs to the call that is open or under the pointer. */
  isPartner: boolean;
  onOpen: (line: DecisionLine) => void;
  onPoint: (callId: string | null) => void;
}

/** One entry on one line, or on two where there is little room. */
export const DecisionRow = memo(function DecisionRow(props: DecisionRowProps) {
  const { line, row, isOpen, isPartner, onOpen, onPoint } = props;
  // Notes and changes show their text instead of the tool, which adds nothing.
  const isNote = line.kind === 'manual' || line.kind === 'act';
  return (
    <button
      type="button"
      data-row={row}
      data-kind={line.kind}
      aria-current={isOpen || undefined}
      onClick={() => onOpen(line)}
      onPointerEnter={() => onPoint(line.callId)}
      onPointerLeave={() => onPoint(null)}
      className={classes(
        'relative grid h-full w-full items-center gap-x-3 px-4 text-left outline-offset-[-2px]',
        'grid-cols-[4rem_4.25rem_6.5rem_minmax(0,1fr)_minmax(0,1fr)] @3xl:grid-cols-[4.25rem_4.5rem_minmax(7rem,10rem)_minmax(8rem,16rem)_minmax(0,1fr)]',
        'max-[56rem]:flex max-[56rem]:flex-wrap max-[56rem]:content-center max-[56rem]:gap-y-px max-[56rem]:px-3',
        // Ends the first line.
        'max-[56rem]:after:order-4 max-[56rem]:after:basis-full',
        isOpen ? 'bg-accent-soft' : isPartner ? 'bg-hover' : 'hover:bg-hover',
      )}
    >
      {(isOpen || isPartner) && (
        <span
          aria-hidden
          className={classes('absolute inset-y-0 left-0 w-0.75', isOpen ? 'bg-accent' : 'bg-accent/45')}
        />
      )}
      <time
        dateTime={line.at}
        title={exactTime(line.at)}
        className="text-faint text-xs tabular-nums max-[56rem]:order-3"
      >
        {timeOfDay(line.at)}
      </time>
      <span className="flex max-[56rem]:order-1 max-[56rem]:w-17">
        <KindBadge kind={line.kind} />
      </span>
      <span className="flex min-w-0 text-xs max-[56rem]:order-5 max-[56rem]:max-w-[45%]">
        <CallerName caller={line} />
      </span>
      <span
        className={classes('min-w-0 flex-1 truncate font-mono text-xs max-[56rem]:order-2', isNote && 'hidden')}
        title={line.tool}
      >
        {line.tool}
      </span>
      <span
        className={classes(
          'min-w-0 flex-1 truncate text-xs',
          isNote ? 'col-span-2 max-[56rem]:order-2' : 'max-[56rem]:order-6',
          line.kind === 'error' ? 'text-danger' : isNote ? 'text-text' : 'text-muted',
        )}
      >
        {line.summary}
      </span>
    </button>
  );
});

/** Stands in for an entry that is loading or past the retention period. */
export function MissingRow({ isGone }: { isGone: boolean }) {
  return (
    <div className="flex h-full items-center gap-3 px-4">
      {isGone ? (
        <span className="text-faint text-xs">No longer stored</span>
      ) : (
        <>
          <Skeleton className="h-3.5 w-14" />
          <Skeleton className="h-4.5 w-16" />
          <Skeleton className="h-3.5 w-28" />
          <Skeleton className="h-3.5 flex-1" />
        </>
      )}
    </div>
  );
}
