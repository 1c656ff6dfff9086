import { writeSync } from 'node:fs';
import { defineAgent } from '../../../src/agents/define-agent.ts';
import { ownerCaller } from '../../../src/callers/callers.ts';
import { createHub } from '../../../src/hub.ts';

/** A process that injects an agent until it is killed, and prints the id of each successful call: `node reading-caller.ts DB_AS_JSON`. */
const [db = ''] = process.argv.slice(2);
const agents = [defineAgent({ name: 'wizard', systemPrompt: 'Be concise.' })];
const hub = await createHub({ db: JSON.parse(db), agents, watch: false });
await Promise.all(Array.from({ length: 8 }, injectForever));

async function injectForever(): Promise<void> {
  for (;;) {
    const call = { caller: ownerCaller('mcp'), tool: 'agent_zoo_inject', input: { agentId: 'wizard' } };
    const outcome = await hub.execute(call);
    if (outcome.ok) writeSync(1, `${outcome.callId}\n`);
  }
}
