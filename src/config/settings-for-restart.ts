import type { SourceProblem } from '../base/source.ts';
import type { Config } from './config.ts';
import { type LoadedConfig, showPath } from './load-config.ts';

/** What a hub takes from the file when it starts, and cannot change while it runs. */
const sections = [
  'server',
  'chunking',
  'retrieval',
  'embedding',
  'permissions',
  'team',
  'log',
  'chats',
  'runs',
  'events',
  'providers',
  'engine',
] as const;

/** Says which settings of the file are others than those the hub started with. */
export function settingsForRestart(loaded: LoadedConfig, config: Config): SourceProblem[] {
  const changed = sections.filter((name) => JSON.stringify(config[name]) !== JSON.stringify(loaded.config[name]));
  if (loaded.file === null || changed.length === 0) return [];
  const place = showPath(loaded.file, loaded.cwd);
  const names = changed.map((name) => `[${name}]`).join(', ');
  return [{ place, message: `${place}: ${names} changed. It counts when the hub starts again.` }];
}
