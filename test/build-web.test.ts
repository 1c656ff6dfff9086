import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFolder } from '../scripts/build-web.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-build-web-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function fill(name: string): Promise<string> {
  await mkdir(join(folder, name));
  const files = ['index.html', ...Array.from({ length: 300 }, (_, index) => `part-${index}.js`)];
  await Promise.all(files.map((file) => writeFile(join(folder, name, file), name)));
  return join(folder, name);
}

it('a page of the web app can be loaded while a new build takes its place', async () => {
  const app = await fill('web');
  const replaced = replaceFolder(await fill('web-fresh'), app).then(() => true);
  const seen = new Set<boolean>();
  while (!(await Promise.race([replaced, setImmediate(false)]))) seen.add(existsSync(join(app, 'index.html')));
  expect([...seen]).toEqual([true]);
  expect(await readFile(join(app, 'index.html'), 'utf8')).toBe('web-fresh');
  expect(await readdir(folder)).toEqual(['web']);
});

it('the first build takes its place', async () => {
  await replaceFolder(await fill('web-fresh'), join(folder, 'web'));
  expect(await readdir(folder)).toEqual(['web']);
});

it('a build that cannot take its place leaves the earlier one there, and nothing else', async () => {
  const app = await fill('web');
  await expect(replaceFolder(join(folder, 'web-missing'), app)).rejects.toThrow('ENOENT');
  expect(await readdir(folder)).toEqual(['web']);
  expect(await readFile(join(app, 'index.html'), 'utf8')).toBe('web');
});
