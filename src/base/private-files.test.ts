import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePrivateFile, makePrivateFolder } from './private-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zoo-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('new files and folders are for this user only', () => {
  makePrivateFolder(join(folder, 'a', 'b'));
  makePrivateFile(join(folder, 'a', 'b', 'c'));
  expect(['a', 'a/b', 'a/b/c'].map((path) => modeOf(join(folder, path)))).toEqual(['700', '700', '600']);
});

it('a file that everyone could read becomes private and keeps its content', () => {
  const path = join(folder, 'old');
  writeFileSync(path, 'text');
  chmodSync(path, 0o644);
  makePrivateFile(path);
  expect([modeOf(path), statSync(path).size]).toEqual(['600', 4]);
});

it('a file shared with a group keeps its mode', () => {
  const path = join(folder, 'shared');
  writeFileSync(path, 'text');
  chmodSync(path, 0o660);
  makePrivateFile(path);
  expect(modeOf(path)).toBe('660');
});

it('an existing folder keeps its mode', () => {
  const path = join(folder, 'project');
  mkdirSync(path);
  chmodSync(path, 0o755);
  makePrivateFolder(path);
  expect(modeOf(path)).toBe('755');
});
