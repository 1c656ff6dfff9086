import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { decision } from './test-decision.ts';

/**
 * A process that writes to the decision log until it is killed, and prints each row that was acknowledged:
 * `node log-writer.ts JSON-OF-DB NAME [HOME]`. Every third call gets no outcome. With a home, entries have a key and anchors.
 */
const [db = '', name = '', dataDir] = process.argv.slice(2);
const { decisions } = await openStore({ db: JSON.parse(db), clock: systemClock, logger: silentLogger, dataDir });
await Promise.all(Array.from({ length: 8 }, (_, lane) => writeOn(lane)));

async function writeOn(lane: number): Promise<void> {
  for (let index = 0; ; index += 1) {
    const callId = `${name}-${lane}-${index}`;
    await decisions.append(decision(callId, { at: Date.now() }));
    writeSync(1, `invocation ${callId}\n`);
    if (index % 3 === 2) continue;
    await decisions.append(decision(callId, { at: Date.now(), kind: 'result' }));
    writeSync(1, `result ${callId}\n`);
  }
}
