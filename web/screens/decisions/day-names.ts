const dayFormat = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
const yearFormat = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const timeFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const momentFormat = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

const exactFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** Returns the day of an ISO time in the user's time zone, such as 2026-01-31. Days compare as text. */
export function dayOf(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

export function dayName(day: string, now: Date): string {
  const today = dayOf(now.toISOString());
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (day === today) return 'Today';
  if (day === dayOf(yesterday.toISOString())) return 'Yesterday';
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return (year === now.getFullYear() ? dayFormat : yearFormat).format(new Date(year, month - 1, date));
}

export function timeOfDay(at: string): string {
  return timeFormat.format(new Date(at));
}

/** "Mar 3, 2026, 14:05:09". */
export function exactTime(at: string): string {
  return exactFormat.format(new Date(at));
}

/** "Mar 3, 14:05". */
export function momentName(at: number): string {
  return momentFormat.format(at);
}

/** Formats a time range. The day appears once when start and end share it. */
export function spanName(since: number | undefined, until: number | undefined): string {
  if (since === undefined) return until === undefined ? 'Any time' : `until ${momentName(until)}`;
  if (until === undefined) return `since ${momentName(since)}`;
  const isOneDay = dayOf(new Date(since).toISOString()) === dayOf(new Date(until).toISOString());
  return `${momentName(since)} – ${isOneDay ? timeFormat.format(until).slice(0, 5) : momentName(until)}`;
}

export function durationName(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
