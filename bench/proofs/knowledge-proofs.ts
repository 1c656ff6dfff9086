import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { filesystemConnector } from '../../src/connectors/filesystem/filesystem.ts';
import { createIndexer } from '../../src/knowledge/index/indexer.ts';
import type { KnownItem } from '../../src/knowledge/store/knowledge-store.ts';
import type { SyncReport } from '../../src/knowledge/sync/sync-report.ts';
import { syncSource } from '../../src/knowledge/sync/sync-source.ts';
import { openDatabase, openStore, type StoreAddress } from '../../src/store/open-store.ts';
import { checkKnowledge } from '../../test/support/knowledge/knowledge-checks.ts';

const idleScript = fileURLToPath(new URL('../../test/support/knowledge/idle-process.ts', import.meta.url));
const syncerScript = fileURLToPath(new URL('../../test/support/knowledge/knowledge-syncer.ts', import.meta.url));

interface Pauses {
  /** By the clock. */
  pauseMs: number;
  /** Time that the thread computed. */
  busyMs: number;
  /** Of an idle process at the same time, by the clock. */
  idleMs: number;
}

export interface IncrementalProof extends Pauses {
  first: SyncReport;
  second: SyncReport;
  /** Documents whose row or number is another one although nobody changed them. */
  touchedByMistake: number;
  problems: string[];
  /** Documents per second of the first sync. */
  rate: number;
}

/** Many files; then some changed, deleted and renamed. Nothing else may be touched. */
export async function proveIncremental(options: {
  db: StoreAddress;
  root: string;
  files: number;
  changed: number;
  deleted: number;
  renamed: number;
}): Promise<IncrementalProof> {
  const { db, root, files } = options;
  await writeFiles(root, range(0, files), 0);
  const store = await openStore({ db, clock: systemClock, logger: silentLogger });
  const indexer = createIndexer({ logger: silentLogger });
  const connector = folder(root);
  const chunking = { maxTokens: 200, overlapTokens: 20 };
  const parts = { store: store.knowledge, indexer, clock: systemClock, logger: silentLogger, chunking };
  try {
    const pauses = watchPauses();
    const first = await syncSource(parts, connector);
    const longest = await pauses.stop();
    const before = await rowsOf(db);
    const [changed, deleted, renamed] = split(files, [options.changed, options.deleted, options.renamed]);
    await writeFiles(root, changed ?? [], 1);
    for (const number of deleted ?? []) await rm(fileOf(root, number));
    for (const number of renamed ?? []) await rename(fileOf(root, number), `${fileOf(root, number)}.renamed.md`);
    const second = await syncSource(parts, connector);
    const after = await rowsOf(db);
    const touched = new Set([...(changed ?? []), ...(deleted ?? []), ...(renamed ?? [])].map(nameOf));
    const mistakes = [...before].filter(([name, row]) => !touched.has(name) && after.get(name) !== row);
    const { problems } = await checkKnowledge(db);
    const rate = (files / Math.max(1, first.durationMs)) * 1000;
    return { first, second, touchedByMistake: mistakes.length, problems, rate, ...longest };
  } finally {
    await indexer.close();
    await store.close();
  }
}

export interface KillProof {
  rounds: number;
  /** Syncs that were killed before they were done. */
  killed: number;
  /** The step in the database during which each kill fell. */
  steps: Record<string, number>;
  problems: string[];
}

/**
 * In each round files change, a process syncs them and is killed with no warning in a random step; then everything
 * visible must be whole. The next process completes, and then nothing may be left over and nothing missing.
 */
export async function killDuringSync(options: {
  db: StoreAddress;
  root: string;
  files: number;
  rounds: number;
}): Promise<KillProof> {
  const { db, root, files, rounds } = options;
  const result: KillProof = { rounds, killed: 0, steps: {}, problems: [] };
  await writeFiles(root, range(0, files), 0);
  let usualSteps = (await runSyncer(db, root)).steps.length;
  for (let round = 1; round <= rounds && result.problems.length === 0; round += 1) {
    const some = range(0, files).filter(() => Math.random() < 0.5);
    await writeFiles(root, some, round);
    for (const number of range(0, files).filter(() => Math.random() < 0.05))
      await rm(fileOf(root, number), { force: true });
    const { steps, wasKilled } = await runSyncer(db, root, 1 + Math.floor(Math.random() * usualSteps));
    const step = steps.at(-1) ?? 'start';
    if (wasKilled) {
      result.killed += 1;
      result.steps[step] = (result.steps[step] ?? 0) + 1;
    }
    const between = await checkKnowledge(db, { isBetween: true });
    const completed = await runSyncer(db, root);
    usualSteps = Math.max(20, steps.length, completed.steps.length);
    const after = await checkKnowledge(db);
    result.problems.push(
      ...between.problems.map((problem) => `after the kill in round ${round} (${step}): ${problem}`),
      ...after.problems.map((problem) => `after the sync in round ${round}: ${problem}`),
      ...(await differences(db, root)).map((problem) => `after the sync in round ${round}: ${problem}`),
    );
  }
  return result;
}

