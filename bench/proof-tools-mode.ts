import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type LoadReport, missingInLog, openLoadedDesk, runLoad } from '../test/support/hubs/tools-mode-load.ts';

const calls = 1_000;
const inFlight = 50;
const cancelEvery = 10;
/** Calls that fill caches and pools before memory is compared. */
const warmUpCalls = 200;
const maxGrowthMegabytes = 32;
const settledMs = 1_000;

/** Makes many concurrent calls to a Tools-mode agent, some cancelled. Returns true without cross-talk, open sessions, memory growth or log gaps. */
export async function proveToolsMode(): Promise<boolean> {
  const desk = await openLoadedDesk(cancelEvery);
  const { sessions } = desk.hub;
  try {
    await runLoad(desk, { calls: warmUpCalls, inFlight, cancelEvery });
    // Otherwise the scripted model's records would count as ours.
    desk.model.requests.splice(0);
    const before = await heapMegabytes();
    const started = performance.now();
    const report = await runLoad(desk, { calls, inFlight, cancelEvery });
    const seconds = (performance.now() - started) / 1_000;
    await delay(settledMs);
    desk.model.requests.splice(0);
    const growth = (await heapMegabytes()) - before;
    const missing = await missingInLog(desk, warmUpCalls + calls);
    const { problems } = await desk.hub.decisions.verify();
    print(`${calls} calls, ${inFlight} in flight, in ${seconds.toFixed(1)} s: ${figures(report)}`);
    print(`sessions left: ${await sessions.count()}; the heap grew by ${growth.toFixed(1)} MB`);
    for (const what of [...report.wrong.slice(0, 5), ...missing, ...problems.map(({ message }) => message)])
      print(`  wrong: ${what}`);
    const isWhole = report.answered + report.cancelled === calls && report.cancelled === calls / cancelEvery;
    const isRight = report.wrong.length === 0 && missing.length === 0 && problems.length === 0;
    return isWhole && isRight && (await sessions.count()) === 0 && growth < maxGrowthMegabytes;
  } finally {
    await desk.end();
  }
}

async function heapMegabytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  // The second collection frees what the first one finalises.
  for (let round = 0; round < 2; round += 1) {
    collect();
    await delay(50);
  }
  return process.memoryUsage().heapUsed / 1_048_576;
}

function figures({ answered, cancelled, times }: LoadReport): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0);
  return `${answered} answered, ${cancelled} cancelled; p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function print(line: string): void {
  process.stdout.write(`  ${line}\n`);
}

if (import.meta.main && !(await proveToolsMode())) process.exitCode = 1;
