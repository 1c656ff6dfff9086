import { useMemo, useState } from 'react';
import type { UsageReport } from '../../../src/usage/usage.ts';
import { useBarChart } from '../../parts/charts/use-bar-chart.ts';
import { costWords, shortCount } from '../../parts/runs/usage-words.ts';
import { durationName } from '../../ui/duration-name.ts';
import { formatCount } from '../../ui/format-count.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { dayFormat } from './day-format.ts';
import { useGroupName } from './usage-table.tsx';

export const metrics = {
  cost: 'Cost',
  tokens: 'Tokens',
  latency: 'Time of 95% of calls',
  calls: 'Calls and errors',
} as const;
export type Metric = keyof typeof metrics;

const hourFormat = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

export interface UsageChartProps {
  report: UsageReport;
  metric: Metric;
  since: string;
  until: string;
}

/** Tells the others apart from a group with any name. */
function idOf(key: string | null): string {
  return key === null ? 'others' : `group ${key}`;
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

/** Of the most expensive groups, most expensive first. The others are in a quieter color. */
const lineColors = ['--accent', '--info', '--violet', '--warn', '--danger'];

/** One figure over time, as bars or as a line for each group, and as a table for assistive technology. */
export function UsageChart({ report, metric, since, until }: UsageChartProps) {
  const Chart = useBarChart();
  const [hovered, setHovered] = useState<number | null>(null);
  const { by, stepHours, intervals, series, total, groups, rest } = report;
  const groupName = useGroupName();
  const left = rest ? [] : groups.filter((group) => series.every(({ key }) => key !== group.key));
  const others = left[0] && left.length === 1 ? groupName(by, left[0].key) : 'Others';
  const nameOf = (key: string | null) => (key === null ? others : groupName(by, key));
  const bars = useMemo(() => {
    const stepMs = stepHours * 3_600_000;
    const first = Date.parse(since);
    const length = Math.max(1, Math.ceil((Date.parse(until) - first) / stepMs));
    const byIndex = new Map(intervals.map((each) => [Math.round((Date.parse(each.at) - first) / stepMs), each]));
    const list = Array.from({ length }, (_, index) => byIndex.get(index));
    const lines = series.map((each, line) => {
      const values = Array.from({ length }, () => 0);
      for (const point of each.intervals) {
        const index = Math.round((Date.parse(point.at) - first) / stepMs);
        if (index < length) values[index] = figureOf(point, metric);
      }
      return { values, color: lineColors[line] ?? '--faint' };
    });
    return {
      lines,
      times: list.map((_, index) => (first + index * stepMs) / 1_000),
      calls: list.map((each) => (each ? figureOf(each, metric) : 0)),
      errors: list.map((each) => (each && metric === 'calls' ? each.errors : 0)),
    };
  }, [intervals, series, stepHours, since, until, metric]);
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
            `${(stepHours < 24 ? hourFormat : dayFormat).format((bars.times[hovered] ?? 0) * 1_000)}: ${shown(bars.calls[hovered] ?? 0, metric)}`}
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
      {series.length > 0 && (
        <ul aria-label="Lines" className="flex flex-wrap gap-x-4 gap-y-1 pb-2 text-xs">
          {series.map(({ key }, index) => (
            <li key={idOf(key)} className="flex min-w-0 max-w-60 items-center gap-1.5">
              <span
                aria-hidden
                className="h-0.5 w-4 shrink-0 rounded-full"
                style={{ background: `var(${lineColors[index] ?? '--faint'})` }}
              />
              <span className="truncate">{nameOf(key)}</span>
              {hovered !== null && (
                <span className="text-muted tabular-nums">
                  {shown(bars.lines[index]?.values[hovered] ?? 0, metric)}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      <div className="sr-only">
        <table>
          <caption>{metrics[metric]} over time. Empty intervals are left out.</caption>
          <thead>
            <tr>
              <th scope="col">Time (UTC)</th>
              <th scope="col">{metrics[metric]}</th>
              {series.map(({ key }) => (
                <th key={idOf(key)} scope="col">
                  {nameOf(key)}
                </th>
              ))}
              <th scope="col">Errors</th>
            </tr>
          </thead>
          <tbody>
            {intervals.slice(-60).map((each) => (
              <tr key={each.at}>
                <th scope="row">{each.at.slice(0, 16).replace('T', ' ')}</th>
                <td>{shown(figureOf(each, metric), metric)}</td>
                {series.map(({ key, intervals: points }) => {
                  const point = points.find(({ at }) => at === each.at);
                  return <td key={idOf(key)}>{point ? shown(figureOf(point, metric), metric) : '–'}</td>;
                })}
                <td>{each.errors}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