/** With a number of steps: until it is killed in that step, or done before. */
async function runSyncer(
  db: StoreAddress,
  root: string,
  killAt?: number,
): Promise<{ steps: string[]; wasKilled: boolean }> {
  const child = spawn(process.execPath, [syncerScript, JSON.stringify(db), root], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    if (killAt !== undefined && output.split('\n').length > killAt) child.kill('SIGKILL');
  });
  const [errors, [code, signal]] = await Promise.all([text(child.stderr), exited, once(child.stdout, 'close')]);
  const lines = output.split('\n').slice(0, -1);
  const wasKilled = signal === 'SIGKILL';
  if (!wasKilled && code !== 0) throw new Error(`The sync ended with ${code}:\n${errors}`);
  const report = wasKilled ? undefined : (JSON.parse(lines.at(-1) ?? '{}') as SyncReport);
  if (report && (report.error !== undefined || report.failedCount > 0)) throw new Error(JSON.stringify(report));
  return { steps: lines.filter((line) => !line.startsWith('{')), wasKilled };
}

/** The database must name exactly the files that are there, know what stands in them now, and find it. */
async function differences(db: StoreAddress, root: string): Promise<string[]> {
  const store = await openStore({ db, clock: systemClock, logger: silentLogger });
  try {
    const names = new Set((await readdir(root, { recursive: true })).filter((name) => name.endsWith('.md')));
    const items = await store.knowledge.items('filesystem:proof');
    const { segments } = await store.knowledge.segments();
    const ids = segments.map(({ id }) => id);
    const terms = [...names].map((name) => `unique${/file(\d+)/.exec(name)?.[1]}`).sort();
    const { rows } = await store.knowledge.postings(ids, terms);
    const found = new Set(rows.map((row) => row.term));
    return [
      ...[...items.keys()].filter((name) => !names.has(name)).map((name) => `${name} is gone but still known`),
      ...[...names].filter((name) => !items.has(name)).map((name) => `${name} is not known`),
      ...(await otherContents(root, items)),
      ...terms.filter((term) => !found.has(term)).map((term) => `${term} is not found`),
    ];
  } finally {
    await store.close();
  }
}

async function otherContents(root: string, items: ReadonlyMap<string, KnownItem>): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, { hash }] of items) {
    const content = await readFile(join(root, name)).catch(() => undefined);
    const isSame = content && createHash('sha256').update(content).digest('hex') === hash;
    if (!isSame) problems.push(`${name} is not what stands in the file`);
  }
  return problems;
}

function folder(root: string) {
  const takes = (name: string) => name.endsWith('.md');
  return filesystemConnector({
    name: 'proof',
    root,
    follow_symlinks: false,
    max_extract_bytes: 1_000_000,
    tags: [],
    takes,
  });
}

async function rowsOf(db: StoreAddress): Promise<Map<string, string>> {
  const database = await openDatabase(db, silentLogger);
  try {
    const rows = await database.read((kysely) => kysely.selectFrom('knowledge_documents').selectAll().execute());
    return new Map(
      rows.map(({ source_id, id, doc_no, indexed_at, hash, chunks }) => [
        source_id,
        JSON.stringify([id, doc_no, indexed_at, hash, chunks]),
      ]),
    );
  } finally {
    await database.close();
  }
}

async function writeFiles(root: string, numbers: readonly number[], round: number): Promise<void> {
  for (const number of numbers) {
    const file = fileOf(root, number);
    if (number % 100 === 0) await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, contentOf(number, round));
  }
}

/** A heading, a word of its own, and some hundred words of a vocabulary as a language has it. */
function contentOf(number: number, round: number): string {
  const paragraphs = range(0, 4).map((part) => {
    const words = range(0, 50).map((index) => {
      const random = ((number * 7919 + part * 104_729 + index * 1_299_709 + round * 15_485_863) % 10_007) / 10_007;
      return `word${Math.floor(random * random * 20_000).toString(36)}`;
    });
    return `## Part ${part}\n\n${words.join(' ')}`;
  });
  return `# Document ${number}\n\nunique${number} round${round}\n\n${paragraphs.join('\n\n')}\n`;
}

function fileOf(root: string, number: number): string {
  return join(root, nameOf(number));
}

function nameOf(number: number): string {
  return `folder${Math.floor(number / 100)}/file${number}.md`;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/** Numbers spread over all, each in one group. */
function split(files: number, sizes: readonly number[]): number[][] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const step = Math.floor(files / total);
  let next = 0;
  return sizes.map((size) =>
    range(0, size).map(() => {
      next += 1;
      return (next - 1) * step;
    }),
  );
}

/** Turns of the event loop, and beside them those of a process with nothing to do: what it has to wait for is not ours. */
function watchPauses(): { stop(): Promise<Pauses> } {
  const idle = spawn(process.execPath, [idleScript], { stdio: ['pipe', 'pipe', 'inherit'] });
  const idleMs = text(idle.stdout);
  let pauseMs = 0;
  let busyMs = 0;
  let last = { at: performance.now(), used: process.threadCpuUsage() };
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last.used);
    pauseMs = Math.max(pauseMs, performance.now() - last.at);
    busyMs = Math.max(busyMs, (user + system) / 1000);
    last = { at: performance.now(), used: process.threadCpuUsage() };
  }, 1);
  return {
    async stop() {
      clearInterval(timer);
      idle.stdin.end();
      return { pauseMs, busyMs, idleMs: Number(await idleMs) };
    },
  };
}
