import { createAgent, updateAgent } from '../../../src/agents/edit-agents.ts';
import { ownerCaller } from '../../../src/callers/callers.ts';
import type { Hub } from '../../../src/index.ts';
import { human, NewMember } from '../../../src/team/members/member.ts';
import { NewTask } from '../../../src/team/work/work.ts';

/** Adds as many agents, chats, brain entries and, with these, decisions. They belong to `agent-0000`, which also gets as many versions. */
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
  for (const each of numbers.slice(1)) {
    const input = { name: 'Agent 0000', systemPrompt: `You guide in way ${each}.` };
    await updateAgent(hub, 'agent-0000', { input, expectedRevision: null });
  }
}

/** Adds as many tasks, mails and runs. */
export async function fillLongWork(hub: Hub, count: number): Promise<void> {
  const { tasks, mail, members } = hub.team;
  await members.add(NewMember.parse({ id: 'reader' }));
  const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0, reasoningTokens: 0 };
  for (let index = 0; index < count; index += 1) {
    await tasks.create(human, NewTask.parse({ title: `Task ${index}` }));
    await mail.send(human, { toAgentId: 'reader', subject: `Letter ${index}`, body: 'Please read it.' });
    const id = `run_${index}`;
    await hub.store.runs.begin({ id, agentId: 'agent-0000', model: 'any/model', title: `Run ${index}`, messages: [] });
    await hub.store.runs.finish(id, {
      ticks: 1,
      usage,
      cost: null,
      messages: [],
      calls: [],
      status: 'completed',
      reason: '',
      error: null,
    });
  }
}
