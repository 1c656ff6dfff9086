import { useMemo, useState } from 'react';
import { type DecisionFilter, useDecisionCounts } from '../../api/decision-queries.ts';
import { useBarChart } from '../../parts/charts/use-bar-chart.ts';
import { Button } from '../../ui/button.tsx';
import { exactTime } from '../../ui/day-names.ts';
import { errorText } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type Bars, type ChartRange, toBars } from './chart-range.ts';
import { spanName } from './time-names.ts';

export interface ChartSectionProps {
  range: ChartRange;
  /** The name of the range. */
  name: string;
  filter: DecisionFilter;
  onSelect: (since: number, until: number) => void;
}

/** Shows calls and errors over time as a chart, as totals, and as a table for screen readers. */
export function ChartSection({ range, name, filter, onSelect }: ChartSectionProps) {
  const { data, error, refetch, isPlaceholderData } = useDecisionCounts({ ...filter, ...range });
  const noun = nounOf(filter.kind);
  const CallChart = useBarChart();
  const [hovered, setHovered] = useState<number | null>(null);
  const bars = useMemo(() => (data ? toBars(range, data.counts) : null), [data, range]);
  const isEmpty = bars !== null && bars.totalCalls === 0 && bars.totalErrors === 0;
  return (
    <figure className="mb-4 rounded-card border border-line bg-surface px-4 pt-3 pb-1 shadow-card max-sm:px-3">
      <figcaption className="mb-1 flex min-h-6 flex-wrap items-center gap-x-4 gap-y-1 text-xs">
        <span className="font-semibold">{name}</span>
        {bars && (
          <span className="flex gap-x-4 text-muted">
            <Legend color="bg-accent">{formatCount(bars.totalCalls, noun)}</Legend>
            {noun === 'call' && <Legend color="bg-danger">{formatCount(bars.totalErrors, 'error')}</Legend>}
          </span>
        )}
        {data?.completeSince && (
          <span className="text-warn">Counted since {exactTime(data.completeSince)}. Choose a shorter time range.</span>
        )}
        <span aria-hidden className="ml-auto pointer-coarse:hidden text-faint tabular-nums max-sm:hidden">
          {bars && hovered !== null && barText(bars, hovered, { range, noun })}
          {hovered === null && !isEmpty && 'Drag to choose a time range'}
        </span>
      </figcaption>
      {bars ? (
        <div className={isPlaceholderData ? 'opacity-60 transition-opacity' : 'transition-opacity'}>
          {isEmpty ? (
            <p className="flex h-30 items-center justify-center text-faint text-sm">{`No ${noun}s in this time range`}</p>
          ) : CallChart === 'failed' ? (
            <p className="flex h-30 items-center justify-center text-muted text-sm">
              The chart could not be loaded. Reload the page.
            </p>
          ) : CallChart === 'loading' ? (
            <Skeleton className="h-30 w-full" />
          ) : (
            <CallChart bars={bars} stepMinutes={range.stepMinutes} onPoint={setHovered} onSelect={onSelect} />
          )}
          <div className="sr-only">
            <BarTable bars={bars} range={range} name={name} noun={noun} />
          </div>
        </div>
      ) : error ? (
        <div role="alert" className="flex h-30 flex-col items-center justify-center gap-2 text-muted text-sm">
          <span>The chart could not be loaded: {errorText(error)}</span>
          <Button size="sm" onClick={() => void refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading chart">
          <Skeleton className="h-30 w-full" />
        </div>
      )}
    </figure>
  );
}

function Legend({ color, children }: { color: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-sm ${color}`} />
      {children}
    </span>
  );
}

const maxTableRows = 60;

interface BarTableProps {
  bars: Bars;
  range: ChartRange;
  name: string;
  noun: string;
}

function BarTable({ bars, range, name, noun }: BarTableProps) {
  const column = `${noun[0]?.toUpperCase()}${noun.slice(1)}s`;
  const busy = bars.times.flatMap((_, index) => (bars.calls[index] || bars.errors[index] ? [index] : []));
  return (
    <table>
      <caption>
        {column} and errors: {name}. Empty intervals are left out.
      </caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">{column}</th>
          <th scope="col">Errors</th>
        </tr>
      </thead>
      <tbody>
        {busy.slice(-maxTableRows).map((index) => (
          <tr key={index}>
            <th scope="row">{spanOfBar(bars, index, range)}</th>
            <td>{bars.calls[index]}</td>
            <td>{bars.errors[index]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function barText(bars: Bars, index: number, { range, noun }: { range: ChartRange; noun: string }): string {
  const calls = formatCount(bars.calls[index] ?? 0, noun);
  const errors = noun === 'call' ? `, ${formatCount(bars.errors[index] ?? 0, 'error')}` : '';
  return `${spanOfBar(bars, index, range)}: ${calls}${errors}`;
}

/** Names what the bars count: calls, or entries of a kind that belongs to no call. */
function nounOf(kind: DecisionFilter['kind']): string {
  return kind === 'manual' ? 'note' : kind === 'act' ? 'change' : 'call';
}

function spanOfBar(bars: Bars, index: number, range: ChartRange): string {
  const start = (bars.times[index] ?? 0) * 1_000;
  return spanName(start, start + range.stepMinutes * 60_000);
}
