import { describe, expect, it } from 'vitest';
import { Agent } from '../../../../src/agents/agent.ts';
import { AgentRegistry } from '../../../../src/agents/agent-registry.ts';
import { agentTools } from '../../../../src/agents/agents.tools.ts';
import { compilePrompt } from '../../../../src/agents/compile-prompt.ts';
import { ownerCaller } from '../../../../src/callers/callers.ts';
import { silentToolClient } from '../../../../src/tools/tool-client.ts';
import { cutIntoPieces, structuredPrompt } from './structured-prompt.ts';

const skill = (id: string, fields: object = {}) => ({ id, name: `Skill ${id}`, description: 'Swim.', ...fields });
const agents = [
  Agent.parse({ id: 'otter', name: 'Otter', systemPrompt: 'Swim.', source: 'store', skills: [skill('a'), skill('b')] }),
  Agent.parse({ id: 'seal', name: 'Seal', source: 'store', skills: [skill('a', { enabled: false }), skill('b')] }),
  Agent.parse({ id: 'crab', name: 'Crab', source: 'store' }),
];

const context = {
  caller: ownerCaller('mcp'),
  callId: 'call_1',
  signal: AbortSignal.timeout(10_000),
  idempotencyKey: undefined,
  whenLogged: async () => {},
  traceparent: '',
  client: silentToolClient,
} as const;

describe.each(agents)('the prompt of $id', (agent) => {
  it('matches the tool result in the structured view', async () => {
    const registry = new AgentRegistry();
    registry.register({ agent, definedIn: 'code' });
    const inject = agentTools(registry).find((tool) => tool.name === 'agent_zoo_inject');
    const answer = await inject?.run({ agentId: agent.id, format: 'structured' }, context);
    expect(structuredPrompt(agent)).toEqual(answer);
  });

  it('equals its joined pieces', () => {
    const compiled = compilePrompt(agent);
    const pieces = cutIntoPieces(compiled);
    expect(pieces.map((piece) => piece.text).join('')).toBe(compiled.text);
    expect(pieces.filter((piece) => piece.section !== null).map((piece) => piece.text)).toEqual(
      compiled.sections.map((section) => section.text),
    );
  });
});
