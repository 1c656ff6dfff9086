import { useEffect, useState } from 'react';
import { dayMs } from '../../../src/base/clock.ts';
import { exactTime } from '../../ui/day-names.ts';

/** Shows how long something has been in its state, e.g. "3 h", and keeps it up to date. */
export function TimeInState({ since, className }: { since: string; className?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={since} title={`Since ${exactTime(since)}`} {...(className && { className })}>
      {shortDuration(Math.max(now, Date.parse(since)) - Date.parse(since))}
    </time>
  );
}

const units = [
  ['d', dayMs],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

/** Returns "<1 min", "5 min", "3 h" or "12 d". */
export function shortDuration(ms: number): string {
  for (const [unit, length] of units) {
    if (ms >= length) return `${Math.floor(ms / length)} ${unit}`;
  }
  return '<1 min';
}
