import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { benchFirstToken } from './chat-first-token.ts';
import { type HttpCall, httpCaller, startPrintingPort, throughput } from './load.ts';
import { type BenchRow, measureRounds, percentile, toRow } from './measure.ts';

const inFlight = 16;
const manySessions = 200;
const floor = (name: string) => join(import.meta.dirname, 'floors', name);
const zoo = join(import.meta.dirname, '..', 'bin', 'zoo.js');

const config = `[server]
anonymous = "work"

[engine]
model = "openai-compatible/bench"

[agents.flights]
mode = "tools"
system_prompt = "You book flights."

[[agents.flights.exposes]]
name = "book_flight"
description = "Books a flight."
prompt = "A flight to {destination}, number {number}"

[agents.flights.exposes.parameters]
type = "object"
required = ["destination", "number"]

[agents.flights.exposes.parameters.properties.destination]
type = "string"

[agents.flights.exposes.parameters.properties.number]
type = "integer"

[agents.guide]
system_prompt = "You know the way."
`;

interface Bench {
  rounds: number;
  port: number;
}

/** Measures agents with a model that answers at once: the overhead per call, the spread of concurrent calls, and the first token of a chat. */
export async function benchChat(rounds: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-bench-'));
  const model = await startPrintingPort(process.execPath, [floor('model-answer.ts')]);
  const modelUrl = `http://127.0.0.1:${model.port}/v1`;
  const env = {
    AGENT_ZOO_HOME: folder,
    ZOO_CONFIG: join(folder, 'zoo.toml'),
    ZOO_LOG: 'error',
    OPENAI_COMPATIBLE_BASE_URL: modelUrl,
  };
  writeFileSync(env.ZOO_CONFIG, config);
  const ours = await startPrintingPort(process.execPath, [zoo, 'serve', '--bind', '127.0.0.1:0'], env);
  const sdk = await startPrintingPort(process.execPath, [floor('generate-text.ts'), modelUrl]);
  try {
    const bench = { rounds, port: ours.port };
    const url = `http://127.0.0.1:${ours.port}`;
    return [
      ...(await benchCalls(bench, sdk.port)),
      await benchSessions(bench),
      await benchFirstToken({ url, modelUrl, agentId: 'guide' }),
    ];
  } finally {
    await Promise.all([ours.stop(), sdk.stop(), model.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchCalls({ rounds, port }: Bench, sdkPort: number): Promise<BenchRow[]> {
  const { call, close } = await openCaller(port, inFlight);
  const plain = httpCaller(sdkPort, '/', inFlight);
  const bare = httpCaller(sdkPort, '/bare', 1);
  const total = 1_500;
  const sdk = async (streams: boolean) => JSON.parse((await bare({ total, inFlight, streams })).text).perSecond;
  const rates = await measureRounds(rounds, {
    ours: () => throughput(total, inFlight, call),
    bare: () => sdk(false),
    streamed: () => sdk(true),
    plain: () => throughput(total, inFlight, (index) => plain({ prompt: `A flight to Paris, number ${index}` })),
  });
  for (const each of [close, plain.close, bare.close]) each();
  const what = 'Tools-mode call over HTTP, 16 in flight';
  const row = (against: string, rate: number, goal?: number) =>
    toRow({
      what,
      floor: against,
      ratio: rate / rates.ours,
      goal,
      isAtLeast: false,
      detail: `${(1000 / rates.ours).toFixed(2)} ms of ${(1000 / rate).toFixed(2)} ms a call`,
    });
  // The engine streams, because proxies cut off an answer that takes minutes and arrives in one piece.
  return [
    row('generateText', rates.bare, 1.5),
    row('streamText, as the engine asks', rates.streamed),
    row('generateText behind node:http', rates.plain),
  ];
}

async function benchSessions({ port }: Bench): Promise<BenchRow> {
  const callers = await Promise.all(Array.from({ length: manySessions }, () => openCaller(port, 1)));
  const load = async (times: number) => {
    const took: number[] = [];
    await Promise.all(
      callers.map(async ({ call }) => {
        for (let index = 0; index < times; index += 1) {
          const began = performance.now();
          await call(index);
          took.push(performance.now() - began);
        }
      }),
    );
    return took;
  };
  await load(3);
  const took = await load(15);
  for (const { close } of callers) close();
  const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
  return toRow({
    what: `${manySessions} sessions at once, p99`,
    floor: 'their p50',
    ratio: p99 / p50,
    goal: 5,
    isAtLeast: false,
    detail: `${p99.toFixed(0)} ms of ${p50.toFixed(0)} ms`,
  });
}

/** Opens a client with its own session at the agent's MCP address. */
async function openCaller(port: number, connections: number) {
  const http = httpCaller(port, '/agents/flights/mcp', connections);
  const headers = await openSession(http);
  const call = async (number: number) => {
    const params = { name: 'book_flight', arguments: { destination: 'Paris', number } };
    const answer = await http({ jsonrpc: '2.0', id: number, method: 'tools/call', params }, headers);
    if (answer.status !== 200 || !answer.text.includes('Booked for you.'))
      throw new Error(`a call was answered with ${answer.status}: ${answer.text.slice(0, 300)}`);
  };
  return { call, close: http.close };
}

async function openSession(http: HttpCall): Promise<Record<string, string>> {
  const protocolVersion = '2025-11-25';
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  const { headers } = await http({ jsonrpc: '2.0', id: 'init', method: 'initialize', params });
  const given = { 'mcp-protocol-version': protocolVersion, 'mcp-session-id': String(headers['mcp-session-id']) };
  await http({ jsonrpc: '2.0', method: 'notifications/initialized' }, given);
  return given;
}
