import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Collection, type Pair, spread, toCollection, wordCount } from './collection.ts';
import { takeSentence } from './sentences.ts';

const modules = resolve(import.meta.dirname, '..', '..', 'node_modules');
/** Development dependencies of this repository, pinned by its lock; README.md names their licences. */
const packages = [
  '@base-ui/react',
  '@biomejs/biome',
  '@bomb.sh/tab',
  '@codemirror/commands',
  '@codemirror/lang-markdown',
  '@codemirror/language',
  '@codemirror/state',
  '@codemirror/view',
  '@dnd-kit/core',
  '@dnd-kit/sortable',
  '@hono/node-server',
  '@modelcontextprotocol/sdk',
  '@mozilla/readability',
  '@playwright/test',
  '@sparticuz/chromium',
  '@tanstack/react-router',
  'chokidar',
  'cmdk',
  'commander',
  'fast-check',
  'kysely',
  'linkedom',
  'mammoth',
  'mdast-util-from-markdown',
  'picomatch',
  'pino',
  'react-markdown',
  'remark-gfm',
  'smol-toml',
  'unpdf',
  'wasmoon',
];
/** Keeps one package from dominating the others. */
const maxOfPackage = 300;
const shortestText = 200;

/** Prose: the question is a sentence from a section of a README or guide, and the answer is the section without it. */
export function proseCollection(): Collection {
  const pairs = packages.flatMap((name) => {
    const files = readdirSync(join(modules, name), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.md$/i.test(file) && !/node_modules|licen[cs]e|notice|change|release/i.test(file))
      .sort();
    return spread(
      files.flatMap((file) => readSections(name, readFileSync(join(modules, name, file), 'utf8')).flatMap(toPair)),
      maxOfPackage,
    );
  });
  return toCollection('prose', pairs, { extension: 'md', maxQueries: 300 });
}

interface Section {
  title: string;
  text: string;
}

function readSections(name: string, markdown: string): Section[] {
  const sections: Section[] = [];
  let isCode = false;
  for (const line of markdown.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ title: `${name}: ${plainText(heading)}`, text: '' });
    else {
      const section = sections.at(-1);
      if (section) section.text += `${line}\n`;
    }
  }
  return sections;
}

/** Takes the sentence from a paragraph, because entries of lists and changelogs are hardly related. */
function toPair({ title, text }: Section): Pair[] {
  const blocks = text.split(/\n\s*\n/);
  let isCode = false;
  for (const [index, block] of blocks.entries()) {
    const fences = block.match(/^\s*(```|~~~)/gm)?.length ?? 0;
    if (fences % 2 === 1) isCode = !isCode;
    // Skips lists, tables, images, HTML, quotes and code.
    if (isCode || fences > 0 || /^(\s{4}|\s*([|<![>]|[-*+]\s|\d+\.\s))/.test(block)) continue;
    const taken = takeSentence(block, isQuestion);
    if (!taken) continue;
    const [sentence, others] = taken;
    const rest = blocks.with(index, others).join('\n\n').trim();
    return rest.length < shortestText ? [] : [{ title, query: plainText(sentence), text: rest }];
  }
  return [];
}

function isQuestion(sentence: string): boolean {
  const count = wordCount(sentence);
  return count >= 8 && count <= 40 && !/https?:|\.(md|js)\b/.test(sentence) && /[a-z]{3}/.test(sentence);
}

function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?/g, '$1')
    .replace(/<[^>]+>/g, '')
    .replace(/[*`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
