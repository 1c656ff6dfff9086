import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../../src/base/logger.ts';
import { webhookSender } from '../../../src/delivery/webhooks.ts';
import { createIndexer } from '../../../src/knowledge/index/indexer.ts';
import { syncSource } from '../../../src/knowledge/sync/sync-source.ts';
import { openStore, type StoreAddress } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { teamEvents } from '../../../src/team/events/team-events.ts';
import type { TeamStore } from '../../../src/team/team.store.ts';
import { clockAhead, distantHolder } from '../databases/holders.ts';
import { decision } from '../databases/test-decision.ts';
import { memoryConnector } from '../knowledge/memory-connector.ts';

export interface DistantWork {
  db: StoreAddress;
  /** How far its clock is ahead. */
  aheadMs: number;
  does: 'call' | 'sync' | 'run' | { deliver: string };
}

/** Starts a process, as if on another machine, that holds something until it is killed. Resolves when it holds it. */
export async function startDistantProcess(work: DistantWork): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

async function hold(store: Store, { does, aheadMs }: DistantWork): Promise<void> {
  const clock = clockAhead(aheadMs);
  if (does === 'call') {
    await store.decisions.append(decision('running', { at: clock.now(), agentId: 'worker' }));
    return;
  }
  if (does === 'run') {
    await store.runs.begin({ id: 'running', agentId: null, model: 'm', title: 't', messages: [] });
    return;
  }
  if (does === 'sync') {
    const connector = memoryConnector({ 'a.md': 'text' });
    const parts = { store: store.knowledge, indexer: createIndexer({ logger: silentLogger }), clock };
    await new Promise<void>((resolve) => {
      connector.onRead = () => new Promise(() => resolve());
      void syncSource({ ...parts, logger: silentLogger, chunking: { maxTokens: 99, overlapTokens: 9 } }, connector);
    });
    return;
  }
  // A long timeout, because an attempt that times out is repeated.
  const options = { name: 'audit', url: does.deliver, secret: 'a secret for tests', timeoutMs: 60_000 };
  const send = webhookSender({ ...options, clock });
  const team = { ...store.team, deliveries: printLooks(store.team.deliveries) };
  const parts = { store: team, clock, logger: silentLogger, redact: (text: string) => text };
  teamEvents(parts, { senders: () => new Map([['webhook:audit', send]]) }).start();
}

/** Prints a line before each search for deliveries of processes that are gone. */
function printLooks(deliveries: TeamStore['deliveries']): TeamStore['deliveries'] {
  return {
    ...deliveries,
    takeAbandoned(request) {
      writeSync(1, 'looked\n');
      return deliveries.takeAbandoned(request);
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work: DistantWork = JSON.parse(process.argv[2] ?? '');
  const holder = distantHolder(`host-${process.pid}`);
  const options = { db: work.db, clock: clockAhead(work.aheadMs), logger: silentLogger, holder };
  await hold(await openStore(options), work);
  writeSync(1, 'held\n');
  setInterval(() => {}, 60_000);
}
