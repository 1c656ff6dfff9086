import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RetrievalConfig } from '../../src/config/config.ts';
import { createDatabase, startPostgres } from '../../test/support/databases/postgres.ts';
import { mark, printCells } from '../measure.ts';
import { openCachedEmbedder } from './cached-embedder.ts';
import { codeCollection } from './code-collection.ts';
import type { Collection } from './collection.ts';
import { documentationCollection } from './documentation-collection.ts';
import type { Quality } from './evaluate.ts';
import { type HybridQuality, measureHybrid } from './hybrid.ts';
import { proseCollection } from './prose-collection.ts';
import { type KeywordQuality, measureKeyword } from './quality.ts';

interface Measured {
  collection: Collection;
  keyword: KeywordQuality;
  hybrid: HybridQuality;
}

const leastAboveFts5 = 0.1;

/** Measures search quality: prints every contestant on every collection, then the targets. */
export async function benchRetrieval(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-retrieval-'));
  const server = await startPostgres();
  const embedder = openCachedEmbedder();
  const chosen = RetrievalConfig.parse({}).hybrid_alpha;
  const alphas = [...new Set([0, 0.2, 0.4, 0.6, 0.8, chosen])].sort((a, b) => a - b);
  try {
    const measured: Measured[] = [];
    for (const collection of [codeCollection(), documentationCollection(), proseCollection()]) {
      const postgres = { url: await createDatabase(server.url) };
      const keyword = await measureKeyword(collection, { sqlite: { path: ':memory:' }, postgres });
      const hybrid = await measureHybrid(collection, { embedder, folder, alphas });
      measured.push({ collection, keyword, hybrid });
    }
    printQualities(measured, alphas);
    process.stdout.write('\n');
    printCells(goalsOf(measured, alphas, chosen));
  } finally {
    await embedder.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function printQualities(measured: readonly Measured[], alphas: readonly number[]): void {
  const row = (name: string, cell: (each: Measured) => string) => [name, ...measured.map(cell)];
  printCells([
    row('nDCG@10, recall@100', ({ collection }) => collection.name),
    row('documents, queries', ({ collection }) => `${collection.documents.length}, ${collection.queries.length}`),
    row('FTS5, words joined by AND', ({ keyword }) => show(keyword.fts5And)),
    row('FTS5, words joined by OR', ({ keyword }) => show(keyword.fts5)),
    row("Lucene's BM25", ({ keyword }) => show(keyword.lucene)),
    row('ours by words', ({ keyword }) => show(keyword.ours)),
    [],
    row('part of it', ({ hybrid }) => `${hybrid.documents}, ${hybrid.queries}`),
    row('ours by words', ({ hybrid }) => show(hybrid.keyword)),
    ...alphas.map((alpha, index) => row(`… and meaning, alpha ${alpha}`, ({ hybrid }) => show(hybrid.hybrid[index]))),
  ]);
}

function goalsOf(measured: readonly Measured[], alphas: readonly number[], chosen: number): string[][] {
  const keyword = (name: string, goal: number, those: readonly Measured[], floor: 'lucene' | 'fts5') => {
    const gaps = those.map((each) => each.keyword.ours.ndcg10 - each.keyword[floor].ndcg10);
    const detail = those.map(({ collection }, index) => `${collection.name} ${signed(gaps[index] ?? 0)}`).join(', ');
    return [mark(gaps.every((gap) => gap >= goal && gap > 0)), name, detail];
  };
  const differing = measured.flatMap((each) => each.keyword.differing);
  const asked = measured.reduce((sum, { collection }) => sum + collection.queries.length, 0);
  const gapsOf = (index: number) =>
    measured.map(({ hybrid }) => (hybrid.hybrid[index]?.ndcg10 ?? 0) - hybrid.keyword.ndcg10);
  const best = alphas.reduce((one, _, index) => (sum(gapsOf(index)) > sum(gapsOf(one)) ? index : one), 0);
  const chosenGaps = gapsOf(alphas.indexOf(chosen));
  return [
    keyword("words above Lucene's BM25", 0, measured, 'lucene'),
    keyword(
      `words ≥ ${leastAboveFts5} above FTS5 where it is not prose`,
      leastAboveFts5,
      measured.filter(({ collection }) => collection.name !== 'prose'),
      'fts5',
    ),
    keyword('words above FTS5', 0, measured, 'fts5'),
    [
      mark(chosenGaps.every((gap) => gap >= 0)),
      `hybrid never below words, default alpha ${chosen}`,
      `${measured.map(({ collection }, index) => `${collection.name} ${signed(chosenGaps[index] ?? 0)}`).join(', ')}; best on average is ${alphas[best]}`,
    ],
    [
      mark(differing.length === 0),
      'the same ranking on both databases',
      `${asked - differing.length} of ${asked} queries${differing.length > 0 ? `; not: ${differing[0]}` : ''}`,
    ],
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function show(quality: Quality | undefined): string {
  return quality ? `${quality.ndcg10.toFixed(3)}  ${quality.recall100.toFixed(3)}` : '–';
}

function signed(gap: number): string {
  return `${gap >= 0 ? '+' : '−'}${Math.abs(gap).toFixed(3)}`;
}
