import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInside, scriptFiles } from './host-files.ts';

let root: string;
let folder: string;
const namesOf = (files: readonly { path: string }[]) => files.map(({ path }) => basename(path));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'zoo-lua-'));
  folder = join(root, 'scripts');
  mkdirSync(join(folder, 'data'), { recursive: true });
  writeFileSync(join(folder, 'data/known.txt'), 'known');
  writeFileSync(join(root, 'secret.txt'), 'secret');
});
afterAll(() => rmSync(root, { recursive: true }));

describe('the files of a script', () => {
  it('are read and listed, also through links that stay inside', () => {
    symlinkSync('data/known.txt', join(folder, 'inner.txt'));
    const files = scriptFiles(folder);
    expect(files.read('inner.txt').toString()).toBe('known');
    expect(files.read('./data//known.txt').toString()).toBe('known');
    expect(namesOf(files.list('.'))).toEqual(['data', 'inner.txt']);
  });

  it('are listed by name with size and time, and what was listed can be read', () => {
    writeFileSync(join(folder, 'data/.hidden.csv'), '1');
    writeFileSync(join(folder, 'data/a.csv'), '12');
    utimesSync(join(folder, 'data/a.csv'), 1_700_000_000, 1_700_000_000.9);
    const files = scriptFiles(folder);
    const listed = files.list('./data', '*.csv');
    expect(listed).toEqual([
      { path: expect.stringMatching(/^\/.*\/data\/\.hidden\.csv$/), size: 1, modified: expect.any(Number) },
      { path: expect.stringMatching(/^\/.*\/data\/a\.csv$/), size: 2, modified: 1_700_000_000 },
    ]);
    expect(files.read(listed[1]?.path ?? '').toString()).toBe('12');
    expect(namesOf(files.list('data', '{a,known}.{csv,txt}'))).toEqual(['a.csv', 'known.txt']);
    expect(files.read('data/../data/a.csv').toString()).toBe('12');
  });

  it('a file that was put in the place of another between the check and the reading is not read', () => {
    const file = join(root, 'secret.txt');
    const checked = statSync(join(folder, 'data/known.txt'));
    const read = () => readInside({ file, maxBytes: 100, shown: 'known.txt', expected: () => checked });
    expect(read).toThrow('"known.txt" was replaced while it was read');
  });

  it('a link in the place of the checked file is not followed', () => {
    const link = join(folder, 'data/link.txt');
    symlinkSync(join(root, 'secret.txt'), link);
    const read = () => readInside({ file: link, maxBytes: 100, shown: 'link.txt', expected: () => statSync(link) });
    expect(read).toThrow('"link.txt" cannot be read: too many symbolic links');
  });

  it('a pipe that nobody writes to, and a folder, are refused at once', () => {
    execFileSync('mkfifo', [join(folder, 'data/pipe')]);
    const files = scriptFiles(folder);
    expect(() => files.read('data/pipe')).toThrow('"data/pipe" is not a file');
    expect(() => files.read('data')).toThrow('"data" is not a file');
    expect(() => files.list('data/pipe')).toThrow('"data/pipe" cannot be read: it is not a folder');
  });

  it('a folder with too many entries is not listed', () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(many, name), '');
    expect(scriptFiles(folder, 4).list('many')).toHaveLength(4);
    expect(() => scriptFiles(folder, 3).list('many')).toThrow('"many" has more than 3 entries');
  });
});
