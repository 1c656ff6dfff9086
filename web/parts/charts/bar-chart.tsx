import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../ui/theme.ts';
import { useMedia } from '../../ui/use-media.ts';

/** One bar per step, with a part of it in front. */
export interface BarData {
  /** In seconds, as uPlot expects. */
  times: number[];
  calls: number[];
  errors: number[];
}

export interface BarChartProps {
  bars: BarData;
  stepMinutes: number;
  /** Names a value on the axis. Without it, values are whole numbers. */
  valueName?: ((value: number) => string) | undefined;
  /** Whether times are shown in UTC instead of local time. */
  isUtc?: boolean;
  /** Called with the index of the bar under the pointer, or null. */
  onPoint: (index: number | null) => void;
  /** Called with the time range that the user dragged over, in milliseconds. */
  onSelect?: ((since: number, until: number) => void) | undefined;
}

const height = 120;

/** Draws bars, such as calls with their errors in front. Hidden from assistive technology: show the numbers as text, too. */
export function BarChart({ bars, stepMinutes, valueName, isUtc = false, onPoint, onSelect }: BarChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const theme = useTheme();
  const isDark = useMedia('(prefers-color-scheme: dark)');
  const [isMounted, setIsMounted] = useState(false);
  const handlers = useRef({ onPoint, onSelect, stepMinutes, valueName });
  handlers.current = { onPoint, onSelect, stepMinutes, valueName };
  const data = useRef(bars);
  data.current = bars;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the canvas must be redrawn with the colors of a new theme.
  useEffect(() => {
    if (!container.current) return;
    const element = container.current;
    const plot = new uPlot(optionsFor(element, { handlers, isUtc }), toData(data.current), element);
    chart.current = plot;
    setIsMounted(true);
    const resized = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      if (width > 0 && width !== plot.width) plot.setSize({ width, height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.current = null;
      plot.destroy();
    };
  }, [theme, isDark, isUtc]);
  useEffect(() => {
    if (isMounted) chart.current?.setData(toData(bars));
  }, [bars, isMounted]);
  return (
    <div ref={container} aria-hidden data-chart className="w-full [&_.u-select]:bg-accent/20!" style={{ height }} />
  );
}

type Handlers = { current: Pick<BarChartProps, 'onPoint' | 'onSelect' | 'stepMinutes' | 'valueName'> };

function optionsFor(element: HTMLElement, { handlers, isUtc }: { handlers: Handlers; isUtc: boolean }): uPlot.Options {
  const [calls, errors, words, lines] = ['--accent', '--danger', '--faint', '--line'].map((name) =>
    colorOf(element, name),
  );
  const axis: uPlot.Axis = {
    ...(words && { stroke: words }),
    font: '11px ui-sans-serif, sans-serif',
    ticks: { show: false },
  };
  const seriesStyle = { points: { show: false }, width: 0 };
  const bar = uPlot.paths.bars?.({ size: [0.8, 96], align: 1, radius: 0.15 });
  return {
    width: Math.max(1, Math.floor(element.clientWidth)),
    height,
    legend: { show: false },
    ...(isUtc && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }),
    padding: [8, 20, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { time: true, range: (_chart, min, max) => [min, max + handlers.current.stepMinutes * 60] },
      y: { range: (_chart, _min, max) => [0, handlers.current.valueName ? max || 1 : Math.max(4, max)] },
    },
    axes: [
      { ...axis, grid: { show: false }, size: 24, values: (_chart, splits) => timeNames(splits, isUtc) },
      {
        ...axis,
        size: 44,
        splits: (_chart, _axis, _min, max) =>
          handlers.current.valueName ? [0, max / 2, max] : [0, Math.round(max / 2), Math.round(max)],
        values: (_chart, splits) => splits.map((value) => (handlers.current.valueName ?? shortNumber)(value)),
        grid: { ...(lines && { stroke: lines }), width: 1 },
      },
    ],
    series: [
      {},
      { ...seriesStyle, ...(calls && { fill: calls }), ...(bar && { paths: bar }) },
      { ...seriesStyle, ...(errors && { fill: errors }), ...(bar && { paths: bar }) },
    ],
    hooks: {
      setCursor: [(chart) => handlers.current.onPoint(barAtPointer(chart))],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width < 4) return;
          handlers.current.onSelect?.(chart.posToVal(left, 'x') * 1_000, chart.posToVal(left + width, 'x') * 1_000);
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** Returns the bar under the pointer. A bar starts at its time, so the nearest time is not always right. */
function barAtPointer(chart: uPlot): number | null {
  const { left } = chart.cursor;
  const [times] = chart.data;
  if (left === undefined || left < 0) return null;
  const at = chart.posToVal(left, 'x');
  const index = times.findLastIndex((time) => time <= at);
  return index === -1 ? null : index;
}

function toData(bars: BarData): uPlot.AlignedData {
  return [bars.times, bars.calls, bars.errors];
}

/** Resolves a CSS variable through an element, because a canvas cannot. */
function colorOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const formats = { local: formatsIn(undefined), utc: formatsIn('UTC') };

function formatsIn(timeZone: string | undefined) {
  const zone = timeZone === undefined ? {} : { timeZone };
  return {
    hour: new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone }),
    date: new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', ...zone }),
  };
}

/** Labels hours, and dates at midnight. */
function timeNames(splits: number[], isUtc: boolean): string[] {
  const { hour, date } = isUtc ? formats.utc : formats.local;
  return splits.map((seconds) => {
    const at = new Date(seconds * 1_000);
    const time = hour.format(at);
    return time === '00:00' ? date.format(at) : time;
  });
}

function shortNumber(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(value);
}
