import { existsSync, renameSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BundledPackage, bundledPackages, thirdPartyNotices } from './bundled-packages.ts';
import { hashSources } from './hash-sources.ts';
import { root } from './run-step.ts';

const dist = join(root, 'dist');
const marker = '.built-from';
const packageList = '.packages.json';
/** The sources of the web app. The hub's files that it imports are known from the last build. */
const sources = ['web/**/*', 'vite.config.ts', 'scripts/{build-web,bundled-packages}.ts', 'package-lock.json'];

/** Builds the web app into dist/web, unless it is up to date. */
export async function buildWeb(): Promise<'built' | 'up to date'> {
  if (await isWebUpToDate()) return 'up to date';
  await mkdir(dist, { recursive: true });
  // Builds into another folder and moves it, so that a running hub or a second build never sees half an app.
  const fresh = await mkdtemp(join(dist, 'web-'));
  const { NODE_ENV } = process.env;
  try {
    // A test that builds sets NODE_ENV to `test`, which would leave React's slow development build behind.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    const built = await build({
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    });
    const chunks = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
    const modules = chunks.flatMap((chunk) => ('modules' in chunk ? Object.keys(chunk.modules) : []));
    const inputs = modules.map((id) => relative(root, id).replace(/\?.*$/, ''));
    const packages = bundledPackages(inputs);
    await writeFile(join(fresh, 'third-party-notices.txt'), thirdPartyNotices(packages));
    await writeFile(join(fresh, packageList), JSON.stringify(packages.map(({ licenseText: _, ...rest }) => rest)));
    const shared = [...new Set(inputs.filter((path) => path.startsWith('src/')))].sort();
    await writeFile(join(fresh, marker), [await hashSources([...sources, ...shared]), ...shared].join('\n'));
    // Several test processes may have begun to build at the same time, and pages may have loaded the first build.
    if (!(await isWebUpToDate())) await replaceFolder(fresh, join(dist, 'web'));
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    await rm(fresh, { recursive: true, force: true });
  }
  return 'built';
}

/** Returns the packages in the web app that dist/web holds. */
export async function webPackages(): Promise<BundledPackage[]> {
  return JSON.parse(await readFile(join(dist, 'web', packageList), 'utf8')) as BundledPackage[];
}

/** Whether dist/web was built from the current sources. */
export async function isWebUpToDate(): Promise<boolean> {
  const made = await readFile(join(dist, 'web', marker), 'utf8').catch(() => '');
  const [hash, ...shared] = made.split('\n');
  return hash === (await hashSources([...sources, ...shared]));
}

/** Replaces a folder with one beside it. Nothing runs between the two renames, and a hub that serves the folder hardly notices them. */
export async function replaceFolder(from: string, to: string): Promise<void> {
  const old = await mkdtemp(`${from}-old-`);
  let replaced: string | undefined;
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (existsSync(to)) {
          const place = join(old, String(attempt));
          renameSync(to, place);
          replaced = place;
        }
        renameSync(from, to);
        return;
      } catch (error) {
        // Another build is replacing it.
        if (attempt < 5) continue;
        if (replaced !== undefined && !existsSync(to)) renameSync(replaced, to);
        throw error;
      }
    }
  } finally {
    await rm(old, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now();
  if ((await buildWeb()) === 'built') {
    process.stdout.write(`Web app built in ${((performance.now() - started) / 1_000).toFixed(1)} s.\n`);
  }
}
