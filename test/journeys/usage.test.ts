import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayMs } from '../../src/base/clock.ts';
import type { StoredRunDetail } from '../../src/engine/run-store.ts';
import type { InboxItem } from '../../src/inbox/inbox.ts';
import type { BudgetState } from '../../src/usage/budgets.ts';
import type { UsageReport } from '../../src/usage/usage.ts';
import { isFinished, readChat } from '../support/clients/chat-client.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { type ModelStep, startModelServer, type TestModelServer } from '../support/models/model-server.ts';

const toml = (url: string) => `[engine]
model = "house/priced"

[providers.house]
type = "openai-compatible"
base_url = "${url}"

[providers.house.prices."priced"]
input = 1000.0
output = 1000.0
`;

describe.each(databaseKinds)('usage and budgets in %s', (kind) => {
  let database: TestDatabase;
  let model: TestModelServer;
  let zoo: TestHub;
  /** Given before the usual one. */
  const answers: ModelStep[] = [];
  beforeAll(async () => {
    database = await newTestDatabase(kind);
    const answer = { text: 'Fine.', usage: { input: 800, output: 200 } };
    model = await startModelServer({ script: () => answers.shift() ?? answer, models: ['priced', 'free'] });
    zoo = await serveTestHub({ toml: toml(model.url), db: database.db });
    for (const id of ['guide', 'clerk'])
      await zoo.call('POST', '/api/agents', {
        body: {
          id,
          name: id,
          systemPrompt: 'You help.',
          mode: 'autonomous',
        },
      });
  });
  afterAll(async () => {
    await zoo.end();
    await model.close();
    await database.remove();
  });
  beforeEach(async () => {
    for (const { id } of (await budgets()).filter(Boolean)) await zoo.call('DELETE', `/api/budgets/${id}`);
  });

  const budgets = async () => (await zoo.call<{ budgets: BudgetState[] }>('GET', '/api/budgets')).body.budgets;
  const setBudget = async (id: string, body: object) =>
    expect((await zoo.call('PUT', `/api/budgets/${id}`, { body })).status).toBe(204);
  async function ask(agentId: string, name?: string): Promise<StoredRunDetail> {
    const body = { agentId, input: 'Help?', ...(name && { model: name }) };
    const { body: begun, text } = await zoo.call<{ runId: string; chatId: string }>('POST', '/api/runs', { body });
    expect(begun.runId, text).toBeDefined();
    const reader = await readChat(zoo.server.url, begun.chatId, { ...zoo.owner });
    await reader.until(isFinished(begun.runId));
    await reader.close();
    return (await zoo.call<StoredRunDetail>('GET', `/api/runs/${begun.runId}`)).body;
  }
  const now = Date.now();
  const range = `since=${new Date(now - dayMs).toISOString()}&until=${new Date(now + dayMs).toISOString()}`;
  const report = async (query: string) => (await zoo.call<UsageReport>('GET', `/api/usage?${range}&${query}`)).body;

  it('every model call is counted for its agent, model and client, in chats and in tools', async () => {
    await ask('guide');
    const { body: key } = await zoo.call<{ secret: string }>('POST', '/api/keys', { body: { name: 'laptop' } });
    const headers = { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' };
    const called = await fetch(`${zoo.server.url}/tools/agent__clerk`, {
      method: 'POST',
      headers,
      body: '{"message":"Help?"}',
    });
    expect(called.status, await called.text()).toBe(200);
    const { groups, total } = await report('by=agent');
    expect(groups.map(({ key: id, calls, inputTokens }) => [id, calls, inputTokens]).sort()).toEqual([
      ['clerk', 1, 800],
      ['guide', 1, 800],
    ]);
    expect(total).toMatchObject({ calls: 2, errors: 0, outputTokens: 400, cost: 2, unpriced: 0 });
    expect((await report('by=client')).groups.map(({ key: name }) => name).sort()).toEqual(['', 'laptop']);
    expect((await report('by=model')).groups).toMatchObject([{ key: 'house/priced', calls: 2 }]);
    const csv = await zoo.call('GET', `/api/usage/export?${range}&by=client`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect(csv.text).toMatch(/^time,client,calls,errors,.*\r\n[0-9T:.-]+Z,(laptop)?,1,0,800,200,1,/);
    expect((await zoo.call('GET', `/api/usage?since=2020-01-01&until=2026-01-01&step=1`)).status).toBe(400);
  });

  it('chats, runs and A2A messages of a key are counted for its client, and later ones of the owner are not', async () => {
    const clientCalls = async () =>
      (await report('by=client')).groups.find(({ key: name }) => name === 'phone')?.calls ?? 0;
    const { body: key } = await zoo.call<{ secret: string }>('POST', '/api/keys', { body: { name: 'phone' } });
    const headers = { authorization: `Bearer ${key.secret}` };
    const send = async (path: string, body: object, as: object = { headers }) => {
      const { body: begun, text } = await zoo.call<{ id: string; runId: string; chatId: string }>('POST', path, {
        body,
        ...as,
      });
      const chatId = begun.chatId ?? begun.id ?? path.split('/')[3];
      expect(chatId, text).toBeDefined();
      await expect.poll(async () => (await zoo.hub.chats.get(chatId)).state).toBe('idle');
      return chatId;
    };
    const chatId = await send('/api/chats', { agentId: 'guide', message: 'Help?' });
    await expect.poll(clientCalls).toBe(1);
    await send(`/api/chats/${chatId}/messages`, { text: 'More?' }, {});
    expect(await clientCalls()).toBe(1);
    await send(`/api/chats/${chatId}/messages`, { text: 'And more?' });
    await expect.poll(clientCalls).toBe(2);
    await send(`/api/chats/${chatId}/retry`, {});
    await expect.poll(clientCalls).toBe(3);
    const runChat = await send('/api/runs', { agentId: 'guide', input: 'Help?' });
    await expect.poll(clientCalls).toBe(4);
    const { runs } = await zoo.hub.store.runs.list({ limit: 10 });
    await send(`/api/runs/${runs.find((run) => run.chatId === runChat)?.id}/fork`, {});
    await expect.poll(clientCalls).toBe(5);
    const message = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'Help?' }] };
    const { text } = await zoo.call('POST', '/agents/guide/a2a', {
      headers,
      body: { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } },
    });
    expect(text).toContain('Fine.');
    expect(await clientCalls()).toBe(6);
  });

  it('an agent that a member asks with its token is counted for the member, as are the agents that it asks', async () => {
    const body = { id: 'desk', name: 'Desk', systemPrompt: 'You delegate.', tools: ['agent__clerk', 'agent__chain'] };
    await zoo.call('POST', '/api/agents', { body });
    const chain = { id: 'chain', name: 'Chain', systemPrompt: 'You ask.', mode: 'autonomous', tools: ['agent__clerk'] };
    await zoo.call('POST', '/api/agents', { body: { ...chain, toolPermission: 'never' } });
    const { token } = await zoo.hub.team.members.add({ id: 'desk-1', type: 'WORKER', agent: 'desk' });
    const execute = async (toolName: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const call = { agentId: 'desk-1', toolName, input: { message: 'Help?' } };
      const { status, text } = await zoo.call('POST', '/mcp/execute', { body: call, headers });
      expect(status, text).toBe(200);
    };
    await execute('agent__clerk');
    const ofMember = async () => (await report('by=member&member=desk-1')).groups;
    expect(await ofMember()).toMatchObject([{ key: 'desk-1', calls: 1, inputTokens: 800 }]);
    const asking = [{ name: 'agent__clerk', arguments: { message: 'Help?' } }];
    answers.push({ toolCalls: asking, usage: { input: 800, output: 200 } });
    await execute('agent__chain');
    expect(await ofMember()).toMatchObject([{ key: 'desk-1', calls: 4 }]);
    expect((await report('by=agent&member=desk-1')).groups.map(({ key, calls }) => [key, calls]).sort()).toEqual([
      ['chain', 2],
      ['clerk', 2],
    ]);
    await setBudget('desk', {
      scope: { kind: 'member', id: 'desk-1' },
      period: 'day',
      unit: 'tokens',
      limit: 10,
      action: 'stop',
    });
    const headers = { authorization: `Bearer ${token}` };
    const refused = { agentId: 'desk-1', toolName: 'agent__clerk', input: { message: 'Help?' } };
    const { text } = await zoo.call('POST', '/mcp/execute', { body: refused, headers });
    expect(text).toContain('budget of the member \\"desk-1\\" for this day is used up');
  });

  it('a budget that is used up stops the next model call, and says who can raise it', async () => {
    const hubFor = (limit: number) => ({ scope: { kind: 'hub' }, period: 'day', unit: 'cost', limit, action: 'stop' });
    await ask('guide');
    const { cost } = (await report('by=agent')).total;
    const asked = model.requests.length;
    await setBudget('day', hubFor(cost - 0.5));
    const refused = await ask('guide');
    expect(refused).toMatchObject({ status: 'budget', ticks: 1 });
    expect(refused.reason).toContain(
      `The budget of the hub for this day is used up: $${cost.toFixed(2)} of $${(cost - 0.5).toFixed(2)}. It resets on `,
    );
    expect(refused.reason).toMatch(/ The owner of the hub can raise it under Usage\.$/);
    expect(model.requests).toHaveLength(asked);
    expect(await budgets()).toMatchObject([{ id: 'day', used: cost, limit: cost - 0.5 }]);
    await setBudget('day', hubFor(cost + 100));
    expect((await ask('guide')).status).toBe('completed');
  });

  it('a budget of an agent stops only that agent, and one that warns stops nobody', async () => {
    await ask('clerk');
    await setBudget('clerk', {
      scope: { kind: 'agent', id: 'clerk' },
      period: 'month',
      unit: 'tokens',
      limit: 10,
      action: 'stop',
    });
    await setBudget('hub', { scope: { kind: 'hub' }, period: 'month', unit: 'tokens', limit: 10, action: 'warn' });
    expect((await ask('guide')).status).toBe('completed');
    expect((await ask('clerk')).reason).toContain('budget of the agent "clerk" for this month');
  });

  it('a budget that is nearly or completely used up is in the inbox', async () => {
    await ask('guide');
    const { cost } = (await report('by=agent')).total;
    const hub = { scope: { kind: 'hub' }, period: 'day', unit: 'cost', action: 'warn' };
    await setBudget('enough', { ...hub, limit: cost * 10 });
    await setBudget('near', { ...hub, limit: cost + 0.01 });
    await setBudget('over', { ...hub, limit: cost, action: 'stop' });
    const { items } = (await zoo.call<{ items: InboxItem[] }>('GET', '/api/inbox')).body;
    const found = items.flatMap((item) => (item.kind === 'failure' && item.settle.what === 'budget' ? [item] : []));
    expect(found).toMatchObject([
      { settle: { budget: 'over' }, urgency: 'high', link: '/usage' },
      { settle: { budget: 'near' }, urgency: 'normal', title: 'The budget of the hub for this day is nearly used up' },
    ]);
    expect(found[0]?.why).toMatch(/^\$\d+\.00 of \$\d+\.00 used\. Further model calls are refused\. It resets on /);
  });

  it('a strict budget in dollars refuses a model of unknown price', async () => {
    await setBudget('strict', { scope: { kind: 'hub' }, period: 'day', unit: 'cost', limit: 1e6, action: 'stop' });
    expect((await ask('guide', 'house/free')).reason).toContain('The price of house/free is unknown');
    await setBudget('strict', { scope: { kind: 'hub' }, period: 'day', unit: 'tokens', limit: 1e9, action: 'stop' });
    expect((await ask('guide', 'house/free')).status).toBe('completed');
    expect((await report('by=model&model=house%2Ffree')).total).toMatchObject({ calls: 1, unpriced: 1, cost: 0 });
    expect((await report('by=agent')).unpricedModels).toEqual(['house/free']);
    expect((await report('by=agent&model=house%2Fpriced')).unpricedModels).toEqual([]);
  });

  it('a price that is set in the app makes a strict budget in dollars possible', async () => {
    await setBudget('strict', { scope: { kind: 'hub' }, period: 'day', unit: 'cost', limit: 1e6, action: 'stop' });
    const setPrice = (price: object | null) =>
      zoo.call('POST', '/api/models', { body: { change: { kind: 'price', model: 'house/small', price } } });
    expect((await ask('guide', 'house/small')).reason).toContain('The price of house/small is unknown');
    const refused = await zoo.hub.runAgent({ agentId: 'guide', input: 'Help?', model: 'house/small' });
    expect(await refused.result).toMatchObject({ status: 'budget', refusal: 'unknown-price' });
    expect((await setPrice({ input: 1_000, output: 1_000 })).status).toBe(200);
    expect(await ask('guide', 'house/small')).toMatchObject({ status: 'completed', cost: 1 });
    expect((await setPrice(null)).status).toBe(200);
    expect((await ask('guide', 'house/small')).status).toBe('budget');
    expect((await setPrice({ input: -1, output: 1 })).status).toBe(400);
    const { entries } = await zoo.hub.decisions.page({ kind: 'act', text: 'house/small', limit: 100 });
    const acts = entries.map(({ context }) => JSON.parse(context).after);
    expect(acts).toContainEqual({ price: { input: 1_000, output: 1_000 }, in: 'hub' });
  });

  it('a budget is checked and recorded', async () => {
    const bad = { scope: { kind: 'hub' }, period: 'day', unit: 'cost', limit: 0, action: 'stop' };
    expect((await zoo.call('PUT', '/api/budgets/bad', { body: bad })).status).toBe(400);
    expect((await zoo.call('PUT', '/api/budgets/a.b', { body: { ...bad, limit: 1 } })).status).toBe(400);
    expect((await zoo.call('DELETE', '/api/budgets/none')).status).toBe(404);
    const good = { ...bad, limit: 1, version: null };
    await setBudget('recorded', good);
    expect((await zoo.call('PUT', '/api/budgets/recorded', { body: good })).status).toBe(409);
    const [{ version } = { version: 0 }] = await budgets();
    await setBudget('recorded', { ...good, limit: 2, version });
    expect((await zoo.call('PUT', '/api/budgets/recorded', { body: { ...good, version } })).status).toBe(409);
    expect(await budgets()).toMatchObject([{ id: 'recorded', limit: 2 }]);
    const { entries } = await zoo.hub.decisions.page({ kind: 'act', text: '"recorded"', limit: 100 });
    const acts = entries.map(({ context }) => JSON.parse(context));
    expect(acts).toContainEqual(expect.objectContaining({ after: { ...bad, limit: 1 } }));
    expect(acts).toContainEqual(expect.objectContaining({ before: { ...bad, limit: 1 }, after: { ...bad, limit: 2 } }));
  });
});
