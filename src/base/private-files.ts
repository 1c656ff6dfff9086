import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the folder and those above it that are missing, for this user only. An existing folder keeps its mode. Fails as
 * `mkdirSync` does; Node's own recursive form never returns where a folder cannot take another, as in /proc.
 */
export function makePrivateFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makePrivateFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it just now.
    if (!isFolder(folder)) throw error;
  }
}

/**
 * Creates an empty file for this user only. If the file exists and everybody on the machine may open it, takes that away; a file that
 * was shared with a group on purpose stays as it is. Never throws: whoever opens the file next says what is wrong with it.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    closeToOthers(path);
  }
}

/** Takes a file away from other users of the machine, if everybody may open it. */
export function closeToOthers(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o007) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    // It belongs to another user, who decides.
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
