import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createDatabase, startPostgres } from '../test/support/databases/postgres.ts';
import { type Served, startPrintingPort } from './load.ts';
import { type BenchRow, cpuMillisecondsOf, measureRounds, median, percentile, rate, toRow } from './measure.ts';
import type { PackageBench } from './package.ts';
import { rawLoad } from './raw-http.ts';

const run = promisify(execFile);
const connections = 64;
const total = 20_000;

interface Member {
  served: Served;
  token: string | undefined;
}

/** Measures a member's `POST /mcp/execute` against a bare JSON echo, on both databases. */
export async function benchExecute({ rounds, zoo, folder }: PackageBench): Promise<BenchRow[]> {
  const postgres = await startPostgres();
  try {
    const floor = join(import.meta.dirname, 'floors', 'json-echo.ts');
    const echo = { served: await startPrintingPort(process.execPath, [floor]), token: undefined };
    const member = (name: string, env: Record<string, string>) =>
      serveMember(zoo, { AGENT_ZOO_HOME: join(folder, name), ZOO_LOG: 'error', ...env });
    const sqlite = await member('sqlite', {});
    const onPostgres = await member('postgres', { DATABASE_URL: await createDatabase(postgres.url) });
    const all = { echo, sqlite, onPostgres };
    const cpu = { echo: [] as number[], sqlite: [] as number[], onPostgres: [] as number[] };
    const slowest = { echo: [] as number[], sqlite: [] as number[], onPostgres: [] as number[] };
    const measure = (name: keyof typeof all) => async () => {
      const { served, token } = all[name];
      const before = cpuMillisecondsOf(served.pid);
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const body = JSON.stringify({ agentId: 'worker', toolName: 'mcp__agent__get_status', input: {} });
      const result = await rawLoad({ port: served.port, path: '/mcp/execute', body, headers, connections, total });
      cpu[name].push(((cpuMillisecondsOf(served.pid) - before) / total) * 1000);
      slowest[name].push(percentile(result.latencies, 0.99));
      return result.perSecond;
    };
    const rates = await measureRounds(rounds, {
      echo: measure('echo'),
      sqlite: measure('sqlite'),
      onPostgres: measure('onPostgres'),
    });
    await Promise.all(Object.values(all).map(({ served }) => served.stop()));
    const row = (name: 'sqlite' | 'onPostgres', database: string) =>
      toRow({
        what: `/mcp/execute, ${database}, ${connections} in flight`,
        floor: 'bare JSON echo',
        ratio: rates[name] / rates.echo,
        goal: 0.55,
        isAtLeast: true,
        detail: `${rate(rates[name])} of ${rate(rates.echo)}; CPU ${median(cpu[name]).toFixed(0)} of ${median(cpu.echo).toFixed(0)} µs; p99 ${median(slowest[name]).toFixed(1)} ms`,
      });
    return [row('sqlite', 'SQLite'), row('onPostgres', 'PostgreSQL')];
  } finally {
    await postgres.stop();
  }
}

async function serveMember(zoo: string, env: Record<string, string>): Promise<Member> {
  const options = { env: { ...process.env, ...env } };
  const { stdout } = await run(process.execPath, [zoo, 'team', 'add', 'worker', '--json'], options);
  const { token } = JSON.parse(stdout) as { token: string };
  return { token, served: await startPrintingPort(process.execPath, [zoo, 'serve', '--bind', '127.0.0.1:0'], env) };
}
