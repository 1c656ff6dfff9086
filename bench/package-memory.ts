import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { injectParams } from './bench-agent.ts';
import { httpCaller, startPrintingPort } from './load.ts';
import { type BenchRow, toRow } from './measure.ts';
import type { PackageBench } from './package.ts';
import { idPlace, rawLoad } from './raw-http.ts';

const idleMs = 15_000;
const soakMs = 30_000;
const restMs = 60_000;
const allowedAfterSoak = 140;

/** Measures the memory of an idle hub, and again a minute after 30 seconds of calls. */
export async function benchMemory({ zoo, env }: PackageBench): Promise<BenchRow[]> {
  const bare = await startPrintingPort(process.execPath, [join(import.meta.dirname, 'floors', 'idle.mjs')]);
  const ours = await startPrintingPort(process.execPath, [zoo, 'serve', '--bind', '127.0.0.1:0'], env);
  await sleep(idleMs);
  const floor = residentMegabytes(bare.pid);
  const idle = residentMegabytes(ours.pid);
  const calls = await soak(ours.port);
  const peak = residentMegabytes(ours.pid);
  await sleep(restMs);
  const after = residentMegabytes(ours.pid);
  await Promise.all([bare.stop(), ours.stop()]);
  return [
    toRow({
      what: 'memory of an idle hub',
      floor: 'bare node:http',
      ratio: idle / floor,
      goal: 1.7,
      isAtLeast: false,
      detail: `${idle.toFixed(0)} of ${floor.toFixed(0)} MB`,
    }),
    toRow({
      what: 'memory a minute after a soak',
      floor: `${allowedAfterSoak} MB`,
      ratio: after / allowedAfterSoak,
      goal: 1,
      isAtLeast: false,
      detail: `${after.toFixed(0)} MB; ${peak.toFixed(0)} MB at the end of ${calls} calls`,
    }),
  ];
}

async function soak(port: number): Promise<number> {
  const call = httpCaller(port, '/mcp', 1);
  const begun = await call({
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  });
  call.close();
  const headers = { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': String(begun.headers['mcp-session-id']) };
  const body = JSON.stringify({ jsonrpc: '2.0', id: idPlace, method: 'tools/call', params: injectParams });
  const until = performance.now() + soakMs;
  let calls = 0;
  while (performance.now() < until) {
    await rawLoad({ port, path: '/mcp', body, headers, connections: 64, total: 20_000 });
    calls += 20_000;
  }
  return calls;
}

/** Works on Linux only. Returns NaN elsewhere. */
function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}
