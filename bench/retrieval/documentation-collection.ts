import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Collection, type Pair, toCollection, wordCount } from './collection.ts';
import { type CommentedDeclaration, readDocComments } from './doc-comments.ts';
import { takeSentence } from './sentences.ts';

const types = resolve(import.meta.dirname, '..', '..', 'node_modules', '@types', 'node');
const fewestWords = 5;
const shortestText = 200;

/** Documentation: the question is the first sentence about a Node function, and the answer is the rest of its reference. */
export function documentationCollection(): Collection {
  const files = readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  const pairs = files.sort().flatMap((name) => {
    // Skips copies for older compilers.
    if (/^ts\d/.test(name)) return [];
    return readDocComments(name, readFileSync(join(types, name), 'utf8')).flatMap(toPair);
  });
  return toCollection('documentation', pairs, { extension: 'md', maxQueries: 300 });
}

function toPair({ names, comment }: CommentedDeclaration): Pair[] {
  const [description = '', ...tags] = comment.split(/^(?=@[a-z])/m);
  const [first, rest] = takeSentence(description, () => true) ?? ['', description];
  const name = names.at(-1) ?? '';
  // Removes the name: whoever knows it would not describe the function.
  const namesItself = new RegExp(`\\b${RegExp.escape(name)}\\b`).test(first);
  const text = [rest, ...tags.filter((tag) => !/^@(since|see|default)/.test(tag))].join('\n').trim();
  if (name === '' || namesItself || wordCount(first) < fewestWords || text.length < shortestText) return [];
  return [{ title: names.join('.'), query: first, text }];
}
