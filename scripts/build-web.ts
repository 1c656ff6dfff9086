import { createHash } from 'node:crypto';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const marker = join(root, 'dist/web/.built-from');
const sources = ['web/**/*', 'src/agents/**/*', 'src/base/**/*', 'vite.config.ts', 'package-lock.json'];

/** Builds the web app into dist/web, unless what is there was built from these very sources. */
export async function buildWeb(): Promise<'built' | 'up to date'> {
  const hash = await hashSources();
  if ((await readFile(marker, 'utf8').catch(() => '')) === hash) return 'up to date';
  const { build } = await import('vite');
  await build({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  await writeFile(marker, hash);
  return 'built';
}

async function hashSources(): Promise<string> {
  const paths: string[] = [];
  for await (const entry of glob(sources, { cwd: root, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.includes('.test.')) paths.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${path}\0`).update(await readFile(path));
  return hash.digest('hex');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now();
  if ((await buildWeb()) === 'built') {
    process.stdout.write(`Web app built in ${((performance.now() - started) / 1_000).toFixed(1)} s.\n`);
  }
}
