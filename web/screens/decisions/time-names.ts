import { dayOf } from '../../ui/day-names.ts';

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

export function timeOfDay(at: string): string {
  return timeFormat.format(new Date(at));
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
