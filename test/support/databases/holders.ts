import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { newHolder } from '../../../src/base/holder.ts';
import { readStat } from '../../../src/base/process-stat.ts';

export const clockAhead = (milliseconds: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + milliseconds,
});

/** Nobody can tell from this name whether the process runs: it stands for another machine, or for another container. */
export const distantHolder = (name: string): string => `process 7 on ${name} (0123456789abcdef.7.holder_${name})`;

/** The name of another process of this machine, which runs for as long as the test. */
export function runningHolder(): string {
  const startTime = (pid: number) => `.${readStat(pid)?.startTime ?? ''}.`;
  return newHolder()
    .replace(/^process \d+/, `process ${process.ppid}`)
    .replace(startTime(process.pid), startTime(process.ppid));
}

/** The name of a process of this machine that has ended. */
export const endedHolder = (): string => newHolder().replace(/^process \d+/, 'process 999999999');
