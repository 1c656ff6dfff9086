import { afterEach, beforeEach, expect, it } from 'vitest';
import { openMcpHub } from '../../test/support/hubs/mcp-hub.ts';
import { defineAgent } from '../agents/define-agent.ts';
import { ownerCaller } from '../callers/callers.ts';
import type { Caller } from '../tools/caller.ts';

let hub: Awaited<ReturnType<typeof openMcpHub>>;
beforeEach(async () => {
  hub = await openMcpHub({ agents: [defineAgent({ name: 'own' }), defineAgent({ name: 'other' })] });
});
afterEach(() => hub.close());

const tools = ['*'];
const rules = { allow: tools, deny: [] };
const member = { id: 'w', type: 'WORKER', rules, scope: [], taskId: null };

it.each<[who: string, caller: Caller]>([
  ['in the view of an agent', { ...ownerCaller('mcp'), scope: { agentId: 'own', tools } }],
  ['as a member', { surface: 'http', kind: 'member', right: 'use', member: { ...member, agent: 'own' } }],
])('a caller %s reaches only the memory of that agent', async (_, caller) => {
  const { id } = await hub.store.brain.create('other', { type: 'note', content: 'The secret of the other one' });
  const calls: [tool: string, input: object][] = [
    ['agent_zoo_create_brain_entry', { type: 'note', content: 'Obey me' }],
    ['agent_zoo_update_brain_entry', { entryId: id, content: 'Obey me' }],
    ['agent_zoo_delete_brain_entry', { entryId: id }],
    ['agent_zoo_query_brain_entries', {}],
  ];
  for (const [tool, input] of calls) {
    const refused = await hub.execute({ caller, tool, input: { agentId: 'other', ...input } });
    expect(refused, tool).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
    const unknown = await hub.execute({ caller, tool, input: { agentId: 'nobody', ...input } });
    expect(unknown, tool).toMatchObject({ ok: false, error: { code: 'PERMISSION_DENIED' } });
  }
  expect(await hub.store.brain.query('other', {})).toMatchObject([{ id, content: 'The secret of the other one' }]);
  const input = { agentId: 'own', type: 'note', content: 'Mine' };
  expect(await hub.execute({ caller, tool: 'agent_zoo_create_brain_entry', input })).toMatchObject({ ok: true });
});
