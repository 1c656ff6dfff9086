import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { queryText } from './generated-text.ts';
import { installedPackage } from './installed-package.ts';
import {
  buildGenerated,
  checkPassages,
  Fts5Passages,
  generatedDocuments,
  openGenerated,
  readyDocuments,
} from './knowledge-corpus.ts';
import type { HubFigures } from './knowledge-hub.ts';
import { type BenchRow, measureRounds, percentile, toRow } from './measure.ts';
import { type OpenKnowledgeBase, syncAll } from './retrieval/our-search.ts';
import { measureVectors } from './vectors.ts';

export interface KnowledgeBenchOptions {
  rounds: number;
  /** The number of one-kilobyte passages. The small index and the indexing rate use a tenth. */
  passages: number;
  /** The size of the sync whose pauses are measured. */
  files: number;
}

const queriesOfRound = 50;
/** The speed of FTS5 depends on word frequency, so the benchmark asks whole questions and rare words alone. */
const dullWords = 50;

/** Measures the speed of the knowledge base against SQLite's full-text search over the same passages. */
export async function benchKnowledge(options: KnowledgeBenchOptions): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-knowledge-'));
  try {
    return [
      await benchIndexing(folder, options),
      ...(await benchSearch(folder, options)),
      await measureVectors(options.rounds),
      ...(await benchHub(options)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures indexing, from contents to a published index, against bare inserts in one transaction. */
async function benchIndexing(folder: string, { rounds, passages }: KnowledgeBenchOptions): Promise<BenchRow> {
  const count = passages / 10;
  const documents = readyDocuments(count);
  let turn = 0;
  const perSecond = async (run: (path: string) => Promise<void>) => {
    turn += 1;
    const path = join(folder, `indexing-${turn}.db`);
    const began = performance.now();
    await run(path);
    const rate = (count / (performance.now() - began)) * 1000;
    removeDatabase(path);
    return rate;
  };
  const rates = await measureRounds(rounds, {
    ours: () =>
      perSecond(async (path) => {
        const base = await openGenerated({ path }, documents);
        await syncAll(base);
        await checkPassages(base, count);
        await base.close();
      }),
    fts5: () =>
      perSecond(async (path) => {
        const table = new Fts5Passages(path);
        table.insert(documents);
        table.close();
      }),
  });
  return toRow({
    what: `index ${thousands(count)} passages of 1 KB`,
    floor: 'FTS5 inserts, one transaction',
    ratio: rates.ours / rates.fts5,
    goal: 0.2,
    isAtLeast: true,
    detail: `${Math.round(rates.ours)}/s of ${Math.round(rates.fts5)}/s`,
  });
}

async function benchSearch(folder: string, { rounds, passages }: KnowledgeBenchOptions): Promise<BenchRow[]> {
  const server = await startPostgres();
  const opened: OpenKnowledgeBase[] = [];
  const build = async (db: { path: string } | { url: string }, count: number) => {
    const base = await buildGenerated(db, count);
    opened.push(base);
    return base;
  };
  const fts5 = new Fts5Passages(join(folder, 'fts5.db'));
  try {
    fts5.insert(generatedDocuments(passages));
    const largePath = join(folder, 'large.db');
    const [small, large, postgres] = [
      await build({ path: join(folder, 'small.db') }, passages / 10),
      await build({ path: largePath }, passages),
      await build({ url: await createDatabase(server.url) }, passages),
    ];
    const contestants = {
      fts5: async (query: string) => fts5.search(query),
      small: searchOf(small),
      large: searchOf(large),
      postgres: searchOf(postgres),
    };
    const all = await timeSearches(rounds, contestants, (turn) => queryText(turn));
    const rare = await timeSearches(rounds, contestants, (turn) => queryText(turn, { rarerThan: dullWords }));
    return [
      ...searchRows(all, passages, 'frequent words too'),
      ...searchRows(rare, passages, 'rarer words'),
      sizeRow(largePath, passages),
    ];
  } finally {
    for (const base of opened) await base.close();
    fts5.close();
    await server.stop();
  }
}

type Contestant = 'fts5' | 'small' | 'large' | 'postgres';

/** Runs each query once on every contestant in turn, so that none can cache it. The first round warms up. */
async function timeSearches(
  rounds: number,
  contestants: Record<Contestant, (query: string) => Promise<number>>,
  queryOf: (turn: number) => string,
): Promise<Record<Contestant, number[]>> {
  const times: Record<Contestant, number[]> = { fts5: [], small: [], large: [], postgres: [] };
  const found: Record<Contestant, number> = { fts5: 0, small: 0, large: 0, postgres: 0 };
  for (let turn = 0; turn < queriesOfRound * (rounds + 1); turn += 1) {
    const query = queryOf(turn);
    for (const name of Object.keys(times) as Contestant[]) {
      const began = performance.now();
      found[name] += await contestants[name](query);
      if (turn >= queriesOfRound) times[name].push(performance.now() - began);
    }
  }
  if (found.fts5 === 0 || found.large !== found.postgres)
    throw new Error(`not everybody searched the same: ${JSON.stringify(found)}`);
  return times;
}

/** Searches like every surface: ranked, rescored, with passages and snippets. */
function searchOf({ knowledge }: OpenKnowledgeBase): (query: string) => Promise<number> {
  return async (query) => (await knowledge.search({ query, mode: 'keyword' })).length;
}

function searchRows(times: Record<Contestant, number[]>, passages: number, kind: string): BenchRow[] {
  const at = (name: Contestant, share: number) => percentile(times[name], share);
  const detail = (name: Contestant) => `${ms(at(name, 0.5))} p50, ${ms(at(name, 0.99))} p99`;
  const size = thousands(passages);
  const most = { isAtLeast: false };
  return [
    toRow({
      ...most,
      what: `search ${size}, ${kind}, p50`,
      floor: 'bare FTS5 OR',
      ratio: at('large', 0.5) / at('fts5', 0.5),
      goal: 0.5,
      detail: `${detail('large')}; FTS5 ${detail('fts5')}`,
    }),
    toRow({
      ...most,
      what: `search ${size}, ${kind}, p99`,
      floor: `ours over ${thousands(passages / 10)}`,
      ratio: at('large', 0.99) / at('small', 0.99),
      goal: 4,
      detail: `${ms(at('large', 0.99))} of ${ms(at('small', 0.99))}`,
    }),
    toRow({
      ...most,
      what: `… on PostgreSQL, p50`,
      floor: 'ours on SQLite',
      ratio: at('postgres', 0.5) / at('large', 0.5),
      goal: 2,
      detail: detail('postgres'),
    }),
  ];
}

function sizeRow(path: string, passages: number): BenchRow {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const index = numberOf(
      db,
      `select sum(pgsize) as n from dbstat where name in
        (select name from sqlite_schema where tbl_name in ('knowledge_postings', 'knowledge_segments'))`,
    );
    const text = numberOf(db, 'select sum(size) as n from knowledge_documents');
    return toRow({
      what: `index of ${thousands(passages)} passages, bytes`,
      floor: 'bytes of the text',
      ratio: index / text,
      goal: 0.3,
      isAtLeast: false,
      detail: `${megabytes(index)} of ${megabytes(text)}`,
    });
  } finally {
    db.close();
  }
}

async function benchHub({ files }: KnowledgeBenchOptions): Promise<BenchRow[]> {
  const script = join(import.meta.dirname, 'knowledge-hub.ts');
  const published = await installedPackage();
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(files), published.library]);
  const { luaPrompt, search, pauses, syncMs } = JSON.parse(stdout) as HubFigures;
  return [
    toRow({
      what: 'Lua prompt with one search, p50',
      floor: '3 ms',
      ratio: luaPrompt / 3,
      goal: 1,
      isAtLeast: false,
      detail: `${ms(luaPrompt)}; a search alone ${ms(search)}`,
    }),
    toRow({
      what: `longest pause, sync of ${thousands(files)} files`,
      floor: '50 ms',
      ratio: pauses.pauseMs / 50,
      goal: 1,
      isAtLeast: false,
      detail: `${ms(pauses.pauseMs)} by the clock, ${ms(pauses.busyMs)} computing; sync ${(syncMs / 1000).toFixed(1)} s`,
    }),
  ];
}

function numberOf(db: DatabaseSync, query: string): number {
  return Number(db.prepare(query).get()?.n);
}

function removeDatabase(path: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 2 : 0)} ms`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
