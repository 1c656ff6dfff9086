import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { openStore, type StoreAddress } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { decision } from './test-decision.ts';

export interface DistantWork {
  db: StoreAddress;
  /** How far its clock is ahead. */
  aheadMs: number;
  does: 'call';
}

export const clockAhead = (milliseconds: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + milliseconds,
});

/** Nobody can tell from this name whether the process runs: it stands for another machine, or for another container. */
export const distantHolder = (name: string): string => `process 7 on ${name} (0123456789abcdef.7.holder_${name})`;

/** A process on another machine that holds something until it is killed. Resolves when it has it. */
export async function startDistantProcess(work: DistantWork): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function hold(store: Store, { does, aheadMs }: DistantWork): Promise<void> {
  if (does === 'call')
    await store.decisions.append(decision('running', { at: clockAhead(aheadMs).now(), agentId: 'worker' }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work: DistantWork = JSON.parse(process.argv[2] ?? '');
  const holder = distantHolder(`host-${process.pid}`);
  const options = { db: work.db, clock: clockAhead(work.aheadMs), logger: silentLogger, holder };
  await hold(await openStore(options), work);
  writeSync(1, 'held\n');
  setInterval(() => {}, 60_000);
}
