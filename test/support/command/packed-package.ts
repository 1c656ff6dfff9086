import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isWebUpToDate } from '../../../scripts/build-web.ts';
import { hashBundleSources } from '../../../scripts/bundle.ts';
import { root } from '../../../scripts/run-step.ts';
import { isUpToDate } from './built-zoo.ts';

const run = promisify(execFile);

export interface PackedPackage extends AsyncDisposable {
  /** A user's project with the package installed, and a Node for launchers that are too old. */
  project: string;
}

/** Packs the package from the current sources and installs it in an empty project, as a new user would. */
export async function installPacked(): Promise<PackedPackage> {
  const isBuilt = (await isUpToDate(await hashBundleSources())) && (await isWebUpToDate());
  if (!isBuilt) await run('npm', ['run', '--silent', 'build'], { cwd: root });
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-zoo-packed-')));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
    const project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
    await run('npm', ['install', '--no-audit', '--no-fund', join(folder, tarball)], { cwd: project });
    await symlink(join(root, 'node_modules/node'), join(project, 'node_modules/node'), 'dir');
    return { project, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
