import type { Config } from './config.ts';

export interface LoadedConfig {
  /** Absolute path of the file, or null when the defaults serve. */
  file: string | null;
  config: Config;
}
