import { join } from 'node:path';
import { injectParams } from './bench-agent.ts';
import { httpCaller, type Served, startPrintingPort } from './load.ts';
import { type BenchRow, cpuMillisecondsOf, measureRounds, median, percentile, rate, toRow } from './measure.ts';
import type { PackageBench } from './package.ts';
import { idPlace, rawLoad } from './raw-http.ts';

const floor = (name: string) => join(import.meta.dirname, 'floors', name);
/** The p99 with 16 calls in flight before checkpoints became small. */
const formerP99 = 10;

interface Contestant {
  served: Served;
  body: string;
  headers: Record<string, string>;
  /** The share of the fastest contestant's calls: slower ones need fewer. */
  share: number;
}

/** Measures `agent_zoo_inject` over HTTP in both eras of MCP against hand-written echoes, with and without a log, and the SDK's. */
export async function benchPackageHttp({ rounds, zoo, env, folder }: PackageBench): Promise<BenchRow[]> {
  const contestants = {
    plain: await echoOn('plain-http.ts', 1),
    durable: await echoOn('durable-http.ts', 1, join(folder, 'durable.sqlite')),
    sdk: await echoOn('sdk-http.ts', 0.15),
    ...(await injectOn(zoo, env)),
  };
  const names = Object.keys(contestants) as (keyof typeof contestants)[];
  const rows: BenchRow[] = [];
  for (const { inFlight, total, goal } of [
    { inFlight: 1, total: 4_000, goal: undefined },
    { inFlight: 16, total: 20_000, goal: 0.5 },
    { inFlight: 64, total: 20_000, goal: 0.62 },
  ]) {
    const cpu = new Map(names.map((name) => [name, [] as number[]]));
    const slowest = new Map(names.map((name) => [name, [] as number[]]));
    const measure = (name: keyof typeof contestants) => async () => {
      const { served, body, headers, share } = contestants[name];
      const count = Math.ceil(total * share);
      const before = cpuMillisecondsOf(served.pid);
      const load = { port: served.port, path: '/mcp', body, headers, connections: inFlight, total: count };
      const result = await rawLoad(load);
      cpu.get(name)?.push(((cpuMillisecondsOf(served.pid) - before) / count) * 1000);
      slowest.get(name)?.push(percentile(result.latencies, 0.99));
      return result.perSecond;
    };
    const rates = await measureRounds(rounds, {
      plain: measure('plain'),
      durable: measure('durable'),
      sdk: measure('sdk'),
      session: measure('session'),
      stateless: measure('stateless'),
    });
    for (const [name, what, hasGoal] of [
      ['session', 'inject', true],
      ['stateless', 'inject, 2026-07-28', true],
      ['durable', '… by hand, one commit for a turn', false],
      ['sdk', '… SDK createMcpHandler', false],
    ] as const) {
      rows.push(
        toRow({
          what: `${what}, HTTP, ${inFlight} in flight`,
          floor: 'hand-written echo',
          ratio: rates[name] / rates.plain,
          goal: hasGoal ? goal : undefined,
          isAtLeast: true,
          detail: `${rate(rates[name])} of ${rate(rates.plain)}; CPU ${micros(cpu, name)} of ${micros(cpu, 'plain')}; p99 ${p99(slowest, name)} ms`,
        }),
      );
    }
    if (inFlight === 16) rows.push(p99Row(median(slowest.get('session') ?? [])));
  }
  await Promise.all(names.filter((name) => name !== 'stateless').map((name) => contestants[name].served.stop()));
  return rows;
}

function p99Row(milliseconds: number): BenchRow {
  return toRow({
    what: 'inject, HTTP, 16 in flight, p99',
    floor: `${formerP99} ms, with large checkpoints`,
    ratio: milliseconds / formerP99,
    goal: 0.5,
    isAtLeast: false,
    detail: `${milliseconds.toFixed(1)} ms`,
  });
}

async function echoOn(name: string, share: number, ...args: string[]): Promise<Contestant> {
  const served = await startPrintingPort(process.execPath, [floor(name), ...args]);
  const params = { name: 'echo', arguments: { agentId: 'bench' } };
  return { served, share, body: rpc(params), headers: { Accept: 'application/json, text/event-stream' } };
}

async function injectOn(
  zoo: string,
  env: PackageBench['env'],
): Promise<{ session: Contestant; stateless: Contestant }> {
  const served = await startPrintingPort(process.execPath, [zoo, 'serve', '--bind', '127.0.0.1:0'], env);
  const call = httpCaller(served.port, '/mcp', 1);
  const begun = await call({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  });
  const version = { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': String(begun.headers['mcp-session-id']) };
  await call({ jsonrpc: '2.0', method: 'notifications/initialized' }, version);
  const accept = { Accept: 'application/json, text/event-stream' };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const session = { served, share: 1, body: rpc(injectParams), headers: { ...accept, ...version } };
  const named = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': injectParams.name };
  const body = rpc({ ...injectParams, _meta });
  const stateless = { served, share: 1, body, headers: { ...accept, ...named } };
  for (const each of [session, stateless]) {
    const { status, text } = await call(JSON.parse(each.body), each.headers);
    if (!text.includes('You are now Bench'))
      throw new Error(`inject over HTTP answered ${status}: ${text.slice(0, 300)}`);
  }
  call.close();
  return { session, stateless };
}

function rpc(params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: idPlace, method: 'tools/call', params });
}

function micros<K>(samples: ReadonlyMap<K, number[]>, name: K): string {
  return `${median(samples.get(name) ?? []).toFixed(0)} µs`;
}

function p99<K>(samples: ReadonlyMap<K, number[]>, name: K): string {
  return median(samples.get(name) ?? []).toFixed(1);
}
