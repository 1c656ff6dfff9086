const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
  { name: 'second', ms: 1_000 },
] as const;

/** Returns a duration for people, in the largest unit that gives at least 2: "18 minutes", "36 hours". */
export function durationWords(milliseconds: number): string {
  const unit = units.find(({ ms }) => milliseconds >= 2 * ms) ?? units[3];
  const count = Math.max(0, Math.floor(milliseconds / unit.ms));
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
