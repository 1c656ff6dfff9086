import { useEffect, useState } from 'react';
import { exactTime } from './day-names.ts';

/** Shows "5 min ago", keeps it up to date, and shows the exact time on hover. */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={exactTime(at)} {...(className && { className })}>
      {relativeTime(at, Math.max(now, Date.parse(at)))}
    </time>
  );
}

const units = [
  ['y', 365 * 86_400],
  ['mo', 30 * 86_400],
  ['wk', 7 * 86_400],
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Returns how long ago an ISO time was, in short form. */
export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1_000);
  for (const [unit, length] of units) {
    if (seconds >= length) return `${Math.floor(seconds / length)} ${unit} ago`;
  }
  return 'just now';
}
