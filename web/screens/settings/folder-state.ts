import type { FolderBody } from '../../../src/settings/app-settings.ts';

/** What a folder is to the user: its config was trusted, waits for a decision, was refused, needs no trust, is missing or is broken. */
export type FolderState = 'trusted' | 'waiting' | 'declined' | 'harmless' | 'empty' | 'broken';

export function folderState(folder: FolderBody): FolderState {
  if (folder.problem !== null) return 'broken';
  if (folder.file === null) return 'empty';
  if (isHeld(folder)) return folder.isDeclined ? 'declined' : 'waiting';
  return folder.parts.length === 0 ? 'harmless' : 'trusted';
}

/** Whether the config has something that the user has not trusted, or lacks something that they have. */
export function isHeld({ parts, gone }: Pick<FolderBody, 'parts' | 'gone'>): boolean {
  return gone.length > 0 || parts.some(({ state }) => state !== 'trusted');
}
