import { createAgent } from '../../../src/agents/edit-agents.ts';
import { ownerCaller } from '../../../src/callers/callers.ts';
import type { Hub } from '../../../src/index.ts';

/** Adds as many agents, chats, brain entries and, with these, decisions. They belong to `agent-0000`. */
export async function fillLongLists(hub: Hub, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));
  const systemPrompt = 'You guide.';
  await Promise.all(
    numbers.map((each) => createAgent(hub, { id: `agent-${each}`, name: `Agent ${each}`, systemPrompt })),
  );
  await Promise.all(numbers.map((each) => hub.chats.create({ agentId: 'agent-0000', title: `Trip ${each}` })));
  const caller = ownerCaller('cli');
  const tool = 'agent_zoo_create_brain_entry';
  for (const each of numbers)
    await hub.execute({ caller, tool, input: { agentId: 'agent-0000', type: 'note', content: `Note ${each}` } });
}
