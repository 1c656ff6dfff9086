import type { Chats } from '../chats/chats.ts';
import type { Config } from '../config/config.ts';
import type { Store } from '../store/store.ts';

interface SweepParts {
  config: Pick<Config, 'chats' | 'runs' | 'log'>;
  runs: Pick<Store['runs'], 'prune'>;
  chats: Pick<Chats, 'prune'>;
}

const dayMs = 24 * 3_600_000;

/** What is deleted when it is old, by what it is; each is given the time of now. */
export function sweepHistory({ config, runs, chats }: SweepParts): Record<string, (now: number) => Promise<unknown>> {
  // A run tells of the same calls as the log.
  const keepRuns = config.runs.keep_days ?? config.log.keep_days ?? 0;
  const keepChats = config.chats.keep_days ?? 0;
  return {
    ...(keepRuns > 0 && { runs: (now) => runs.prune(now - keepRuns * dayMs) }),
    ...(keepChats > 0 && { chats: (now) => chats.prune(now - keepChats * dayMs) }),
  };
}
