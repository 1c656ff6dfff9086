import type { AppliedSettings, SettingsPreview, SettingValue } from './app-settings.ts';

/** A change to one value of the config file. Null removes the value, or a table with everything in it. */
export interface FileEdit {
  path: readonly string[];
  value: SettingValue | null;
}

/** A change that was checked and not made yet. */
export interface PlannedChange {
  preview: SettingsPreview;
  apply(): Promise<AppliedSettings>;
}

/** The config file of the hub, for settings that come from it. */
export interface EditableConfig {
  /**
   * Returns what the file contains and applies; undefined if there is nothing. What is held does not count: it must neither collect what
   * the user enters nor keep a change from applying.
   */
  value(path: readonly string[]): Promise<unknown>;
  /**
   * Checks a change to the file, which is created in the home of a hub that has none. Throws INVALID_ARGUMENTS for a wrong value, and
   * CONFLICT if the file cannot be created or edited, or if it is not the one that the user saw (`hash`).
   */
  plan(edits: readonly FileEdit[], options?: { hash?: string | undefined }): Promise<PlannedChange>;
}

/** A change to what the hub stores in its database. */
export function hubChange(store: () => Promise<unknown>, { needsRestart = false } = {}): PlannedChange {
  return {
    preview: { where: 'hub', hash: null, creates: null, lines: [], needsRestart, deletes: [] },
    async apply() {
      await store();
      return { where: 'hub', isHeld: false, needsRestart };
    },
  };
}
