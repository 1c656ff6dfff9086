import { durationWords } from '../base/duration-words.ts';
import type { SettingBody } from './app-settings.ts';

/** Returns how soon a running hub deletes what a shorter retention gives up: "within 30 seconds". */
export function deletionDelay(settings: readonly Pick<SettingBody, 'key' | 'value'>[]): string {
  const every = settings.find(({ key }) => key === 'team.reconcile_every_secs')?.value;
  return typeof every === 'number' ? `within ${durationWords(every * 1_000)}` : 'soon';
}
