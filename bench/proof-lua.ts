import { setTimeout as delay } from 'node:timers/promises';
import { HubError } from '../src/base/hub-error.ts';
import { type HostileCase, hostileCases } from '../src/lua/sandbox/hostile-cases.ts';
import type { LuaSandbox } from '../src/lua/sandbox/lua-job.ts';
import { createLuaSandbox } from '../src/lua/sandbox/sandbox.ts';
import { luaHost, resolveJob, type SilentServer, startSilentServer } from '../test/support/lua/lua-jobs.ts';

const timeoutMs = 400;
const graceMs = 250;
const promptEveryMs = 2;
const settledMs = 1000;
/** The memory bombs among the scripts take more than 500 MB together. */
const maxKeptMegabytes = 150;

/** Returns true if every hostile script is stopped in time, other prompts stay fast, and its memory is freed. */
export async function proveLua(): Promise<boolean> {
  const sandbox = createLuaSandbox();
  const silent = await startSilentServer();
  try {
    await prompts(sandbox, delay(settledMs));
    const before = process.memoryUsage().rss;
    const alone: number[] = [];
    const beside: number[] = [];
    const stops: { script: string; ms: number; isRight: boolean }[] = [];
    for (const hostile of hostileCases) {
      // Both take turns, so that a busy machine affects both.
      alone.push(...(await prompts(sandbox, delay(timeoutMs))));
      const running = stop(sandbox, hostile, silent);
      beside.push(...(await prompts(sandbox, Promise.all([running, delay(timeoutMs)]))));
      stops.push(await running);
    }
    await delay(settledMs);
    const kept = (process.memoryUsage().rss - before) / 1024 / 1024;

    const late = stops.filter(({ ms }) => ms > timeoutMs + graceMs);
    const wrong = stops.filter(({ isRight }) => !isRight);
    const slowest = stops.reduce((one, other) => (other.ms > one.ms ? other : one));
    const ratio = at(beside, 0.99) / at(alone, 0.99);
    print(
      `${stops.length} hostile scripts, limit ${timeoutMs} ms: the slowest to stop was ${slowest.script}, ${slowest.ms.toFixed(0)} ms`,
    );
    for (const { script, ms } of late) print(`  late: ${script} ${ms.toFixed(0)} ms`);
    for (const { script } of wrong) print(`  not the answer it should be: ${script}`);
    print(`prompts with one search, alone: ${figures(alone)}`);
    print(`prompts with one search, beside hostile scripts: ${figures(beside)}; p99 ${ratio.toFixed(2)}×`);
    print(`memory kept after all of them: ${kept.toFixed(0)} MB`);
    return late.length === 0 && wrong.length === 0 && ratio <= 2 && at(alone, 0.5) <= 3 && kept < maxKeptMegabytes;
  } finally {
    silent.close();
    await sandbox.close();
  }
}

async function stop(sandbox: LuaSandbox, hostile: HostileCase, silent: SilentServer) {
  const { script, code, message, isMetadata } = hostile;
  const host = luaHost({ allowedHosts: [silent.host] });
  const { call, ...metadata } = resolveJob(`hostile/${script}`, { timeoutMs, host, args: { silent: silent.url } });
  const started = performance.now();
  const error = await sandbox.run(isMetadata || !call ? metadata : { ...metadata, call }).catch((reason) => reason);
  const ms = performance.now() - started;
  const isExpected = error instanceof HubError && error.code === code && message.test(error.message);
  // On a slow machine time may run out before the memory does.
  const isStopped = error instanceof HubError && error.code === 'TIMEOUT';
  return { script, ms, isRight: isExpected || isStopped };
}

/** Resolves a prompt every few milliseconds until `end`, and returns the duration of each. */
async function prompts(sandbox: LuaSandbox, end: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  void end.then(() => {
    isOver = true;
  });
  while (!isOver) {
    const job = resolveJob('hostile/well-behaved', { args: { word: String(times.length) } });
    const started = performance.now();
    await sandbox.run(job);
    times.push(performance.now() - started);
    await delay(promptEveryMs);
  }
  return times;
}

function figures(times: readonly number[]): string {
  return `${times.length}, p50 ${at(times, 0.5).toFixed(2)} ms, p99 ${at(times, 0.99).toFixed(2)} ms`;
}

function at(times: readonly number[], share: number): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * share)] ?? Number.NaN;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main && !(await proveLua())) process.exitCode = 1;
