import type { Dir } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import { isInside, realPath } from '../../base/real-path.ts';
import { fromHome } from '../../config/find-config.ts';
import type { FolderList } from '../../settings/app-settings.ts';

export interface FolderPlaces {
  home: string;
  /** The hub's own data, which is never listed. */
  dataDir: string;
  /** Folders besides the home folder. */
  others: readonly string[];
}

const maxFolders = 2_000;

/**
 * Lists the folders in a folder on this machine, so that one can be picked: names only, in the home folder and the other places, without
 * hidden folders. Throws INVALID_ARGUMENTS for everything else, NOT_FOUND.
 */
export async function listFolders(
  { home, dataDir, others }: FolderPlaces,
  path?: string,
  { max = maxFolders, signal }: { max?: number; signal?: AbortSignal } = {},
): Promise<FolderList> {
  const data = realPath(dataDir);
  // A service may have its data in the home of its user.
  const roots = [...new Set([home, ...others].map(realPath))].filter((root) => !isInside(root, data));
  const isListed = (folder: string) => roots.some((root) => isShown(folder, root)) && !isInside(folder, data);

  // Links are resolved first: a link must not lead out of the places.
  const start = path?.trim() ?? roots[0];
  if (start === undefined)
    throw new HubError('NOT_FOUND', 'There are no folders to choose from. Type the path instead.');
  const folder = realPath(resolve(home, fromHome(start, home)));
  if (!isListed(folder)) {
    const message = `${folder} is hidden, or is in neither the home folder of the hub's user nor a trusted folder. Type the path instead.`;
    throw new HubError('INVALID_ARGUMENTS', message);
  }
  if (!(await isFolder(folder))) throw new HubError('NOT_FOUND', `${folder} is not a folder on the hub's machine.`);

  const folders: FolderList['folders'] = [];
  let isCut = false;
  for await (const entry of await open(folder)) {
    signal?.throwIfAborted();
    const found = join(folder, entry.name);
    const target = entry.isSymbolicLink() ? await targetOf(found) : found;
    const isPicked = entry.isSymbolicLink() ? target !== undefined && (await isFolder(target)) : entry.isDirectory();
    if (!isPicked || entry.name.startsWith('.') || target === undefined || !isListed(target)) continue;
    isCut = folders.length === max;
    if (isCut) break;
    folders.push({ name: entry.name, path: found });
  }
  folders.sort((one, other) => inReadingOrder.compare(one.name, other.name));
  const existing = await Promise.all(roots.map(async (root) => ((await isFolder(root)) ? [root] : [])));
  return {
    path: folder,
    parent: dirname(folder) !== folder && isListed(dirname(folder)) ? dirname(folder) : null,
    places: existing
      .flat()
      .map((root) => ({ name: root === realPath(home) ? 'Home' : basename(root) || root, path: root })),
    folders,
    isCut,
  };
}

const inReadingOrder = new Intl.Collator('en', { numeric: true });

function isShown(folder: string, root: string): boolean {
  return (
    isInside(folder, root) &&
    !relative(root, folder)
      .split(sep)
      .some((part) => part.startsWith('.') && part !== '..')
  );
}

async function open(folder: string): Promise<Dir> {
  try {
    return await opendir(folder);
  } catch (cause) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      `The user who runs the hub may not read ${folder}. Choose another folder, or change its permissions.`,
      { cause },
    );
  }
}

async function targetOf(link: string): Promise<string | undefined> {
  return realpath(link).catch(() => undefined);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
