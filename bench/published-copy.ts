import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** What the tarball holds, in a folder of its own: without `src` beside it the command runs the bundle. */
export function publishedCopy(): { zoo: string; library: string; remove(): void } {
  if (!existsSync(join(root, 'dist', 'cli', 'main.js')))
    throw new Error('There is no build yet: run "npm run build" first.');
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-published-'));
  for (const name of ['bin', 'dist', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true });
  return {
    zoo: join(folder, 'bin', 'zoo.js'),
    library: join(folder, 'dist', 'index.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
