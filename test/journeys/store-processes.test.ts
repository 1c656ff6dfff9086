import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { saveFromProcesses } from '../../bench/proofs/store-proofs.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { openStore } from '../../src/store/open-store.ts';
import { testAgent, testClock } from '../support/databases/test-store.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-processes-'));
  path = join(folder, 'zoo.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('four processes save to one SQLite file, and no acknowledged save is lost', async () => {
  const result = await saveFromProcesses({ path, processes: 4, saves: 50 });
  expect(result).toEqual({ acknowledged: 200, stored: 200, integrity: 'ok' });
});

it('while another process holds the lock, writes wait and the event loop keeps running', async () => {
  const store = await openStore({ db: { path }, clock: testClock(), logger: silentLogger });
  await store.agents.create(testAgent('waiting'));
  const holder = spawn(process.execPath, [
    fileURLToPath(new URL('../support/databases/lock-holder.ts', import.meta.url)),
    path,
  ]);
  await once(holder.stdout, 'data');

  const settled: string[] = [];
  const save = store.agents.update(testAgent('waiting', { name: 'Saved' }), 1).then(() => settled.push('save'));
  const row = { callId: 'call_1', kind: 'result', at: 0, surface: 'cli', agentId: null, persona: null } as const;
  const append = store.decisions
    .append({ ...row, taskId: null, tool: 't', decision: 'd', reasoning: 'r', context: '{}' })
    .then(() => settled.push('append'));
  for (let turn = 0; turn < 100; turn += 1) {
    await nextTurn();
    expect((await store.agents.get('waiting'))?.agent.name).toBe('Agent waiting');
    await store.agents.source.snapshot();
  }
  expect(settled).toEqual([]);

  holder.stdin.end();
  await Promise.all([save, append]);
  expect((await store.agents.get('waiting'))?.agent.name).toBe('Saved');
  expect((await store.decisions.page()).entries).toHaveLength(1);
  await store.close();
});
