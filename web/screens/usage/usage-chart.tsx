import { useMemo, useState } from 'react';
import type { UsageReport } from '../../../src/usage/usage.ts';
import { useBarChart } from '../../parts/charts/use-bar-chart.ts';
import { costWords, shortCount } from '../../parts/runs/usage-words.ts';
import { durationName } from '../../parts/tools/read-content.ts';
import { formatCount } from '../../ui/format-count.ts';
import { Skeleton } from '../../ui/skeleton.tsx';

export const metrics = { cost: 'Cost', tokens: 'Tokens', latency: 'Latency (p95)', calls: 'Calls and errors' } as const;
export type Metric = keyof typeof metrics;

export interface UsageChartProps {
  report: UsageReport;
  metric: Metric;
  since: string;
  until: string;
}

function figureOf(sums: UsageReport['total'], metric: Metric): number {
  switch (metric) {
    case 'cost':
      return sums.cost;
    case 'tokens':
      return sums.inputTokens + sums.outputTokens;
    case 'latency':
      return (sums.p95Ms ?? 0) / 1_000;
    case 'calls':
      return sums.calls;
  }
}

function shown(value: number, metric: Metric): string {
  if (metric === 'cost') return costWords(value);
  return metric === 'latency' ? durationName(value * 1_000) : shortCount(Math.round(value));
}

/** One figure over time, as bars and as a table for assistive technology. */
export function UsageChart({ report, metric, since, until }: UsageChartProps) {
  const Chart = useBarChart();
  const [hovered, setHovered] = useState<number | null>(null);
  const { stepHours, intervals, total } = report;
  const bars = useMemo(() => {
    const stepMs = stepHours * 3_600_000;
    const first = Date.parse(since);
    const length = Math.max(1, Math.ceil((Date.parse(until) - first) / stepMs));
    const byIndex = new Map(intervals.map((each) => [Math.round((Date.parse(each.at) - first) / stepMs), each]));
    const list = Array.from({ length }, (_, index) => byIndex.get(index));
    return {
      times: list.map((_, index) => (first + index * stepMs) / 1_000),
      calls: list.map((each) => (each ? figureOf(each, metric) : 0)),
      errors: list.map((each) => (each && metric === 'calls' ? each.errors : 0)),
    };
  }, [intervals, stepHours, since, until, metric]);
  return (
    <figure className="mb-4 rounded-card border border-line bg-surface px-4 pt-3 pb-1 shadow-card max-sm:px-3">
      <figcaption className="mb-1 flex min-h-6 flex-wrap items-center gap-x-4 gap-y-1 text-xs">
        <span className="font-semibold">{metrics[metric]}</span>
        <span className="text-muted tabular-nums">
          {shown(figureOf(total, metric), metric)}
          {metric === 'calls' && `, ${formatCount(total.errors, 'error')}`}
        </span>
        <span aria-hidden className="ml-auto text-faint tabular-nums max-sm:hidden">
          {hovered !== null &&
            `${new Date((bars.times[hovered] ?? 0) * 1_000)
              .toISOString()
              .slice(0, stepHours === 1 ? 16 : 10)
              .replace('T', ' ')}: ${shown(bars.calls[hovered] ?? 0, metric)}`}
        </span>
      </figcaption>
      {Chart === 'loading' ? (
        <Skeleton className="h-30 w-full" />
      ) : Chart === 'failed' ? (
        <p className="flex h-30 items-center justify-center text-muted text-sm">
          The chart could not be loaded. Reload the page.
        </p>
      ) : (
        <Chart
          bars={bars}
          stepMinutes={stepHours * 60}
          valueName={metric === 'calls' ? undefined : (value) => shown(value, metric)}
          isUtc
          onPoint={setHovered}
        />
      )}
      <div className="sr-only">
        <table>
          <caption>{metrics[metric]} over time. Empty intervals are left out.</caption>
          <thead>
            <tr>
              <th scope="col">Time (UTC)</th>
              <th scope="col">{metrics[metric]}</th>
              <th scope="col">Errors</th>
            </tr>
          </thead>
          <tbody>
            {intervals.slice(-60).map((each) => (
              <tr key={each.at}>
                <th scope="row">{each.at.slice(0, 16).replace('T', ' ')}</th>
                <td>{shown(figureOf(each, metric), metric)}</td>
                <td>{each.errors}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
