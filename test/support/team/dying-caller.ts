import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';

/** A process to kill in the middle of a call: `node dying-caller.ts DB_AS_JSON AGENT_ID CALL_ID TOOL AT`. */
const [db = '', agentId = '', callId = '', tool = '', at = ''] = process.argv.slice(2);
const store = await openStore({ db: JSON.parse(db), clock: systemClock, logger: silentLogger });
await store.decisions.append({
  callId,
  kind: 'invocation',
  at: Number(at),
  surface: 'http',
  agentId,
  persona: null,
  taskId: 'task_7',
  tool,
  decision: `Invoked tool: ${tool}`,
  reasoning: 'Automatic tool invocation log',
  context: '{"taskId":"task_7"}',
});
writeSync(1, 'called\n');
setInterval(() => {}, 60_000);
