import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compilePrompt } from '../src/agents/compile-prompt.ts';
import { createHub } from '../src/index.ts';
import { httpCaller, StdioPeer, startPrintingPort, throughput } from './load.ts';
import { type BenchRow, measureRounds, median, toRow } from './measure.ts';
import { publishedCopy } from './published-copy.ts';

const inFlight = 16;
const floor = (name: string) => join(import.meta.dirname, 'floors', name);

interface Bench {
  rounds: number;
  env: { AGENT_ZOO_HOME: string; ZOO_LOG: string };
  published: ReturnType<typeof publishedCopy>;
  rows: BenchRow[];
}

/** Agents over MCP: calls, lists and the start, each against the least it could cost. */
export async function benchHub(rounds: number): Promise<BenchRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  const env = { AGENT_ZOO_HOME: dataDir, ZOO_LOG: 'error' };
  const bench: Bench = { rounds, env, published: publishedCopy(), rows: [] };
  try {
    await makeBenchAgent(dataDir);
    await benchStdio(bench);
    await benchHttp(bench);
    await benchColdStart(bench);
    await benchLists(bench);
    bench.rows.push(compileRow());
    return bench.rows;
  } finally {
    bench.published.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function makeBenchAgent(home: string): Promise<void> {
  const hub = await createHub({ db: { path: join(home, 'zoo.sqlite') }, watch: false });
  const skills = ['Naming', 'Tests', 'Errors'].map((name, index) => ({
    id: `s${index}`,
    name,
    description: 'Say it once. '.repeat(6),
    categoryId: null,
    enabled: true,
  }));
  await hub.agentStore.create({
    id: 'bench',
    name: 'Bench',
    description: '',
    version: '1.0.0',
    mode: 'interactive',
    systemPrompt: 'You review code against the conventions of the project. '.repeat(4),
    skillCategories: [],
    skills,
    tools: [],
    arguments: [],
    exposes: [],
    shareContext: false,
    knowledge: [],
    contextRefs: [],
    model: null,
    modelSettings: {},
    toolPermission: 'tool',
    source: 'store',
  });
  await hub.close();
}

function injectParams(): object {
  return { name: 'agent_zoo_inject', arguments: { agentId: 'bench' } };
}

async function benchStdio({ rounds, env, published, rows }: Bench): Promise<void> {
  const ours = new StdioPeer(process.execPath, [published.zoo, 'mcp'], env);
  const sdk = new StdioPeer(process.execPath, [floor('sdk-stdio.ts')]);
  // What the disk allows: by hand, without any check, but with the two commits.
  const byHand = new StdioPeer(process.execPath, [
    floor('stdio-commits.ts'),
    join(env.AGENT_ZOO_HOME, 'by-hand.sqlite'),
  ]);
  // The same hub with no disk below it shows how much of the ratio is the disk's fsync.
  const diskless = existsSync('/dev/shm') ? await disklessPeer(env, published.zoo) : undefined;
  await Promise.all([ours, sdk, byHand, diskless?.peer].map((peer) => peer?.initialize()));
  const total = 20_000;
  const call = (peer: StdioPeer, params: object) => () =>
    throughput(total, inFlight, () => peer.request('tools/call', params));
  const inject = (peer: StdioPeer) => call(peer, injectParams());
  const echo = (peer: StdioPeer) => call(peer, { name: 'echo', arguments: { agentId: 'bench' } });
  const rates = await measureRounds(rounds, {
    ours: inject(ours),
    diskless: diskless ? inject(diskless.peer) : async () => Number.NaN,
    sdk: echo(sdk),
    byHand: echo(byHand),
  });
  await Promise.all([ours, sdk, byHand, diskless].map((peer) => peer?.close()));
  const against = { floor: 'SDK Server echo', isAtLeast: true };
  rows.push(
    toRow({
      ...against,
      what: 'inject, stdio, 16 in flight',
      ratio: rates.ours / rates.sdk,
      goal: 0.7,
      detail: `${perSecond(rates.ours)} of ${perSecond(rates.sdk)}`,
    }),
  );
  rows.push(
    toRow({
      ...against,
      what: '… by hand, with two commits',
      ratio: rates.byHand / rates.sdk,
      detail: `${perSecond(rates.byHand)} of ${perSecond(rates.sdk)}`,
    }),
  );
  if (!diskless) return;
  rows.push(
    toRow({
      ...against,
      what: '… database in memory',
      ratio: rates.diskless / rates.sdk,
      detail: `${perSecond(rates.diskless)} of ${perSecond(rates.sdk)}`,
    }),
  );
}

async function disklessPeer(env: Bench['env'], zoo: string): Promise<{ peer: StdioPeer; close(): Promise<void> }> {
  const home = mkdtempSync('/dev/shm/agent-zoo-bench-');
  await makeBenchAgent(home);
  const peer = new StdioPeer(process.execPath, [zoo, 'mcp'], { ...env, AGENT_ZOO_HOME: home });
  return {
    peer,
    async close() {
      await peer.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function benchHttp({ rounds, env, published, rows }: Bench): Promise<void> {
  const ours = await startPrintingPort(process.execPath, [published.zoo, 'serve', '--bind', '127.0.0.1:0'], env);
  const sdk = await startPrintingPort(process.execPath, [floor('sdk-http.ts')]);
  const plain = await startPrintingPort(process.execPath, [floor('plain-http.ts')]);
  const callOurs = httpCaller(ours.port, '/mcp', inFlight);
  const callSdk = httpCaller(sdk.port, '/mcp', inFlight);
  const callPlain = httpCaller(plain.port, '/mcp', inFlight);
  const session = await callOurs({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  });
  const headers = { 'mcp-session-id': String(session.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
  await callOurs({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  let id = 0;
  const message = (params: object) => ({ jsonrpc: '2.0', id: ++id, method: 'tools/call', params });
  const echo = { name: 'echo', arguments: { agentId: 'bench' } };
  const probe = await callOurs(message(injectParams()), headers);
  if (!probe.text.includes('You are now Bench'))
    throw new Error(`inject over HTTP answered ${probe.status}: ${probe.text.slice(0, 300)}`);
  const rates = await measureRounds(rounds, {
    ours: () => throughput(8_000, inFlight, () => callOurs(message(injectParams()), headers)),
    sdk: () => throughput(3_000, inFlight, () => callSdk(message(echo))),
    plain: () => throughput(8_000, inFlight, () => callPlain(message(echo))),
  });
  for (const call of [callOurs, callSdk, callPlain]) call.close();
  await Promise.all([ours.stop(), sdk.stop(), plain.stop()]);
  rows.push(
    toRow({
      what: 'inject, HTTP, 16 in flight',
      floor: 'SDK createMcpHandler echo',
      ratio: rates.ours / rates.sdk,
      goal: 1,
      isAtLeast: true,
      detail: `${perSecond(rates.ours)} of ${perSecond(rates.sdk)}`,
    }),
  );
  rows.push(
    toRow({
      what: 'inject, HTTP, 16 in flight',
      floor: 'hand-written JSON-RPC echo',
      ratio: rates.ours / rates.plain,
      isAtLeast: true,
      detail: `${perSecond(rates.ours)} of ${perSecond(rates.plain)}`,
    }),
  );
}

async function benchColdStart({ rounds, env, published, rows }: Bench): Promise<void> {
  const start = (args: string[]) => async () => {
    const began = performance.now();
    const peer = new StdioPeer(process.execPath, args, env);
    await peer.initialize();
    await peer.request('tools/list', {});
    const took = performance.now() - began;
    await peer.close();
    return took;
  };
  const times = await measureRounds(Math.max(rounds, 7), {
    ours: start([published.zoo, 'mcp']),
    sdk: start([floor('sdk-minimal.mjs')]),
  });
  rows.push(
    toRow({
      what: 'cold start to tools/list',
      floor: 'minimal SDK server',
      ratio: times.ours / times.sdk,
      goal: 1,
      isAtLeast: false,
      detail: `${times.ours.toFixed(0)} ms of ${times.sdk.toFixed(0)} ms`,
    }),
  );
}

async function benchLists({ rounds, env, rows }: Bench): Promise<void> {
  const ours = new StdioPeer(process.execPath, [join(import.meta.dirname, 'hub-with-lists.ts'), '1000', '10000'], env);
  const sdk = new StdioPeer(process.execPath, [floor('sdk-stdio.ts'), '1000', '10000']);
  await Promise.all([ours.initialize(), sdk.initialize()]);
  for (const [method, key, expected] of [
    ['tools/list', 'tools', 1000],
    ['prompts/list', 'prompts', 10_000],
  ] as const) {
    const times = await measureRounds(rounds * 3, {
      ours: () => listAll(ours, method, key, expected),
      sdk: () => listAll(sdk, method, key, expected),
    });
    rows.push(
      toRow({
        what: `${method}, ${expected}`,
        floor: 'SDK Server, one page',
        ratio: times.ours / times.sdk,
        goal: 1.3,
        isAtLeast: false,
        detail: `${times.ours.toFixed(1)} ms of ${times.sdk.toFixed(1)} ms`,
      }),
    );
  }
  await Promise.all([ours.close(), sdk.close()]);
}

/** Milliseconds until every page is here. */
async function listAll(peer: StdioPeer, method: string, key: string, atLeast: number): Promise<number> {
  const began = performance.now();
  let count = 0;
  let cursor: string | undefined;
  do {
    const { result } = await peer.request(method, cursor === undefined ? {} : { cursor });
    const page = result as Record<string, unknown[]> & { nextCursor?: string };
    count += page[key]?.length ?? 0;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  if (count < atLeast) throw new Error(`${method} listed ${count}, not ${atLeast}`);
  return performance.now() - began;
}

function compileRow(): BenchRow {
  const skills = Array.from({ length: 50 }, (_, index) => ({
    id: `s${index}`,
    name: `Skill ${index}`,
    description: 'x'.repeat(2048),
    categoryId: null,
    enabled: true,
  }));
  const agent = { id: 'big', name: 'Big', systemPrompt: 'You are big.', skills };
  const samples = Array.from({ length: 2_000 }, () => {
    const began = performance.now();
    // Reading a character makes the engine join the pieces, as sending the text would.
    if (compilePrompt(agent).text.charCodeAt(100_000) === 0) throw new Error('unexpected');
    return performance.now() - began;
  });
  const took = median(samples);
  return toRow({
    what: 'compile 50 skills × 2 KB',
    floor: '0.2 ms',
    ratio: took / 0.2,
    goal: 1,
    isAtLeast: false,
    detail: `${took.toFixed(3)} ms`,
  });
}

function perSecond(rate: number): string {
  return `${(rate / 1000).toFixed(1)}k/s`;
}
