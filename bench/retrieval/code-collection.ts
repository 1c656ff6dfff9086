import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Collection, type Pair, toCollection, wordCount } from './collection.ts';
import { readDocComments } from './doc-comments.ts';

const root = resolve(import.meta.dirname, '..', '..');
const folders = ['src', 'web', 'scripts', 'bench', 'test/support'];
const fewestWords = 5;
const shortestCode = 120;

/** Code: the question is the doc comment of a declaration in this repository, and the answer is the declaration without it. */
export function codeCollection(): Collection {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => join(root, folder, name)),
  );
  const pairs = files.sort().flatMap((file) => pairsOf(file, readFileSync(file, 'utf8')));
  return toCollection('code', pairs, { extension: 'ts', maxQueries: 300 });
}

function pairsOf(file: string, source: string): Pair[] {
  return readDocComments(file, source)
    .map(({ names, comment, code }) => ({
      title: names.at(-1) ?? '',
      query: comment.replace(/\s+/g, ' '),
      text: code,
    }))
    .filter(({ query, text }) => wordCount(query) >= fewestWords && text.length >= shortestCode);
}
