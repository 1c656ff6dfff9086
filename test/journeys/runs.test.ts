import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Turn } from '../../src/chats/transcript.ts';
import type { StoredRun, StoredRunDetail } from '../../src/engine/run-store.ts';
import type { StepPrompt } from '../../src/runs/runs.contract.ts';
import type { RunTotals } from '../../src/runs/runs.ts';
import { defineTool } from '../../src/tools/tool.ts';
import type { UsageReport } from '../../src/usage/usage.ts';
import { isFinished, readChat } from '../support/clients/chat-client.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import { startModelServer, type TestModelServer } from '../support/models/model-server.ts';

const dayMs = 86_400_000;
const secret = 'sk-test-0123456789abcdef0123456789abcdef';
const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: { jsonSchema: { type: 'object', properties: { city: { type: 'string' } } } },
  run: () => ({ sky: 'clear' }),
});
const toml = `[engine]
model = "house/scripted"

[providers.house]
type = "openai-compatible"
api_key = "${secret}"

[providers.house.prices."scripted"]
input = 1.0
output = 10.0

[providers.house.prices."other"]
input = 1.0
output = 10.0
`;

describe.each(databaseKinds)('runs in %s', (kind) => {
  let database: TestDatabase;
  let model: TestModelServer;
  let zoo: TestHub;
  beforeAll(async () => {
    database = await newTestDatabase(kind);
    model = await startModelServer();
    const base = toml.replace('api_key', `base_url = "${model.url}"\napi_key`);
    zoo = await serveTestHub({ toml: base, tools: [weather], db: database.db });
    await zoo.call('POST', '/api/agents', {
      body: { id: 'guide', name: 'Guide', systemPrompt: `You guide. ${secret}`, tools: ['weather'] },
    });
  });
  afterAll(async () => {
    await zoo.end();
    await model.close();
    await database.remove();
  });

  async function start(method: string, path: string, body: object): Promise<StoredRunDetail> {
    const { status, text, body: begun } = await zoo.call<{ runId: string; chatId: string }>(method, path, { body });
    expect(status, text).toBe(201);
    const reader = await readChat(zoo.server.url, begun.chatId, { ...zoo.owner });
    await reader.until(isFinished(begun.runId));
    await reader.close();
    return (await zoo.call<StoredRunDetail>('GET', `/api/runs/${begun.runId}`)).body;
  }
  const turnsOf = async ({ chatId }: { chatId: string | null }) =>
    (await zoo.call<{ turns: Turn[] }>('GET', `/api/chats/${chatId}/export?format=json`)).body.turns;
  const promptOf = async (run: StoredRun, step: number) =>
    (await zoo.call<StepPrompt>('GET', `/api/runs/${run.id}/steps/${step}`)).body;

  it('a run is started, shows its steps with the prompt of each, and is repeated and forked', async () => {
    model.add(
      { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }], usage: { input: 100, output: 10 } },
      { text: 'Clear.', usage: { input: 200, output: 20 } },
    );
    const run = await start('POST', '/api/runs', { agentId: 'guide', input: 'How is Oslo?' });
    expect(run).toMatchObject({ status: 'completed', agentId: 'guide', chatId: expect.stringMatching(/^chat_/) });
    expect(run.steps).toMatchObject([
      { kind: 'model', step: 1, tick: 1, model: 'house/scripted', messages: 1, error: null, cost: 0.0002 },
      { kind: 'tool', step: 2, tick: 1, tool: 'weather', state: 'finished' },
      { kind: 'model', step: 3, tick: 2, messages: 3, usage: { inputTokens: 200, outputTokens: 20 } },
    ]);
    for (const { startedAt, endedAt } of run.steps) expect(endedAt).toBeGreaterThanOrEqual(startedAt);

    const first = await promptOf(run, 1);
    expect(first.system).toContain('You guide.');
    expect(JSON.stringify(first)).not.toContain(secret);
    expect(first.tools.map(({ name }) => name)).toContain('weather');
    expect(first.messages).toHaveLength(1);
    const second = await promptOf(run, 3);
    expect(second.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect((await zoo.call('GET', `/api/runs/${run.id}/steps/2`)).status).toBe(400);
    expect((await zoo.call('GET', `/api/runs/${run.id}/steps/9`)).status).toBe(404);

    model.add({ text: 'Cloudy now.', usage: { input: 50, output: 5 } });
    const again = await start('POST', `/api/runs/${run.id}/fork`, {});
    expect(again.chatId).not.toBe(run.chatId);
    expect((await promptOf(again, 1)).messages).toEqual(first.messages);

    model.add({ text: 'Take a coat.', usage: { input: 60, output: 6 } });
    const fork = await start('POST', `/api/runs/${run.id}/fork`, { step: 3, message: 'What to wear?' });
    const sent = await promptOf(fork, 1);
    expect(sent.messages.slice(0, 3)).toEqual(second.messages);
    expect(sent.messages[3]).toEqual({ role: 'user', content: [{ type: 'text', text: 'What to wear?' }] });
    const roles = model.requests.at(-1)?.body.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    const { text: shown } = await zoo.call('GET', `/api/chats/${fork.chatId}/export`);
    for (const words of ['How is Oslo?', 'weather', 'What to wear?', 'Take a coat.']) expect(shown).toContain(words);
    expect((await zoo.call('POST', `/api/runs/${run.id}/fork`, { body: { step: 2 } })).status).toBe(400);
  });

  it('copied answers keep their model, time, tokens and cost, and count only where they were given', async () => {
    const usage = { usage: { input: 100, output: 10 } };
    model.add(
      { text: 'First.', ...usage },
      { toolCalls: [{ name: 'weather', arguments: { city: 'Bergen' } }], ...usage },
      { text: 'Rain.', usage: { input: 300, output: 30 } },
    );
    const first = await start('POST', '/api/runs', { agentId: 'guide', input: 'Hello' });
    const path = `/api/chats/${first.chatId}`;
    await zoo.call('POST', '/api/agents', {
      body: { id: 'pilot', name: 'Pilot', systemPrompt: 'You fly.', tools: ['weather'] },
    });
    await zoo.call('PATCH', path, { body: { agentId: 'pilot', model: 'house/other' } });
    const { body: asked } = await zoo.call<{ runId: string }>('POST', `${path}/messages`, {
      body: { text: 'Bergen?' },
    });
    await expect.poll(async () => (await zoo.hub.chats.get(first.chatId ?? '')).state).toBe('idle');
    const second = (await zoo.call<StoredRunDetail>('GET', `/api/runs/${asked.runId}`)).body;
    const totals = async () => (await zoo.call<RunTotals>('GET', '/api/runs/totals')).body;
    const before = await totals();

    model.add({ text: 'Again.', usage: { input: 7, output: 3 } });
    const fork = await start('POST', `/api/runs/${second.id}/fork`, { step: 3, message: 'And now?' });
    const turns = await turnsOf(fork);
    expect(turns.map(({ text }) => text)).toEqual(['Hello', 'Bergen?', 'And now?']);
    const [hello, bergen, now] = turns.flatMap(({ answers }) => answers);
    expect(hello).toMatchObject({
      runId: first.id,
      agentId: 'guide',
      model: 'house/scripted',
      isCopied: true,
      status: 'completed',
      usage: { inputTokens: 100, outputTokens: 10 },
      cost: 0.0002,
      startedAt: first.startedAt,
      finishedAt: first.finishedAt,
    });
    // The step that was forked from had not answered yet.
    const [request, call] = second.steps;
    expect(bergen).toMatchObject({
      agentId: 'pilot',
      model: 'house/other',
      usage: { inputTokens: 100, outputTokens: 10 },
      cost: 0.0002,
      startedAt: second.startedAt,
      finishedAt: call?.endedAt,
      parts: [{ type: 'call', durationMs: (call?.endedAt ?? 0) - (call?.startedAt ?? 0) }],
    });
    expect(request?.kind).toBe('model');
    expect(now).toMatchObject({ agentId: 'pilot', model: 'house/other', usage: { inputTokens: 7, outputTokens: 3 } });
    expect(now?.isCopied).toBeUndefined();
    // Copies of copies are the same.
    model.add({ text: 'Once more.', usage: { input: 7, output: 3 } });
    expect((await turnsOf(await start('POST', `/api/runs/${fork.id}/fork`, {})))[0]).toMatchObject({
      answers: [hello],
    });

    expect((await zoo.hub.chats.get(fork.chatId ?? '')).usage).toMatchObject({ inputTokens: 7, outputTokens: 3 });
    const after = await totals();
    expect([after.inputTokens - before.inputTokens, after.outputTokens - before.outputTokens]).toEqual([14, 6]);
    const range = `since=${new Date(Date.now() - dayMs).toISOString()}&until=${new Date(Date.now() + dayMs).toISOString()}`;
    const used = async () =>
      (await zoo.call<UsageReport>('GET', `/api/usage?${range}&step=744`)).body.total?.inputTokens;
    await expect.poll(used).toBe(after.inputTokens);
  });

  it('a copied answer whose run is gone shows no model, time, tokens or cost', async () => {
    model.add({ text: 'Here.', usage: { input: 7, output: 3 } });
    const said = (role: 'user' | 'assistant', text: string) => ({
      runId: 'run_gone',
      message: { role, content: [{ type: 'text' as const, text }] },
    });
    const begun = await zoo.hub.chats.fork({
      from: null,
      agentId: 'guide',
      history: [said('user', 'Where?'), said('assistant', 'There.')],
      answers: new Map(),
      outside: [],
      text: 'And now?',
    });
    const [{ answers = [] } = {}] = await turnsOf(begun);
    const [copied] = answers;
    expect(copied).toMatchObject({ model: '', isCopied: true, cost: null, parts: [{ text: 'There.' }] });
    expect(copied?.usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
    expect(copied?.finishedAt).toBe(copied?.startedAt);
    expect((await zoo.call('GET', `/api/chats/${begun.chatId}/export`)).text).toContain('## guide\n');
    await expect.poll(async () => (await zoo.hub.chats.get(begun.chatId)).state).toBe('idle');
  });

  it('a step that asks another agent shows what that agent used', async () => {
    for (const body of [
      { id: 'clerk', name: 'Clerk', systemPrompt: 'You file.', mode: 'autonomous' },
      { id: 'chief', name: 'Chief', systemPrompt: 'You lead.', tools: ['agent__clerk'], toolPermission: 'never' },
    ])
      await zoo.call('POST', '/api/agents', { body });
    model.add(
      { toolCalls: [{ name: 'agent__clerk', arguments: { message: 'File it.' } }], usage: { input: 100, output: 10 } },
      { text: 'Filed.', usage: { input: 300, output: 30 } },
      { text: 'Done.', usage: { input: 200, output: 20 } },
    );
    const run = await start('POST', '/api/runs', { agentId: 'chief', input: 'File this.' });
    expect(run.steps[1]).toMatchObject({
      kind: 'tool',
      tool: 'agent__clerk',
      state: 'finished',
      used: { usage: { inputTokens: 300, outputTokens: 30 }, cost: 0.0006 },
    });
    expect(run).toMatchObject({ usage: { inputTokens: 300, outputTokens: 30 }, cost: 0.0006 });

    // A copy of the answer shows what the answer itself shows: with the agents that it called.
    model.add({ text: 'Bye.', usage: { input: 7, output: 3 } });
    const { body: next } = await zoo.call<{ runId: string }>('POST', `/api/chats/${run.chatId}/messages`, {
      body: { text: 'Thanks.' },
    });
    await expect.poll(async () => (await zoo.hub.chats.get(run.chatId ?? '')).state).toBe('idle');
    const answerOf = async (chat: { chatId: string | null }) => (await turnsOf(chat))[0]?.answers[0];
    const { cost, ...shown } = { cost: 0, ...(await answerOf(run)) };
    expect(shown.usage).toMatchObject({ inputTokens: 600, outputTokens: 60 });
    const copy = async (runId: string, body: object) => {
      model.add({ text: 'Again.', usage: { input: 7, output: 3 } });
      return answerOf(await start('POST', `/api/runs/${runId}/fork`, body));
    };
    const copied = await copy(next.runId, {});
    expect(copied).toMatchObject({ isCopied: true, usage: shown.usage, cost });
    // Up to the second request: the first one, and the agent.
    const part = await copy(run.id, { step: 3, message: 'And then?' });
    expect(part?.usage).toMatchObject({ inputTokens: 400, outputTokens: 40 });
    expect(part?.cost).toBeCloseTo(0.0008, 9);
    // Without the chat, the steps of the run tell it.
    await zoo.call('DELETE', `/api/chats/${run.chatId}`);
    const late = await copy(next.runId, {});
    expect(late?.usage).toEqual(shown.usage);
    expect(late?.cost).toBeCloseTo(cost ?? 0, 9);
  });

  it('an agent that another calls has a run of its own, which is counted once, found, and run again', async () => {
    for (const body of [
      {
        id: 'printer',
        name: 'Printer',
        systemPrompt: 'You print for {who}.',
        mode: 'autonomous',
        arguments: [{ name: 'who', description: '', required: true }],
      },
      { id: 'boss', name: 'Boss', systemPrompt: 'You rule.', tools: ['agent__printer'], toolPermission: 'never' },
    ]) {
      const { status, text } = await zoo.call('POST', '/api/agents', { body });
      expect(status, text).toBe(201);
    }
    const call = { message: 'Print page 7.', arguments: { who: 'Ada' } };
    model.add(
      { toolCalls: [{ name: 'agent__printer', arguments: call }], usage: { input: 100, output: 10 } },
      { text: 'Printed.', usage: { input: 300, output: 30 } },
      { text: 'Done.', usage: { input: 200, output: 20 } },
    );
    const boss = await start('POST', '/api/runs', { agentId: 'boss', input: 'I need page 7.' });
    expect(boss).toMatchObject({ calledBy: null, caller: null, calledRuns: 1, usage: { inputTokens: 300 } });
    const [listed] = boss.called;
    const callId = boss.steps.flatMap((step) => (step.kind === 'tool' ? step.id : []))[0];
    expect(listed).toMatchObject({ agentId: 'printer', status: 'completed', calledBy: { runId: boss.id, callId } });
    const path = `/api/runs/${listed?.id}`;
    const { body: printer } = await zoo.call<StoredRunDetail>('GET', path);
    expect(printer).toMatchObject({
      chatId: null,
      title: 'Print page 7.',
      usage: { inputTokens: 300, outputTokens: 30 },
      cost: 0.0006,
      caller: { agentId: 'boss', title: 'I need page 7.', step: 2, arguments: { who: 'Ada' } },
      steps: [{ kind: 'model', cost: 0.0006 }],
    });
    expect((await promptOf(printer, 1)).system).toContain('You print for Ada.');

    const query = 'text=page+7';
    const list = async (called: string) =>
      (await zoo.call<{ runs: StoredRun[] }>('GET', `/api/runs?${query}${called}`)).body.runs.map(({ id }) => id);
    expect(await list('')).toEqual([boss.id]);
    expect(await list('&called=only')).toEqual([printer.id]);
    expect(await list('&called=show')).toEqual([printer.id, boss.id]);
    expect((await zoo.call('GET', '/api/runs?called=never')).status).toBe(400);
    for (const called of ['', '&called=show']) {
      const { body: totals } = await zoo.call<RunTotals>('GET', `/api/runs/totals?${query}${called}`);
      expect(totals).toMatchObject({ inputTokens: 600, outputTokens: 60, cost: expect.closeTo(0.0012, 9) });
    }

    model.add({ text: 'Printed again.' }, { text: 'And page 8.' });
    const again = await start('POST', `${path}/fork`, {});
    expect(again).toMatchObject({ agentId: 'printer', calledBy: null, chatId: expect.stringMatching(/^chat_/) });
    expect((await promptOf(again, 1)).system).toContain('You print for Ada.');
    expect((await promptOf(again, 1)).messages).toEqual((await promptOf(printer, 1)).messages);
    const fork = await start('POST', `${path}/fork`, { step: 1, message: 'Print page 8.' });
    expect((await promptOf(fork, 1)).messages).toHaveLength(1);
  });

  it('the answer of an agent that another asks over A2A is a run that it called, too', async () => {
    for (const body of [
      { id: 'scale', name: 'Scale', systemPrompt: 'You weigh.', mode: 'autonomous' },
      { id: 'cook', name: 'Cook', systemPrompt: 'You cook.', tools: ['a2a_*'], toolPermission: 'never' },
    ]) {
      const { status, text } = await zoo.call('POST', '/api/agents', { body });
      expect(status, text).toBe(201);
    }
    const input = { agent: 'scale', message: 'How heavy is an egg?' };
    model.add(
      { toolCalls: [{ name: 'a2a_send_message', arguments: input }], usage: { input: 100, output: 10 } },
      { text: '60 grams.', usage: { input: 300, output: 30 } },
      { text: 'Fine.', usage: { input: 200, output: 20 } },
    );
    const cook = await start('POST', '/api/runs', { agentId: 'cook', input: 'Weigh an egg.' });
    expect(cook.called, JSON.stringify(cook.messages)).toMatchObject([
      { agentId: 'scale', chatId: expect.stringMatching(/^chat_/), calledBy: { runId: cook.id } },
    ]);
  });

  it('a fork remembers what the conversation has read from outside', async () => {
    model.add({ text: 'One.' });
    const run = await start('POST', '/api/runs', { agentId: 'guide', input: 'Count.' });
    const adopted = { turns: [], from: null, attachments: [], outside: ['page (server web)'] };
    const { chats, runs } = zoo.hub.store;
    await chats.create({
      id: 'reader',
      agentId: 'guide',
      title: '',
      model: null,
      origin: { kind: 'chat' },
      arguments: {},
    });
    await chats.adopt('reader', adopted);
    model.add({ text: 'Two.' });
    const { body } = await zoo.call<{ runId: string }>('POST', '/api/chats/reader/messages', {
      body: { text: 'Go on.' },
    });
    const reader = await readChat(zoo.server.url, 'reader', { ...zoo.owner });
    await reader.until(isFinished(body.runId));
    await reader.close();
    expect((await runs.get(body.runId)).outside).toEqual(adopted.outside);
    await expect(chats.adopt('reader', adopted)).rejects.toMatchObject({ code: 'CONFLICT' });
    model.add({ text: 'Three.' });
    const { chatId } = await start('POST', `/api/runs/${body.runId}/fork`, { step: 1, message: 'Again.' });
    expect((await runs.get(run.id)).outside).toEqual([]);
    expect(chatId).not.toBeNull();
    // The question itself may have come from outside.
    model.add({ text: 'Four.' });
    const again = await start('POST', `/api/runs/${body.runId}/fork`, {});
    expect((await promptOf(again, 1)).messages).toHaveLength(1);
    expect(again.outside).toEqual(adopted.outside);
    expect((await zoo.hub.chats.get(again.chatId ?? '')).outside).toEqual(adopted.outside);
  });

  it('a run keeps its arguments, and is repeated and forked with them, also after its chat was deleted', async () => {
    const prompt = 'You answer in {language}.';
    const body = {
      id: 'polyglot',
      name: 'Polyglot',
      systemPrompt: prompt,
      arguments: [{ name: 'language', required: true }],
    };
    expect((await zoo.call('POST', '/api/agents', { body })).status).toBe(201);
    const refused = await zoo.call('POST', '/api/runs', { body: { agentId: 'polyglot', input: 'Hello' } });
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('language') });
    const systemOf = async (run: StoredRun) => (await promptOf(run, 1)).system;
    const given = { language: 'Latin' };
    model.add({ text: 'Salve.' }, { text: 'Ave.' }, { text: 'Vale.' });
    const run = await start('POST', '/api/runs', { agentId: 'polyglot', input: 'Hello', arguments: given });
    expect(run.arguments).toEqual(given);
    const again = await start('POST', `/api/runs/${run.id}/fork`, {});
    expect(again.arguments).toEqual(given);
    expect((await zoo.call('DELETE', `/api/chats/${run.chatId}`)).status).toBe(204);
    const forked = await start('POST', `/api/runs/${run.id}/fork`, { step: 1, message: 'And goodbye?' });
    expect(await systemOf(forked)).toContain('You answer in Latin.');
  });

  it('a run is repeated without the arguments of another agent that its chat has switched to', async () => {
    const optional = [{ name: 'language', required: false }];
    const linguist = { id: 'linguist', name: 'Linguist', systemPrompt: 'You like {language}.', arguments: optional };
    expect((await zoo.call('POST', '/api/agents', { body: linguist })).status).toBe(201);
    model.add({ text: 'Hello.' }, { text: 'Hello again.' });
    const run = await start('POST', '/api/runs', { agentId: 'linguist', input: 'Hello' });
    const change = { agentId: 'polyglot', arguments: { language: 'Latin' } };
    expect((await zoo.call('PATCH', `/api/chats/${run.chatId}`, { body: change })).status).toBe(200);
    const again = await start('POST', `/api/runs/${run.id}/fork`, {});
    expect(again).toMatchObject({ status: 'completed', agentId: 'linguist' });
    expect(again.arguments).toEqual({});
    expect((await promptOf(again, 1)).system).toBe((await promptOf(run, 1)).system);
  });

  it('a run of the command line is repeated with its arguments', async () => {
    model.add({ text: 'Bonjour.' }, { text: 'Salut.' });
    const given = { language: 'French' };
    const { runId } = await (await zoo.hub.runAgent({ agentId: 'polyglot', input: 'Hello', arguments: given })).result;
    const again = await start('POST', `/api/runs/${runId}/fork`, {});
    expect(again).toMatchObject({ status: 'completed', arguments: given });
    expect((await promptOf(again, 1)).system).toContain('You answer in French.');
  });

  it('a run that reaches its own limit is not stopped by a budget of the hub', async () => {
    model.add({ toolCalls: [{ name: 'weather', arguments: {} }], usage: { input: 100, output: 10 } });
    const limited = await zoo.hub.runAgent({ agentId: 'guide', input: 'How is it?', budget: { maxTokens: 50 } });
    const result = await limited.result;
    expect(result).toMatchObject({ status: 'budget', reason: 'The run used 110 of 50 tokens.' });
    expect(result.refusal).toBeUndefined();
  });

  it('runs are found by agent, state, time and words, and added up', async () => {
    model.add({ status: 400, body: { error: { message: 'no such thing' } } });
    const failed = await start('POST', '/api/runs', { agentId: 'guide', input: 'Ünderground maps?' });
    expect(failed).toMatchObject({ status: 'failed', steps: [{ kind: 'model', error: 'MODEL_ERROR', usage: null }] });
    const list = async (query: string) =>
      (await zoo.call<{ runs: StoredRun[] }>('GET', `/api/runs?${query}`)).body.runs.map(({ id }) => id);
    const totals = async (query: string) => (await zoo.call<RunTotals>('GET', `/api/runs/totals?${query}`)).body;
    expect(await list('state=failed')).toEqual([failed.id]);
    expect(await list(`text=${encodeURIComponent('MAPS')}&agent=guide`)).toEqual([failed.id]);
    expect(await list('agent=nobody')).toEqual([]);
    expect(await list('state=running')).toEqual([]);
    expect(await list('state=interrupted')).toEqual([]);
    expect(await list(`until=${new Date(failed.startedAt - 3_600_000).toISOString()}`)).toEqual([]);
    const all = await totals('');
    expect(all.runs).toBe((await list('')).length);
    expect(all).toMatchObject({ failed: 1, unpriced: 0 });
    expect(all.inputTokens).toBeGreaterThanOrEqual(410);
    expect(all.cost).toBeCloseTo((all.inputTokens + 10 * all.outputTokens) / 1_000_000, 9);
    expect(await totals('text=oslo')).toMatchObject({ runs: 2, failed: 0, inputTokens: 350, outputTokens: 35 });
    expect(await totals('agent=nobody')).toEqual({
      runs: 0,
      called: 0,
      isPartial: false,
      failed: 0,
      unpriced: 0,
      cost: 0,
      inputTokens: 0,
      outputTokens: 0,
    });
  });

  it('a run without recorded steps is shown without them, and can be repeated', async () => {
    const { runs } = zoo.hub.store;
    const question = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Old question' }] };
    await runs.begin({ id: 'old', agentId: 'guide', model: 'house/scripted', title: 'Old', messages: [question] });
    expect((await zoo.call<StoredRunDetail>('GET', '/api/runs/old')).body).toMatchObject({ steps: [], chatId: null });
    model.add({ text: 'New answer.' });
    const again = await start('POST', '/api/runs/old/fork', {});
    expect((await promptOf(again, 1)).messages).toEqual([question]);
    const ownerless = { id: 'lone', agentId: null, model: 'm', title: '', messages: [question] };
    await runs.begin(ownerless);
    expect((await zoo.call('POST', '/api/runs/lone/fork', { body: {} })).status).toBe(400);
  });
});
