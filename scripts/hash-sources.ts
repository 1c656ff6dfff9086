import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { root } from './run-step.ts';

/** Returns a hash of the files that match these patterns, without tests. A build with the same hash is up to date. */
export async function hashSources(patterns: readonly string[]): Promise<string> {
  const paths: string[] = [];
  for await (const entry of glob(patterns, { cwd: root, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.includes('.test.')) paths.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${relative(root, path)}\0`).update(await readFile(path));
  return hash.digest('hex');
}
