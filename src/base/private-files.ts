import { chmodSync, closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the folder and any missing parents, for this user only. An existing folder keeps its mode. Throws the errors of
 * `mkdirSync`, whose own recursive mode never returns in folders that cannot have subfolders, such as /proc.
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
 * Creates an empty file for this user only. If the file exists and everyone on the machine may open it, restricts it to this user; a
 * file that is shared with a group keeps its mode. Never throws: opening the file reports any problem.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600));
  } catch {
    closeToOthers(path);
  }
}

/** Writes a file for this user only, and creates its folder. Readers see either the old or the new file. Throws the errors of the system. */
export function replacePrivateFile(path: string, text: string): void {
  makePrivateFolder(dirname(path));
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, path);
}

/** Restricts a file to this user if everyone on the machine may open it. */
export function closeToOthers(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & 0o007) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    // The file belongs to another user, who decides about it.
  }
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
