import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { RunStore } from '../../../src/engine/run-store.ts';
import { executeTicks } from '../../../src/engine/run-ticks.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { contextWith } from '../command/run-with.ts';
import { call, finish, scriptedModel } from '../models/scripted-model.ts';
import { countedTools } from './counted-tools.ts';

/** A run to kill while one call is running, one is finished and one is waiting: `node dying-run.ts DB_AS_JSON`. */
const { runs } = await openStore({
  db: JSON.parse(process.argv[2] ?? ''),
  clock: systemClock,
  logger: silentLogger,
});
const store: RunStore = {
  begin: (run) => runs.begin(run),
  finish: (id, end) => runs.finish(id, end),
  list: (options) => runs.list(options),
  get: (id) => runs.get(id),
  async save(id, progress) {
    await runs.save(id, progress);
    const states = progress.calls.map(({ state }) => state).join(' ');
    if (states === 'running finished waiting') writeSync(1, 'kept\n');
  },
};
const never = new Promise<never>(() => {});
const { tool } = countedTools();
const model = scriptedModel([
  [call('a', 'quick'), finish('tool-calls')],
  [call('b', 'hang'), call('c', 'quick'), call('d', 'asked'), finish('tool-calls')],
]);
const com = contextWith(
  tool('quick'),
  tool('hang', () => never),
  tool('asked', undefined, { requiresConfirmation: true }),
);
await executeTicks({ model, com, store }, { input: 'Go', runId: 'run_dying', approve: () => never });
