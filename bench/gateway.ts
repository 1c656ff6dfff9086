import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchEngine } from './engine.ts';
import { type Gateway, startPeers } from './gateway-peers.ts';
import { installedPackage } from './installed-package.ts';
import { type HttpCall, httpCaller, StdioPeer, startPrintingPort, throughput } from './load.ts';
import { type BenchRow, measureRounds, median, toRow } from './measure.ts';

const inFlight = 16;
const floor = (name: string) => join(import.meta.dirname, 'floors', name);
const echoServer = [process.execPath, floor('stdio-echo.ts')];

/** Measures external servers: calls through the hub to a stdio server against other gateways, long lists, and engine ticks. */
export async function benchGateway(rounds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  const published = await installedPackage();
  try {
    const env = { AGENT_ZOO_HOME: folder, ZOO_LOG: 'error', ZOO_CONFIG: join(folder, 'zoo.toml') };
    // The measured clients send no key.
    const open = '[server]\nanonymous = "work"\n';
    writeFileSync(env.ZOO_CONFIG, open + section('echo', [...echoServer]) + section('many', [...echoServer, '1000']));
    return [
      ...(await benchCalls({ rounds, folder, env, zoo: published.zoo })),
      ...(await benchList({ rounds, env, zoo: published.zoo })),
      ...(await benchEngine(rounds)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function section(name: string, [command, ...args]: string[]): string {
  return `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
}

interface Bench {
  rounds: number;
  env: Record<string, string>;
  zoo: string;
}

async function benchCalls({ rounds, folder, env, zoo }: Bench & { folder: string }): Promise<BenchRow[]> {
  const ours = await startPrintingPort(process.execPath, [zoo, 'serve', '--bind', '127.0.0.1:0'], env);
  const hand = await startPrintingPort(process.execPath, [floor('hand-gateway.ts'), ...echoServer.slice(1)]);
  const sdk = await startPrintingPort(process.execPath, [floor('sdk-gateway.ts'), ...echoServer.slice(1)]);
  const peers = await startPeers(echoServer, folder);
  const named = (name: string) => (id: number, text: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: { text } },
  });
  const all: Gateway[] = [
    { name: 'ours', ...ours, path: '/mcp', isMcp: true, toBody: named('mcp__echo__echo') },
    { name: 'hand-written proxy', ...hand, path: '/mcp', isMcp: false, toBody: named('echo') },
    { name: 'SDK client and server', ...sdk, path: '/mcp', isMcp: false, toBody: named('echo') },
    ...peers,
  ];
  const callers = await Promise.all(all.map(openCaller));
  const load = (index: number, many: number, total: number) => () =>
    throughput(total, many, () => callers[index]?.call() ?? Promise.reject(new Error('no caller')));
  const rates = await measureRounds(
    rounds,
    Object.fromEntries(all.map(({ name }, index) => [name, load(index, inFlight, index < 2 ? 8_000 : 2_000)])),
  );
  const single = await measureRounds(rounds, {
    ours: () => medianTime(callers[0], 500),
    hand: () => medianTime(callers[1], 500),
  });
  for (const { close } of callers) close();
  await Promise.all(all.map(({ stop }) => stop()));
  const own = rates.ours ?? Number.NaN;
  const rows = all.slice(1).map(({ name }, index) => {
    const other = rates[name] ?? Number.NaN;
    return toRow({
      what: 'tools/call through the gateway, HTTP → stdio, 16 in flight',
      floor: name,
      ratio: own / other,
      goal: index === 0 ? 0.4 : 1,
      isAtLeast: true,
      detail: `${perSecond(own)} of ${perSecond(other)}`,
    });
  });
  const added = single.ours - single.hand;
  return [
    ...rows,
    toRow({
      what: '… one call at a time, added p50',
      floor: '1 ms',
      ratio: added,
      goal: 1,
      isAtLeast: false,
      detail: `${single.ours.toFixed(2)} ms beside ${single.hand.toFixed(2)} ms`,
    }),
  ];
}

interface GatewayCaller {
  call(): Promise<void>;
  close(): void;
}

/** Opens an MCP client, with a session if the gateway requires one. It checks every reply. */
async function openCaller(gateway: Gateway): Promise<GatewayCaller> {
  const http = httpCaller(gateway.port, gateway.path, inFlight);
  const headers = gateway.isMcp ? await openSession(http) : {};
  let id = 0;
  return {
    async call() {
      id += 1;
      const text = `hello ${id}`;
      const answer = await http(gateway.toBody(id, text), headers);
      if (answer.status !== 200 || !answer.text.includes(text)) {
        throw new Error(`${gateway.name} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      }
    },
    close: http.close,
  };
}

async function openSession(http: HttpCall): Promise<Record<string, string>> {
  const { headers } = await http({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  });
  const session = headers['mcp-session-id'];
  const given = {
    'mcp-protocol-version': '2025-06-18',
    ...(session !== undefined && { 'mcp-session-id': String(session) }),
  };
  await http({ jsonrpc: '2.0', method: 'notifications/initialized' }, given);
  return given;
}

async function medianTime(caller: GatewayCaller | undefined, total: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < total; index += 1) {
    const began = performance.now();
    await caller?.call();
    times.push(performance.now() - began);
  }
  return median(times);
}

/** Lists a thousand tools of a server that is not connected: the hub knows the accepted list. */
async function benchList({ rounds, env, zoo }: Bench): Promise<BenchRow[]> {
  const peer = new StdioPeer(process.execPath, [zoo, 'mcp'], env);
  await peer.initialize();
  const { ours } = await measureRounds(rounds * 3, {
    ours: async () => {
      const began = performance.now();
      let count = 0;
      let cursor: string | undefined;
      do {
        const { result } = await peer.request('tools/list', cursor === undefined ? {} : { cursor });
        const page = result as { tools: unknown[]; nextCursor?: string };
        count += page.tools.length;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      if (count < 1_000) throw new Error(`only ${count} tools were listed`);
      return performance.now() - began;
    },
  });
  await peer.close();
  return [
    toRow({
      what: 'tools/list, 1,000 external tools, from the accepted list',
      floor: '10 ms',
      ratio: ours / 10,
      goal: 1,
      isAtLeast: false,
      detail: `${ours.toFixed(1)} ms`,
    }),
  ];
}

function perSecond(rate: number): string {
  return `${(rate / 1000).toFixed(1)}k/s`;
}
