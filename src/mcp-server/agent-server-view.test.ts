import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { envelope, LineClient, listOf, openMcpHub } from '../../test/support/hubs/mcp-hub.ts';
import { bookFlight, flightAgent } from '../../test/support/tools/book-flight.ts';
import { createAgent, updateAgent } from '../agents/edit-agents.ts';
import type { Hub } from '../hub.ts';
import { defineTool, type Tool } from '../tools/tool.ts';

let hub: Hub;
let client: LineClient;
beforeEach(async () => {
  hub = await openMcpHub();
  await store([bookFlight]);
  client = new LineClient(hub, { served: 'flights' });
});
afterEach(async () => {
  await client.end();
  await hub.close();
});

async function store(exposes: object[]): Promise<void> {
  const input = { ...flightAgent, exposes };
  if (hub.agents.find('flights')) await updateAgent(hub, 'flights', { input, expectedRevision: null });
  else await createAgent(hub, input);
  // As whoever watches the store would.
  await hub.agents.refresh();
}

const other: Tool = defineTool({
  name: 'other',
  description: '',
  input: { jsonSchema: { type: 'object' } },
  run: () => ({}),
});

describe.each([
  ['with a session', {}],
  ['of revision 2026-07-28', envelope()],
])('a client %s', (era, params) => {
  const begin = async () => {
    if (era === 'with a session') await client.initialize();
  };

  it('finds the tools of the agent, and none of the hub', async () => {
    await begin();
    expect(listOf(await client.request('tools/list', params), 'tools').map(({ name }) => name)).toEqual([
      'book_flight',
    ]);
    const answer = await client.request('tools/call', { ...params, name: 'agent_zoo_list_agents', arguments: {} });
    expect(JSON.stringify(answer.result)).toContain('UNKNOWN_TOOL');
  });

  it.each(['prompts/list', 'resources/list', 'resources/read', 'completion/complete'])(
    'finds no %s',
    async (method) => {
      await begin();
      expect((await client.request(method, params)).error).toMatchObject({ code: -32601 });
    },
  );
});

it('says who it is in every result of revision 2026-07-28', async () => {
  const { result } = await client.request('server/discover', envelope());
  expect(result).toMatchObject({
    capabilities: { tools: { listChanged: true } },
    instructions: flightAgent.description,
  });
  const { _meta: meta } = result ?? {};
  expect(meta?.['io.modelcontextprotocol/serverInfo']).toEqual({ name: 'Flight desk', version: '2.3.1' });
});

it('tells a subscriber of saved definitions, and of nothing that happens in the hub', async () => {
  const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const isAcknowledged = client.until(({ method }) => method === 'notifications/subscriptions/acknowledged');
  client.write({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params: { ...envelope(), notifications } });
  await isAcknowledged;
  hub.tools.register(other);
  await createAgent(hub, { id: 'bystander', name: 'Bystander' });
  const told = client.until(({ method }) => method?.endsWith('list_changed') === true);
  await store([bookFlight, { ...bookFlight, name: 'rebook' }]);
  await told;
  const heard = client.received.map(({ method }) => method).filter((method) => method?.endsWith('list_changed'));
  expect(heard).toEqual(['notifications/tools/list_changed']);
});
