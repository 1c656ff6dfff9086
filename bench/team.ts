import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { decide } from '../src/tools/permissions.ts';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { httpCaller, startPrintingPort, throughput } from './load.ts';
import { type BenchRow, measureRounds, median, percentile, toRow } from './measure.ts';
import { type RawResult, rawLoad } from './raw-http.ts';
import { benchPages } from './team-pages.ts';

const many = 64;
const total = 20_000;
const floor = (name: string) => join(import.meta.dirname, 'floors', name);

/** Measures calls of members over HTTP against a bare echo, permissions, and the first pages of long lists. */
export async function benchTeam(rounds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  const postgres = await startPostgres();
  try {
    const rows: BenchRow[] = [];
    const echo = await startPrintingPort(process.execPath, [floor('json-echo.ts')]);
    const sqlite = await startTeamHub(folder);
    const onPostgres = await startTeamHub(folder, await createDatabase(postgres.url));
    rows.push(...(await benchCalls(rounds, { echo, sqlite, onPostgres })));
    rows.push(...(await benchOneConnection(rounds, { echo, sqlite, folder })));
    await Promise.all([echo.stop(), sqlite.stop(), onPostgres.stop()]);
    rows.push(decideRow());
    rows.push(...(await benchPages(rounds)));
    return rows;
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Served {
  port: number;
  token?: string;
  stop(): Promise<void>;
}

/** Starts a hub that prints the member's token, then its port. */
async function startTeamHub(folder: string, url = ''): Promise<Served> {
  const script = join(import.meta.dirname, 'team-hub.ts');
  const child = spawn(process.execPath, [script, folder, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === 2) break;
  }
  const [token = '', port = ''] = said;
  return {
    port: Number(port),
    token,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

const call = { agentId: 'worker', toolName: 'noop', input: { text: 'nothing to do' } };

function leanLoad({ port, token }: Served, connections: number, count: number): Promise<RawResult> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return rawLoad({ port, path: '/mcp/execute', body: JSON.stringify(call), headers, connections, total: count });
}

async function nodeLoad({ port, token }: Served, connections: number, count: number): Promise<RawResult> {
  const caller = httpCaller(port, '/mcp/execute', connections);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const latencies: number[] = [];
  const rate = await throughput(count, connections, async () => {
    const began = performance.now();
    const { status, text } = await caller(call, headers);
    if (status !== 200) throw new Error(text);
    latencies.push(performance.now() - began);
  });
  caller.close();
  return { perSecond: rate, latencies };
}

/**
 * Measures twice: with Node's client, like every other row of these tables, and with a client so lean that only the server
 * counts. The goal applies to the first; the second shows how much of a core a call takes.
 */
async function benchCalls(
  rounds: number,
  served: { echo: Served; sqlite: Served; onPostgres: Served },
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [client, load] of [
    ['', nodeLoad],
    [', lean client', leanLoad],
  ] as const) {
    const slowest = { echo: [] as number[], sqlite: [] as number[], onPostgres: [] as number[] };
    const run = (name: keyof typeof served) => async () => {
      const result = await load(served[name], many, total);
      slowest[name].push(percentile(result.latencies, 0.99));
      return result.perSecond;
    };
    const rates = await measureRounds(rounds, {
      echo: run('echo'),
      sqlite: run('sqlite'),
      onPostgres: run('onPostgres'),
    });
    for (const [name, what, goal] of [
      ['sqlite', 'SQLite', 0.8],
      ['onPostgres', 'PostgreSQL', 0.6],
    ] as const) {
      const hasGoal = client === '';
      rows.push(
        toRow({
          what: `/mcp/execute, ${what}, ${many} connections${client}`,
          floor: 'bare JSON echo',
          ratio: rates[name] / rates.echo,
          goal: hasGoal ? goal : undefined,
          isAtLeast: true,
          detail: `${perSecond(rates[name])} of ${perSecond(rates.echo)}`,
        }),
        toRow({
          what: '… p99',
          floor: 'bare JSON echo',
          ratio: median(slowest[name]) / median(slowest.echo),
          goal: hasGoal ? 3 : undefined,
          isAtLeast: false,
          detail: `${median(slowest[name]).toFixed(1)} of ${median(slowest.echo).toFixed(1)} ms`,
        }),
      );
    }
  }
  return rows;
}

/** On one connection, a call costs two commits to disk and its HTTP round trip. */
async function benchOneConnection(
  rounds: number,
  { echo, sqlite, folder }: { echo: Served; sqlite: Served; folder: string },
): Promise<BenchRow[]> {
  const plain = new DatabaseSync(join(folder, 'plain.db'));
  plain.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table log (id integer primary key, text text)',
  );
  const insert = plain.prepare('insert into log (text) values (?)');
  const text = 'x'.repeat(200);
  const byHand = await startPrintingPort(process.execPath, [floor('json-echo.ts'), join(folder, 'by-hand.db')]);
  const alone = (served: Served) => async () => median((await leanLoad(served, 1, 2_000)).latencies);
  const times = await measureRounds(rounds, {
    call: alone(sqlite),
    echo: alone(echo),
    byHand: alone(byHand),
    commits: async () => {
      const samples: number[] = [];
      for (let index = 0; index < 2_000; index += 1) {
        const began = performance.now();
        insert.run(text);
        insert.run(text);
        samples.push(performance.now() - began);
      }
      return median(samples);
    },
  });
  plain.close();
  await byHand.stop();
  const row = (against: string, time: number, goal?: number) =>
    toRow({
      what: '/mcp/execute, SQLite, 1 connection, p50',
      floor: against,
      ratio: times.call / time,
      goal,
      isAtLeast: false,
      detail: `${times.call.toFixed(2)} of ${time.toFixed(2)} ms`,
    });
  // Back-to-back commits are faster than commits that wait for requests, because the disk stays awake. So the second row also has
  // the goal: it is the minimum for a server that makes two durable commits per request.
  return [
    row('two bare commits after each other', times.commits, 1.5),
    row('an echo that makes two bare commits', times.byHand, 1.5),
    row('a bare JSON echo', times.echo),
  ];
}

function decideRow(): BenchRow {
  const rules = {
    allow: Array.from({ length: 100 }, (_, index) => `mcp__server${index}__*_${index}*`),
    deny: Array.from({ length: 100 }, (_, index) => `*__secret${index}__*`),
  };
  const member = { id: 'a', type: 'WORKER', rules, agent: null, scope: [], taskId: null };
  const names = Array.from({ length: 1_000 }, (_, index) => `mcp__server${index % 150}__tool_${index % 150}_${index}`);
  const samples = Array.from({ length: 50 }, () => {
    const began = performance.now();
    for (const name of names)
      decide({ surface: 'http', kind: 'member', right: 'use', member }, { name, right: 'work', isForMembers: false });
    return (performance.now() - began) / names.length;
  });
  const micros = median(samples) * 1000;
  return toRow({
    what: 'decide, 200 rules, µs',
    floor: '5 µs',
    ratio: micros / 5,
    goal: 1,
    isAtLeast: false,
    detail: `${micros.toFixed(2)} µs`,
  });
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`;
}
