import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from '../../ui/theme.ts';
import { useMedia } from '../../ui/use-media.ts';
import { roundTop } from './round-top.ts';

/** One bar per step, with a part of it in front. */
export interface BarData {
  /** In seconds, as uPlot expects. */
  times: number[];
  calls: number[];
  errors: number[];
  /** Drawn instead of the bars if there are any. */
  lines?: readonly ChartLine[] | undefined;
}

interface ChartLine {
  values: readonly number[];
  /** The name of a CSS variable. */
  color: string;
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
  const colors = bars.lines?.map(({ color }) => color).join(' ') ?? '';
  const data = useRef(bars);
  data.current = bars;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the canvas must be redrawn with the colors of a new theme.
  useEffect(() => {
    if (!container.current) return;
    const element = container.current;
    const plot = new uPlot(
      optionsFor(element, { handlers, isUtc, lineColors: colors === '' ? [] : colors.split(' ') }),
      toData(data.current),
      element,
    );
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
  }, [theme, isDark, isUtc, colors]);
  useEffect(() => {
    if (isMounted) chart.current?.setData(toData(bars));
  }, [bars, isMounted]);
  return (
    <div ref={container} aria-hidden data-chart className="w-full [&_.u-select]:bg-accent/20!" style={{ height }} />
  );
}

type Handlers = { current: Pick<BarChartProps, 'onPoint' | 'onSelect' | 'stepMinutes' | 'valueName'> };

interface ChartLook {
  handlers: Handlers;
  isUtc: boolean;
  lineColors: readonly string[];
}

function optionsFor(element: HTMLElement, { handlers, isUtc, lineColors }: ChartLook): uPlot.Options {
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
  const bars: uPlot.Series[] = [calls, errors].map((fill) => ({
    ...seriesStyle,
    ...(fill && { fill }),
    ...(bar && { paths: bar }),
  }));
  return {
    width: Math.max(1, Math.floor(element.clientWidth)),
    height,
    legend: { show: false },
    ...(isUtc && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }),
    padding: [8, 20, 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { time: true, range: (_chart, min, max) => [min, max + handlers.current.stepMinutes * 60] },
      y: {
        range: (_chart, _min, max) => [
          0,
          handlers.current.valueName ? roundTop(max) : Math.max(4, 2 * Math.ceil(max / 2)),
        ],
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        values: (_chart, splits) => timeNames(splits, { isUtc, areDays: handlers.current.stepMinutes >= 1_440 }),
      },
      {
        ...axis,
        size: 44,
        splits: (_chart, _axis, _min, max) => [0, max / 2, max],
        values: (_chart, splits) => splits.map((value) => (handlers.current.valueName ?? shortNumber)(value)),
        grid: { ...(lines && { stroke: lines }), width: 1 },
      },
    ],
    series: [
      {},
      ...lineColors.map((name) => ({ stroke: colorOf(element, name), width: 2, points: { size: 5 } })),
      ...(lineColors.length > 0 ? [] : bars),
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
  if (!bars.lines || bars.lines.length === 0) return [bars.times, bars.calls, bars.errors];
  return [bars.times, ...bars.lines.map(({ values }) => [...values])];
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

/** Labels dates at midnight and, unless each bar is a day, hours. */
function timeNames(splits: number[], { isUtc, areDays }: { isUtc: boolean; areDays: boolean }): string[] {
  const { hour, date } = isUtc ? formats.utc : formats.local;
  return splits.map((seconds) => {
    const at = new Date(seconds * 1_000);
    const time = hour.format(at);
    if (time === '00:00') return date.format(at);
    return areDays ? '' : time;
  });
}

function shortNumber(value: number): string {
  return value >= 10_000 ? `${Math.round(value / 1_000)}k` : String(value);
}
