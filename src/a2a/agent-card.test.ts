import { AgentCard } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { Agent } from '../agents/agent.ts';
import { AgentRegistry } from '../agents/agent-registry.ts';
import { agentCard, agentRegistry, autonomousAgent, documentEtag } from './agent-card.ts';

const origin = 'http://127.0.0.1:7331';

function agent(changes: object = {}): Agent {
  return Agent.parse({ id: 'planner', name: 'Planner', mode: 'autonomous', source: 'code', ...changes });
}

const categories = [
  { id: 'skills', name: 'Skills', color: '#4f46e5' },
  { id: 'rules', name: 'Rules', color: '#b45309' },
];

describe('the card of an agent', () => {
  it('serves callers of 1.0 and 0.3 at one address', () => {
    const card = agentCard(agent({ description: 'Plans trips.', version: '2.1.0' }), origin);
    const url = `${origin}/agents/planner/a2a`;
    expect(card).toMatchObject({ name: 'Planner', description: 'Plans trips.', version: '2.1.0' });
    expect(card.supportedInterfaces).toEqual([
      { url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
      { url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '0.3' },
    ]);
    expect(card).toMatchObject({ url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' });
    expect(card.capabilities).toMatchObject({ streaming: true, pushNotifications: false });
    expect(card).not.toHaveProperty('provider');
  });

  it('says where callers need a key, in the words of 1.0 and of 0.3', () => {
    const open = { securitySchemes: {}, securityRequirements: [], security: [] };
    expect(agentCard(agent(), origin)).toMatchObject(open);
    const card = agentCard(agent(), origin, { needsKey: true });
    const { securitySchemes, securityRequirements } = AgentCard.fromJSON(card);
    expect(securitySchemes.key?.scheme).toMatchObject({
      $case: 'httpAuthSecurityScheme',
      value: { scheme: 'Bearer', description: expect.stringContaining('zoo key create') },
    });
    expect(securityRequirements).toEqual([{ schemes: { key: { list: [] } } }]);
    expect(card).toMatchObject({
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      security: [{ key: [] }],
    });
    expect(agentRegistry([agent()], origin, { needsKey: true }).agents[0]?.card).toEqual(card);
  });

  it('shows the organization, icon and documentation of the agent, if it has any', () => {
    const about = {
      provider: { organization: 'Plans Inc', url: 'https://plans.example' },
      iconUrl: 'https://plans.example/icon.png',
      documentationUrl: 'https://plans.example/docs',
    };
    expect(agentCard(agent(about), origin)).toMatchObject(about);
    for (const key of Object.keys(about)) expect(agentCard(agent(), origin)).not.toHaveProperty(key);
    expect(() => agent({ iconUrl: 'javascript:alert(1)' })).toThrow('must be an address that starts with http');
  });

  it('shows only the first paragraph, the tags and the examples of a skill', () => {
    const description =
      'Finds trains.\n\nAlways say the fare class.\n\nTags: rail, travel\n\nExamples:\n- To Rome by night\n- Home tomorrow';
    const skills = [{ id: 'trains', name: 'Trains', description, categoryId: 'skills' }];
    expect(agentCard(agent({ skills, skillCategories: categories }), origin).skills).toEqual([
      {
        id: 'trains',
        name: 'Trains',
        description: 'Finds trains.',
        tags: ['rail', 'travel'],
        examples: ['To Rome by night', 'Home tomorrow'],
      },
    ]);
  });

  it('leaves out skills that are off, and rules', () => {
    const skills = [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B', enabled: false },
      { id: 'c', name: 'C', categoryId: 'rules' },
      { id: 'd', name: 'D', categoryId: 'skills' },
    ];
    const card = agentCard(agent({ skills, skillCategories: categories }), origin);
    expect(card.skills).toEqual([
      { id: 'a', name: 'A', description: 'A', tags: ['planner'], examples: [] },
      { id: 'd', name: 'D', description: 'D', tags: ['Skills'], examples: [] },
    ]);
  });

  it('lists the agent itself as a skill if it has no others', () => {
    expect(agentCard(agent({ description: 'Plans trips.' }), origin).skills).toEqual([
      { id: 'planner', name: 'Planner', description: 'Plans trips.', tags: ['planner'], examples: [] },
    ]);
  });

  it('has a new ETag after every change, and only then', () => {
    const etag = (changes: object) => documentEtag(JSON.stringify(agentCard(agent(changes), origin)));
    expect(etag({})).toMatch(/^"[\w-]{20,}"$/);
    expect(etag({})).toBe(etag({}));
    expect(etag({ version: '1.0.1' })).not.toBe(etag({}));
  });
});

describe('cards', () => {
  const tools = agent({ id: 'desk', mode: 'tools' });
  const agents = new AgentRegistry();
  for (const each of [agent(), tools]) agents.register({ agent: each, definedIn: 'code' });

  it('every autonomous agent has one, and its address is listed', () => {
    const { agents: listed } = agentRegistry(agents.list(), origin);
    expect(listed.map(({ id, cardUrl }) => [id, cardUrl])).toEqual([
      ['planner', `${origin}/agents/planner/.well-known/agent-card.json`],
    ]);
  });

  it('an agent of another mode has no card, and the error says what to do', async () => {
    await expect(autonomousAgent(agents, 'planner')).resolves.toMatchObject({ id: 'planner' });
    await expect(autonomousAgent(agents, 'desk')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringMatching(/"desk" is in tools mode.*Set its mode to "autonomous"/),
    });
    await expect(autonomousAgent(agents, 'nobody')).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  });
});
