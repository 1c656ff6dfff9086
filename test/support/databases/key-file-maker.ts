import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeKeyFile } from '../../../src/base/key-file.ts';

/**
 * A process that creates a key file in each of COUNT folders and prints each key: `node key-file-maker.ts FOLDER COUNT [KILL_AT]`.
 * It kills itself while it creates file number KILL_AT, or soon after.
 */
const [folder = '', count = '', killAt = ''] = process.argv.slice(2);
writeSync(1, 'ready\n');
// All processes begin together.
process.stdin.once('data', async () => {
  for (let index = 0; index < Number(count); index += 1) {
    if (killAt === `${index}`) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 3 * Math.random());
    const key = await makeKeyFile(join(folder, `${index}`, 'secret.key'));
    writeSync(1, `${index} ${key.toString('hex')}\n`);
  }
  process.exit();
});
