import { writeSync } from 'node:fs';
import { Agent } from '../../../src/agents/agent.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { openStore } from '../../../src/store/open-store.ts';

/**
 * A process that saves to a store and prints a line for each save that was acknowledged:
 * `node store-writer.ts PATH NAME SAVES`. Half of the saves create an agent, half change one that all processes share; each
 * also adds an entry to the decision log.
 */
const [path = '', name = '', saves = ''] = process.argv.slice(2);
const store = await openStore({ db: { path }, clock: systemClock, logger: silentLogger });
let next = 0;
await Promise.all(Array.from({ length: 4 }, saveUntilDone));
await store.close();

async function saveUntilDone(): Promise<void> {
  while (next < Number(saves)) {
    const index = next;
    next += 1;
    const callId = `${name}-${index}`;
    const agent = Agent.parse({ id: callId, name: callId, systemPrompt: 'Text. '.repeat(200), source: 'store' });
    const { at, ...texts } = {
      at: Date.now(),
      surface: 'cli',
      tool: 'save',
      decision: '',
      reasoning: '',
      context: '{}',
    };
    await store.decisions.append({
      callId,
      kind: 'invocation',
      at,
      agentId: null,
      persona: null,
      taskId: null,
      ...texts,
    });
    const stored =
      index % 2 === 0
        ? await store.agents.create(agent)
        : await store.agents.update({ ...agent, id: 'shared', name: callId }, null);
    writeSync(1, `${callId} ${stored.agent.id} ${stored.revision}\n`);
  }
}
