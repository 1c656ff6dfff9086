import { beforeEach, describe, expect, it } from 'vitest';
import { ownerCaller } from '../callers/callers.ts';
import { silentToolClient } from '../tools/tool-client.ts';
import { AgentRegistry } from './agent-registry.ts';
import { agentTools } from './agents.tools.ts';
import { defineAgent } from './define-agent.ts';

const context = {
  caller: ownerCaller('cli'),
  callId: 'call_1',
  signal: new AbortController().signal,
  idempotencyKey: undefined,
  whenLogged: async () => {},
  traceparent: '',
  client: silentToolClient,
};
let agents: AgentRegistry;

async function call(name: string, input: unknown): Promise<unknown> {
  const tool = agentTools(agents).find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(tool.parse(input), context);
}

beforeEach(() => {
  agents = new AgentRegistry();
  agents.register(
    defineAgent({
      name: 'wizard',
      title: 'Code Wizard',
      systemPrompt: 'Be concise.',
      skills: [
        { id: 'ts', name: 'TypeScript', description: 'Strict types.' },
        { id: 'py', name: 'Python', description: 'Typed too.', enabled: false },
      ],
    }),
  );
  agents.register(defineAgent({ name: 'coded', resolve: () => ({ system: 'Written by code.' }) }));
  agents.register(
    defineAgent({
      name: 'asking',
      arguments: [{ name: 'db', required: true }],
      resolve: (args) => ({ system: `${args.db}`, messages: [{ role: 'assistant', content: 'Which table?' }] }),
    }),
  );
});

describe('agent_zoo_inject', () => {
  it('returns the compiled prompt, as the same object while the agent is unchanged', async () => {
    const first = await call('agent_zoo_inject', { agentId: 'wizard' });
    expect(first).toEqual({
      agentId: 'wizard',
      agentName: 'Code Wizard',
      prompt:
        'You are now Code Wizard. Use agentId=wizard for all agent_zoo tool usage.\n\nBe concise.\n\n---\n\n## Active Skills\n\n### TypeScript\nStrict types.',
    });
    expect(await call('agent_zoo_inject', { agentId: 'wizard' })).toBe(first);
  });

  it('returns the parts on request, with enabled skills only', async () => {
    expect(await call('agent_zoo_inject', { agentId: 'wizard', format: 'structured' })).toEqual({
      agentId: 'wizard',
      agentName: 'Code Wizard',
      systemPrompt: 'Be concise.',
      skills: [{ id: 'ts', name: 'TypeScript', description: 'Strict types.' }],
    });
  });

  it('lets code write the prompt of a code agent', async () => {
    expect(await call('agent_zoo_inject', { agentId: 'coded' })).toMatchObject({ prompt: 'Written by code.' });
    await expect(call('agent_zoo_inject', { agentId: 'asking' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      message: expect.stringContaining('"db"'),
    });
  });

  it('passes arguments to the agent, and its first messages to the client', async () => {
    const asked = { agentId: 'asking', arguments: { db: 'orders' } };
    expect(await call('agent_zoo_inject', asked)).toEqual({
      agentId: 'asking',
      agentName: 'asking',
      prompt: 'orders',
      messages: [{ role: 'assistant', content: 'Which table?' }],
    });
    agents.register(
      defineAgent({ name: 'plain', systemPrompt: 'Notes of {product}.', arguments: [{ name: 'product' }] }),
    );
    expect(await call('agent_zoo_inject', { agentId: 'plain', arguments: { product: 'Zoo' } })).toMatchObject({
      prompt: expect.stringContaining('Notes of Zoo.'),
    });
    expect(await call('agent_zoo_inject', { agentId: 'plain' })).toMatchObject({
      prompt: expect.stringContaining('Notes of {product}.'),
    });
  });
});

it('agents can be listed and shown', async () => {
  expect(await call('agent_zoo_list_agents', {})).toMatchObject({
    agents: [{ id: 'wizard', name: 'Code Wizard' }, { id: 'coded' }, { id: 'asking' }],
  });
  expect(await call('agent_zoo_get_agent', { agentId: 'wizard' })).toMatchObject({
    id: 'wizard',
    source: 'code',
    skills: [{ id: 'ts' }, { id: 'py' }],
  });
});
