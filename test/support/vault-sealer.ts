import { writeSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { openStore } from '../../src/store/open-store.ts';

/** A process that seals one value and prints its name once that is saved: `node vault-sealer.ts PATH DATA_DIR NAME`. */
const [path = '', dataDir = '', name = ''] = process.argv.slice(2);
const store = await openStore({ db: { path }, clock: systemClock, logger: silentLogger, dataDir });
writeSync(1, 'ready\n');
// All of them begin together.
process.stdin.once('data', async () => {
  await store.vault.set(name, `value of ${name}`);
  writeSync(1, `${name}\n`);
  await store.close();
  process.exit();
});
