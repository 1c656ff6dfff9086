import type { z } from 'zod';

/**
 * A setting made in the app. Keys are paths such as `engine.model` or `providers.NAME`, like those of `zoo.toml`, whose value wins over
 * the one here. Secrets belong in the vault.
 */
export interface Setting<T = unknown> {
  key: string;
  value: T;
  /** Changes with every write, and is never used again for the same key. */
  version: number;
  updatedAt: number;
}

/** The prefix of keys for observed values, such as the state of a provider. Nobody set them, and they may change every minute. */
export const seenPrefix = 'seen.';

/** The version that a writer saw: null if there was no such setting. Undefined overwrites whatever is there. */
export type SeenVersion = number | null | undefined;

/** Without a value, the setting is removed. */
export interface SettingChange {
  key: string;
  value?: unknown;
  seen?: SeenVersion;
}

/** The settings made in the app, the same in every process of the hub. Reads cost no query unless a setting has changed. */
export interface SettingStore {
  /** A value that the schema rejects, such as one of a newer version, counts as absent. */
  read<T>(key: string, schema: z.ZodType<T>): Promise<Setting<T> | undefined>;
  /** Lists the settings whose keys begin with the prefix, sorted by key. Leaves out values that the schema rejects. */
  list<T>(prefix: string, schema: z.ZodType<T>): Promise<Setting<T>[]>;
  /** Throws CONFLICT if the setting is not of the version that the writer saw, and INVALID_ARGUMENTS if the value is too long. */
  write<T>(key: string, value: T, seen?: SeenVersion): Promise<Setting<T>>;
  /** Returns false if there is no such setting. Throws CONFLICT as `write` does. */
  delete(key: string, seen?: SeenVersion): Promise<boolean>;
  /** Makes all changes or none. Throws as `write`. */
  change(changes: readonly SettingChange[]): Promise<void>;
  /** Calls back after every change by any process with the changed keys; with none if any setting may have changed. */
  watch(onChange: (keys: readonly string[]) => void): () => void;
}
