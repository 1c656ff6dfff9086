/** Returns "today at 14:03", "yesterday at 9:15", "on Nov 3 at 10:00" or "on Nov 3, 2025". */
export function formatTime(iso: string | null, now: Date = new Date()): string {
  if (iso === null) return 'at an unknown time';
  const date = new Date(iso);
  const time = date.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = (value: Date) => new Date(value.getFullYear(), value.getMonth(), value.getDate()).getTime();
  const days = Math.round((day(now) - day(date)) / 86_400_000);
  if (days === 0) return `today at ${time}`;
  if (days === 1) return `yesterday at ${time}`;
  if (date.getFullYear() === now.getFullYear()) {
    return `on ${date.toLocaleDateString('en', { month: 'short', day: 'numeric' })} at ${time}`;
  }
  return `on ${date.toLocaleDateString('en', { month: 'short', day: 'numeric', year: 'numeric' })}`;
}

/** Returns "14:03". */
export function formatClock(iso: string): string {
  return new Date(iso).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
