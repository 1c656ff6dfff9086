import { createHash } from 'node:crypto';
import { glob, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { thirdPartyNotices } from './third-party-notices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const marker = '.built-from';
const sources = [
  'web/**/*',
  'src/agents/**/*',
  'src/base/**/*',
  'src/team/**/*',
  'src/servers/**/*',
  'src/knowledge/search-request.ts',
  'src/chats/transcript.ts',
  'vite.config.ts',
  'package-lock.json',
];

/** Builds the web app into dist/web, unless what is there was built from these very sources. */
export async function buildWeb(): Promise<'built' | 'up to date'> {
  const hash = await hashSources();
  if ((await readFile(join(dist, 'web', marker), 'utf8').catch(() => '')) === hash) return 'up to date';
  await mkdir(dist, { recursive: true });
  // Built beside it and moved there whole: a hub that serves meanwhile, or a second build, never sees half an app.
  const fresh = await mkdtemp(join(dist, 'web-'));
  const { NODE_ENV } = process.env;
  try {
    // A test that builds says `test`, and would leave the slow React of developers for everybody else.
    process.env.NODE_ENV = 'production';
    const { build } = await import('vite');
    const built = await build({
      configFile: join(root, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    });
    const chunks = [built].flat().flatMap((result) => ('output' in result ? result.output : []));
    const modules = chunks.flatMap((chunk) => ('modules' in chunk ? Object.keys(chunk.modules) : []));
    await writeFile(join(fresh, 'third-party-notices.txt'), thirdPartyNotices(modules.map((id) => relative(root, id))));
    await writeFile(join(fresh, marker), hash);
    await moveOver(fresh, join(dist, 'web'));
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    await rm(fresh, { recursive: true, force: true });
  }
  return 'built';
}

async function moveOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await rm(to, { recursive: true, force: true });
    try {
      await rename(from, to);
      return;
    } catch (error) {
      // Another build put its own there in between.
      if (attempt === 5) throw error;
    }
  }
}

async function hashSources(): Promise<string> {
  const paths: string[] = [];
  for await (const entry of glob(sources, { cwd: root, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.includes('.test.')) paths.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(`${relative(root, path)}\0`).update(await readFile(path));
  return hash.digest('hex');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const started = performance.now();
  if ((await buildWeb()) === 'built') {
    process.stdout.write(`Web app built in ${((performance.now() - started) / 1_000).toFixed(1)} s.\n`);
  }
}
