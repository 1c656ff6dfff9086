import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { decide } from '../src/tools/permissions.ts';
import { createDatabase, startPostgres } from '../test/support/postgres.ts';
import { startPrintingPort } from './load.ts';
import { type BenchRow, measureRounds, median, percentile, toRow } from './measure.ts';
import { rawLoad } from './raw-http.ts';
import { benchPages } from './team-pages.ts';

const many = 64;
const total = 20_000;

/** Calls of members over HTTP against a bare echo; permissions; first pages of long lists. */
export async function benchTeam(rounds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  const postgres = await startPostgres();
  try {
    const rows: BenchRow[] = [];
    const echo = await startPrintingPort(process.execPath, [join(import.meta.dirname, 'floors', 'json-echo.ts')]);
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

/** Prints the member's token, then its port. */
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

const body = JSON.stringify({ agentId: 'worker', toolName: 'noop', input: { text: 'nothing to do' } });

function loadOf({ port, token }: Served, connections: number, count: number) {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return rawLoad({ port, path: '/mcp/execute', body, headers, connections, total: count });
}

async function benchCalls(
  rounds: number,
  served: { echo: Served; sqlite: Served; onPostgres: Served },
): Promise<BenchRow[]> {
  const latencies = { echo: [] as number[], sqlite: [] as number[], onPostgres: [] as number[] };
  const load = (name: keyof typeof served) => async () => {
    const result = await loadOf(served[name], many, total);
    latencies[name].push(percentile(result.latencies, 0.99));
    return result.perSecond;
  };
  const rates = await measureRounds(rounds, {
    echo: load('echo'),
    sqlite: load('sqlite'),
    onPostgres: load('onPostgres'),
  });
  const against = { floor: 'bare JSON echo' };
  const row = (name: 'sqlite' | 'onPostgres', what: string, goal: number) =>
    toRow({
      ...against,
      what: `/mcp/execute, ${what}, ${many} connections`,
      ratio: rates[name] / rates.echo,
      goal,
      isAtLeast: true,
      detail: `${perSecond(rates[name])} of ${perSecond(rates.echo)}`,
    });
  const slowest = (name: 'sqlite' | 'onPostgres', what: string) =>
    toRow({
      ...against,
      what: `… p99, ${what}`,
      ratio: median(latencies[name]) / median(latencies.echo),
      goal: 3,
      isAtLeast: false,
      detail: `${median(latencies[name]).toFixed(1)} of ${median(latencies.echo).toFixed(1)} ms`,
    });
  return [
    row('sqlite', 'SQLite', 0.8),
    slowest('sqlite', 'SQLite'),
    row('onPostgres', 'PostgreSQL', 0.6),
    slowest('onPostgres', 'PostgreSQL'),
  ];
}

/** Alone, a call costs two commits that reach the disk, and little else. */
async function benchOneConnection(
  rounds: number,
  { sqlite, folder }: { echo: Served; sqlite: Served; folder: string },
): Promise<BenchRow[]> {
  const plain = new DatabaseSync(join(folder, 'plain.db'));
  plain.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table log (id integer primary key, text text)',
  );
  const insert = plain.prepare('insert into log (text) values (?)');
  const row = 'x'.repeat(200);
  const times = await measureRounds(rounds, {
    call: async () => median((await loadOf(sqlite, 1, 2_000)).latencies),
    commits: async () => {
      const samples: number[] = [];
      for (let index = 0; index < 2_000; index += 1) {
        const began = performance.now();
        insert.run(row);
        insert.run(row);
        samples.push(performance.now() - began);
      }
      return median(samples);
    },
  });
  plain.close();
  return [
    toRow({
      what: '/mcp/execute, SQLite, 1 connection, p50',
      floor: 'two bare durable commits',
      ratio: times.call / times.commits,
      goal: 1.5,
      isAtLeast: false,
      detail: `${times.call.toFixed(2)} of ${times.commits.toFixed(2)} ms`,
    }),
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
    for (const name of names) decide({ surface: 'http', member }, { name, isForMembers: false });
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
