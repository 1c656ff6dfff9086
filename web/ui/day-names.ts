// Made once: a format takes much memory, and lists have many times.
const dayFormat = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
const yearFormat = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const exactFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

/** Returns the day of an ISO time in the user's time zone, such as 2026-01-31. Days compare as text. */
export function dayOf(at: string): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** Returns "Today", "Yesterday" or the day in words. */
export function dayName(day: string, now: Date): string {
  const today = dayOf(now.toISOString());
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (day === today) return 'Today';
  if (day === dayOf(yesterday.toISOString())) return 'Yesterday';
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return (year === now.getFullYear() ? dayFormat : yearFormat).format(new Date(year, month - 1, date));
}

/** Returns "Mar 3, 2026, 14:05:09". */
export function exactTime(at: string | number): string {
  return exactFormat.format(new Date(at));
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
