import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findWebRoot } from './static-files.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function folderWith(page: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'zoo-root-'));
  folders.push(folder);
  await mkdir(join(folder, page), { recursive: true });
  await writeFile(join(folder, page, 'index.html'), '');
  return folder;
}

describe('the web app is found', () => {
  it.each([
    ['in a checkout', 'dist/web', 'src/http/server'],
    ['in the package, next to one bundled file', 'dist/web', 'dist'],
    ['in the package, next to a folder of code', 'dist/web', 'dist/http'],
  ])('%s', async (_, page, code) => {
    const folder = await folderWith(page);
    expect(findWebRoot(join(folder, code))).toBe(join(folder, page));
  });

  it('where a build would write it, if there is none yet', () => {
    expect(findWebRoot(join(tmpdir(), 'nowhere', 'src', 'http', 'server'))).toBe(
      join(tmpdir(), 'nowhere', 'dist', 'web'),
    );
  });
});
