import { setTimeout as delay } from 'node:timers/promises';
import { HubError } from '../src/base/hub-error.ts';
import type { ServerConnection } from '../src/servers/supervise/server-connection.ts';
import { connectTo, startBadServer, type TransportName, transports } from '../test/support/servers/start-bad-server.ts';
import { flap, growthOf, leftovers, openThings, rounds } from './proofs/server-proofs.ts';

const flaps = 100;
/**
 * The shortest times before the hub reconnects, loss after loss. They would grow to half a minute, but here the server is
 * replaced after every third loss, which is harder for the other servers.
 */
const flapPausesMs = [500, 1_000, 2_000];
const flapsInTurn = 4 * flapPausesMs.length;
const connectRounds = 1_000;
const timeoutMs = 500;
const graceMs = 500;
const maxGrowthMegabytes = 64;
const callEveryMs = 2;
const settledMs = 1_000;

/** Faults of a bad server, with the error codes that are right for each. */
const misbehaviours: [tool: string, codes: readonly string[]][] = [
  ['exit', ['UNAVAILABLE']],
  ['drop', ['UNAVAILABLE']],
  ['hang', ['TIMEOUT']],
  ['drip', ['TIMEOUT']],
  ['huge', ['TOO_LARGE']],
  ['flood', ['UNAVAILABLE', 'TIMEOUT']],
  ['refuse', ['TOOL_ERROR']],
];

/** Returns true if calls to bad servers fail in time with a typed error, other servers stay fast, and nothing leaks. */
export async function proveServers(): Promise<boolean> {
  const before = openThings();
  const results: boolean[] = [];
  await using neighbour = await startBadServer('stdio');
  const good = await connectTo(neighbour.definition, 'good');
  try {
    await callsUntil(good.connection, delay(settledMs));
    for (const transport of transports) results.push(await proveCalls(transport, good.connection));
    for (const transport of transports) results.push(await proveFlapping(transport, good.connection));
  } finally {
    await good.connection.close();
  }
  for (const transport of transports) results.push(await proveRounds(transport));
  await delay(settledMs);
  const left = leftovers(before);
  print(`open at the end, beyond the beginning: ${left.join(', ') || 'nothing'}`);
  return results.every(Boolean) && left.length === 0;
}

async function proveCalls(transport: TransportName, good: ServerConnection): Promise<boolean> {
  const alone: number[] = [];
  const beside: number[] = [];
  const wrong: string[] = [];
  let slowest = 0;
  const growth = await growthOf(async () => {
    for (const [tool, codes] of misbehaviours) {
      // Both take turns, so that a busy machine affects both.
      alone.push(...(await callsUntil(good, delay(settledMs))));
      await using server = await startBadServer(
        transport,
        {},
        { timeoutMs, maxMessageBytes: 4_194_304, maxOutputBytes: 1_048_576 },
      );
      await using bad = await connectTo(server.definition);
      const started = performance.now();
      let took = 0;
      const failing = bad.connection.callTool(tool, {}).catch((error) => {
        took = performance.now() - started;
        return error;
      });
      beside.push(...(await callsUntil(good, Promise.all([failing, delay(settledMs)]))));
      const error = await failing;
      if (!(error instanceof HubError) || !codes.includes(error.code)) wrong.push(`${tool}: ${error}`);
      if (took > timeoutMs + graceMs) wrong.push(`${tool}: late, ${took.toFixed(0)} ms`);
      slowest = Math.max(slowest, took);
    }
  });
  const ratio = at(beside, 0.99) / at(alone, 0.99);
  print(
    `${transport}: ${misbehaviours.length} ways to fail a call, limit ${timeoutMs} ms, the slowest error after ${slowest.toFixed(0)} ms; memory grew by ${growth.toFixed(0)} MB`,
  );
  print(
    `${transport}: calls of another server alone ${figures(alone)}; beside it ${figures(beside)}; p99 ${ratio.toFixed(2)}×`,
  );
  for (const what of wrong) print(`  wrong: ${what}`);
  return wrong.length === 0 && growth < maxGrowthMegabytes && ratio <= 2;
}

async function proveFlapping(transport: TransportName, good: ServerConnection): Promise<boolean> {
  await using server = await startBadServer(transport);
  const alone: number[] = [];
  const beside: number[] = [];
  const started = performance.now();
  for (let done = 0; done < flaps; done += flapsInTurn) {
    const begun = performance.now();
    const times = Math.min(flapsInTurn, flaps - done);
    beside.push(...(await callsUntil(good, flap(server.definition, times, flapPausesMs))));
    alone.push(...(await callsUntil(good, delay((performance.now() - begun) / 4))));
  }
  const ratio = at(beside, 0.99) / at(alone, 0.99);
  print(
    `${transport}: lost and connected ${flaps} times, in turns with quiet, in ${seconds(started)}; calls of another server alone ${figures(alone)}; beside it ${figures(beside)}; p99 ${ratio.toFixed(2)}×`,
  );
  return ratio <= 2;
}

async function proveRounds(transport: TransportName): Promise<boolean> {
  await using server = await startBadServer(transport);
  // The first rounds fill pools and caches, and the heap to its usual size.
  await rounds(server.definition, transport === 'stdio' ? 10 : connectRounds);
  const before = openThings();
  const started = performance.now();
  const growth = await growthOf(() => rounds(server.definition, connectRounds));
  await delay(settledMs);
  const left = leftovers(before);
  print(
    `${transport}: ${connectRounds} times connected and disconnected in ${seconds(started)}; memory grew by ${growth.toFixed(0)} MB; left open: ${left.join(', ') || 'nothing'}`,
  );
  return left.length === 0 && growth < maxGrowthMegabytes;
}

/** Makes a call every few milliseconds until `end`, and returns the duration of each. */
async function callsUntil(connection: ServerConnection, end: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    await connection.callTool('echo', { number: times.length });
    times.push(performance.now() - started);
    await delay(callEveryMs);
  }
  await over;
  return times;
}

function figures(times: readonly number[]): string {
  return `${times.length}, p50 ${at(times, 0.5).toFixed(2)} ms, p99 ${at(times, 0.99).toFixed(2)} ms`;
}

function at(times: readonly number[], share: number): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * share)] ?? Number.NaN;
}

function seconds(started: number): string {
  return `${((performance.now() - started) / 1_000).toFixed(0)} s`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main && !(await proveServers())) process.exitCode = 1;
