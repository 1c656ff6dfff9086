import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeCtxDatabase } from '../../../test/support/knowledge/ctx-database.ts';
import { besideCtxDatabase, isCtxDatabase } from './ctx-database.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'zoo-ctx-database-'));
  file = join(dir, 'ctx.sqlite');
});
afterEach(() => rmSync(dir, { recursive: true }));

it('a database of Context Harness is recognised, closed or open', () => {
  using database = makeCtxDatabase(file);
  expect(isCtxDatabase(file)).toBe(true);
  database.close();
  expect(isCtxDatabase(file)).toBe(true);
});

it.each<[string, () => void]>([
  ['no file', () => {}],
  ['an empty file', () => writeFileSync(file, '')],
  ['a text', () => writeFileSync(file, 'CREATE TABLE documents (dedup_hash)')],
  ['a folder', () => mkdirSync(file)],
  ['a pipe', () => execFileSync('mkfifo', [file])],
  ['a database of another program', () => new DatabaseSync(file).exec('create table documents (id text)')],
  [
    'a database with an application id',
    () => makeCtxDatabase(file).exec('pragma application_id = 1095388495; pragma wal_checkpoint(truncate)'),
  ],
])('%s is not one', (_name, make) => {
  make();
  expect(isCtxDatabase(file)).toBe(false);
});

it.each([
  ['/data/ctx.sqlite', '/data/ctx-zoo.sqlite'],
  ['/data/ctx', '/data/ctx-zoo.sqlite'],
  ['/data/my.index.db', '/data/my.index-zoo.db'],
])('our data beside %s is %s', (theirs, ours) => {
  expect(besideCtxDatabase(theirs)).toBe(ours);
});
