import { realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';

/** Returns whether a path is the folder or below it. Compares text, so resolve symbolic links first. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Resolves symbolic links in the part of an absolute path that exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : `${realPath(parent)}${path.slice(parent.length)}`;
  }
}
