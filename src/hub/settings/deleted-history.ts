import { dayMs } from '../../base/clock.ts';
import type { SettingsEdit, SettingsPreview, SettingValue } from '../../settings/app-settings.ts';
import { historyDays, type Kept } from './history-days.ts';
import type { SettingsParts } from './read-settings.ts';

const kinds = ['log', 'runs', 'chats'] as const;

/** Counts what a change would delete because it is kept for a shorter time than before. Empty if nothing is. */
export async function deletedHistory(
  { live, store }: Pick<SettingsParts, 'live' | 'store'>,
  edit: SettingsEdit,
  now: number,
): Promise<SettingsPreview['deletes']> {
  if (edit.kind !== 'values' || !edit.values.some(({ key }) => key.endsWith('.keep_days'))) return [];
  const current = await live.refresh();
  const next: Kept = structuredClone({ log: current.log, chats: current.chats, runs: current.runs });
  for (const { key, value } of edit.values)
    for (const kind of kinds) if (key === `${kind}.keep_days`) next[kind].keep_days = daysOf(value);
  const [before, after] = [historyDays(current), historyDays(next)];
  const counted = kinds
    .filter((kind) => after[kind] < before[kind])
    .map(async (what) => ({ what, count: await countOlder(store, what, now - after[what] * dayMs) }));
  return (await Promise.all(counted)).filter(({ count }) => count > 0);
}

function daysOf(value: SettingValue | null): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

async function countOlder(
  { decisions, runs, chats }: SettingsParts['store'],
  what: (typeof kinds)[number],
  before: number,
): Promise<number> {
  switch (what) {
    case 'log': {
      const { intervals } = await decisions.counts({ since: 0, until: before, stepMs: before });
      return intervals.reduce((sum, { calls }) => sum + calls, 0);
    }
    case 'runs':
      return runs.countOlder(before);
    case 'chats':
      return chats.countOlder(before);
  }
}
