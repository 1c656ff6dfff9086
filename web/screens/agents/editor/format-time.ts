import { dayMs } from '../../../../src/base/clock.ts';

// Made once: a format takes much memory, and lists have many times.
const clockFormat = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const dayFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const yearFormat = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric' });

/** Returns "today at 14:03", "yesterday at 9:15", "on Nov 3 at 10:00" or "on Nov 3, 2025". */
export function formatTime(iso: string | null, now: Date = new Date()): string {
  if (iso === null) return 'at an unknown time';
  const date = new Date(iso);
  const time = clockFormat.format(date);
  const day = (value: Date) => new Date(value.getFullYear(), value.getMonth(), value.getDate()).getTime();
  const days = Math.round((day(now) - day(date)) / dayMs);
  if (days === 0) return `today at ${time}`;
  if (days === 1) return `yesterday at ${time}`;
  if (date.getFullYear() === now.getFullYear()) return `on ${dayFormat.format(date)} at ${time}`;
  return `on ${yearFormat.format(date)}`;
}

/** Returns "14:03". */
export function formatClock(iso: string): string {
  return clockFormat.format(new Date(iso));
}
