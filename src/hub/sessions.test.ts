import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FlightDesk, openFlightDesk, toolsOffered } from '../../test/support/tools/book-flight.ts';
import { defineAgent } from '../agents/define-agent.ts';
import { defineTool } from '../tools/tool.ts';

const pay = defineTool({
  name: 'pay',
  description: '',
  requiresApproval: true,
  input: { jsonSchema: { type: 'object' } },
  run: () => ({ paid: true }),
});

let desk: FlightDesk;
beforeEach(async () => {
  desk = await openFlightDesk(() => ({ text: 'Yes.' }), { tools: [pay] });
  await desk.store({ tools: ['pay'], toolPermission: 'tool' });
});
afterEach(() => desk.end());

it.each([
  ['interactive', ['pay'], 1],
  ['headless', [], 0],
] as const)('an %s session has the tools %j and keeps %i run', async (kind, tools, kept) => {
  const { sessions } = desk.hub;
  const session = await sessions.open({ agentId: 'flights', kind });
  expect(await sessions.count()).toBe(1);
  expect((await session.send('Well?').result).text).toBe('Yes.');
  expect(desk.model.requests.map(toolsOffered)).toEqual([tools]);
  expect((await desk.hub.store.runs.list({ limit: 5 })).runs).toHaveLength(kept);
  await session.close();
  expect(await sessions.count()).toBe(0);
});

it('each run has its own session, which ends with the run, even if the run never starts', async () => {
  const run = await desk.hub.runAgent({ agentId: 'flights', input: 'Well?' });
  expect((await run.result).text).toBe('Yes.');
  await expect(desk.hub.runAgent({ agentId: 'flights', input: '' })).rejects.toThrow(/input is empty/);
  expect(await desk.hub.sessions.count()).toBe(0);
});

it("a run in a chat begins with the agent's prompt and the earlier messages of the chat", async () => {
  const { agents, chats, store } = desk.hub;
  const messages = [{ role: 'assistant' as const, content: 'Where to?' }];
  agents.register(defineAgent({ name: 'greeter', resolve: () => ({ system: 'You greet.', messages }) }));
  const { id } = await chats.create({ agentId: 'greeter' });
  const runIds: string[] = [];
  for (const text of ['Paris', 'Rome']) {
    const { runId } = await chats.send(id, { text });
    runIds.push(runId);
    for await (const { type } of chats.events(id, {
      after: (await chats.get(id)).lastSeq - 1,
      signal: AbortSignal.timeout(20_000),
    }))
      if (type === 'answer.finished') break;
  }
  const textsOf = async (runId: string) =>
    (await store.runs.get(runId)).messages
      .flatMap(({ content }) => content)
      .map((block) => 'text' in block && block.text);
  expect(await Promise.all(runIds.map(textsOf))).toEqual([
    ['Where to?', 'Paris', 'Yes.'],
    ['Where to?', 'Paris', 'Yes.', 'Rome', 'Yes.'],
  ]);
  // The first message is sent anew: its run has nothing of theirs, and they stay as they were.
  const kept = await store.chats.messages(id);
  const { runId } = await chats.send(id, { text: 'Oslo', replaces: kept[0]?.messageId });
  await chats.stop(id);
  expect((await textsOf(runId)).slice(0, 2)).toEqual(['Where to?', 'Oslo']);
  expect(await textsOf(runIds[1] ?? '')).toEqual(['Where to?', 'Paris', 'Yes.', 'Rome', 'Yes.']);
});

it('a limit in the config counts from the next run on, without a restart', async () => {
  const looping = await openFlightDesk(() => ({ toolCalls: [{ name: 'pay', arguments: {} }] }), {
    tools: [pay],
    toml: 'max_ticks = 3\n',
  });
  await looping.store({ tools: ['pay'] });
  const run = async () => (await (await looping.hub.runAgent({ agentId: 'flights', input: 'Well?' })).result).ticks;
  expect(await run()).toBe(3);
  const values = [{ key: 'engine.max_ticks', value: 1 }];
  const applied = { where: 'file', isHeld: false, needsRestart: false };
  expect(await looping.hub.settings.apply({ kind: 'values', values })).toEqual(applied);
  expect(await run()).toBe(1);
  await looping.end();
});

it('open sessions are counted for /metrics', async () => {
  const session = await desk.hub.sessions.open({ agentId: 'flights', kind: 'headless' });
  expect((await desk.call('GET', '/metrics')).text).toContain('zoo_sessions 1');
  await session.close();
});

it('closing them stops what runs, and no more are opened', async () => {
  const { sessions } = desk.hub;
  const session = await sessions.open({ agentId: 'flights', kind: 'headless' });
  const run = session.send('Well?');
  await sessions.close();
  expect((await run.result).status).toBe('aborted');
  expect(await sessions.count()).toBe(0);
  const again = sessions.open({ agentId: 'flights', kind: 'headless' });
  await expect(again).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
