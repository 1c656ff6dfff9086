import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bundleMarker, bundleZoo, hashBundleSources } from '../../../scripts/bundle.ts';
import { root } from '../../../scripts/run-step.ts';

const cache = join(root, '.cache', 'zoo');
const keptMs = 60 * 60 * 1000;

/**
 * Returns the folder of the package as it would be published from the current sources, with `bin` and `dist`. It starts three times
 * as fast as the sources. Each state of the sources has its own folder, so that no test runs old code or loses its files. Copies
 * the result of `npm run build` if it is up to date.
 */
export async function builtZoo(): Promise<string> {
  const hash = await hashBundleSources();
  const folder = join(cache, hash.slice(0, 16));
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, 'building-'));
  try {
    await cp(join(root, 'bin'), join(fresh, 'bin'), { recursive: true });
    if (await isUpToDate(hash))
      await cp(join(root, 'dist'), join(fresh, 'dist'), { recursive: true, filter: isCommand });
    else await bundleZoo(join(fresh, 'dist'));
    await symlink(join(root, 'dist', 'web'), join(fresh, 'dist', 'web'), 'dir');
    await rename(fresh, folder);
  } catch (error) {
    // Another test process has created it in the meantime.
    if (!existsSync(folder)) throw error;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  await removeOld(folder);
  return folder;
}

export async function isUpToDate(hash: string): Promise<boolean> {
  return (await readFile(join(root, 'dist', bundleMarker), 'utf8').catch(() => '')) === hash;
}

function isCommand(path: string): boolean {
  return !['web', 'types'].some((name) => path === join(root, 'dist', name));
}

async function removeOld(current: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    const age = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (name !== basename(current) && age > keptMs) await rm(folder, { recursive: true, force: true });
  }
}
