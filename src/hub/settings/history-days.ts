import type { LiveSettings } from './live-config.ts';

export type Kept = Pick<LiveSettings, 'log' | 'chats' | 'runs'>;

/** Returns for how many days history is kept. Infinity keeps everything. */
export function historyDays({ log, chats, runs }: Kept): Record<keyof Kept, number> {
  const days = (value: number | undefined) => value || Number.POSITIVE_INFINITY;
  // Runs contain the same calls as the log, so they share its default.
  return { log: days(log.keep_days), runs: days(runs.keep_days ?? log.keep_days), chats: days(chats.keep_days) };
}
