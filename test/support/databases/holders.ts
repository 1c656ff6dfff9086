import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { newHolder } from '../../../src/base/holder.ts';
import { readStat } from '../../../src/base/process-stat.ts';

export const clockAhead = (milliseconds: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + milliseconds,
});

/** The name of a process on another machine or in another container. Nobody here can tell whether it runs. */
export const distantHolder = (name: string): string => `process 7 on ${name} (0123456789abcdef.7.holder_${name})`;

/** The name of another process on this machine, which runs as long as the test. */
export function runningHolder(): string {
  const startTime = (pid: number) => `.${readStat(pid)?.startTime ?? ''}.`;
  return newHolder()
    .replace(/^process \d+/, `process ${process.ppid}`)
    .replace(startTime(process.pid), startTime(process.ppid));
}

/** The name of a process on this machine that has ended. */
export const endedHolder = (): string => newHolder().replace(/^process \d+/, 'process 999999999');
