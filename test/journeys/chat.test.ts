import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Chat } from '../../src/chats/chat.ts';
import type { ChatContext, FoundChat } from '../../src/chats/chats.ts';
import type { StoredRunDetail } from '../../src/engine/run-store.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { answerText, type ChatReader, isFinished, readChat, textSeen } from '../support/clients/chat-client.ts';
import { serveTestHub, type TestHub } from '../support/hubs/serve-test-hub.ts';
import {
  type ModelStep,
  type RecordedModelRequest,
  startModelServer,
  type TestModelServer,
} from '../support/models/model-server.ts';

let model: TestModelServer;
let zoo: TestHub;
let script: ModelStep[] = [];
let modelRequests: RecordedModelRequest[] = [];
const paid: unknown[] = [];
const readers: ChatReader[] = [];

const pay = defineTool({
  name: 'pay',
  description: 'Pays a bill.',
  requiresApproval: true,
  input: { jsonSchema: { type: 'object', properties: { amount: { type: 'number' } } } },
  run: (input) => {
    paid.push(input);
    return { paid: true };
  },
});

beforeAll(async () => {
  model = await startModelServer({
    script: (request) => {
      modelRequests.push(request);
      return script.shift() ?? { status: 400, body: { error: { message: 'the script is over' } } };
    },
  });
  zoo = await serveTestHub({
    toml: '[engine]\nmodel = "openai-compatible/scripted"\n',
    env: { OPENAI_COMPATIBLE_BASE_URL: model.url },
    tools: [pay],
  });
  await zoo.call('POST', '/api/agents', {
    body: {
      id: 'clerk',
      name: 'Clerk',
      systemPrompt: 'You pay bills.',
      tools: ['pay'],
      toolPermission: 'tool',
      skills: [{ id: 's', name: 'Care', description: 'Count twice.' }],
      exposes: [
        {
          name: 'settle',
          description: 'Settles a bill.',
          parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
          prompt: 'Settle the bill of {who}.',
        },
      ],
    },
  });
  await zoo.call('POST', '/api/agents', { body: { id: 'poet', name: 'Poet', systemPrompt: 'You write poems.' } });
});
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  await zoo.end();
  await model.close();
});
beforeEach(() => {
  script = [];
  modelRequests = [];
  paid.length = 0;
});

async function begin(body: object = {}): Promise<{ chat: Chat; reader: ChatReader }> {
  const {
    status,
    body: chat,
    text,
  } = await zoo.call<Chat>('POST', '/api/chats', { body: { agentId: 'clerk', ...body } });
  expect(status, text).toBe(201);
  return { chat, reader: await read(chat.id) };
}

async function read(id: string): Promise<ChatReader> {
  const reader = await readChat(zoo.server.url, id, { ...zoo.owner });
  readers.push(reader);
  return reader;
}

async function send(id: string, body: object): Promise<{ messageId: string; runId: string }> {
  const {
    status,
    body: sent,
    text,
  } = await zoo.call<{ messageId: string; runId: string }>('POST', `/api/chats/${id}/messages`, { body });
  expect(status, text).toBe(202);
  return sent;
}

const chatOf = async (id: string) => (await zoo.call<Chat>('GET', `/api/chats/${id}`)).body;

/** Returns the messages that the model received, without the system prompt. */
function promptOf(request: RecordedModelRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map(
      ({ role, content, tool_calls }) =>
        `${role}: ${tool_calls ? tool_calls.map((call) => call.function.name) : textOf(content)}`,
    );
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

describe('a chat over HTTP', () => {
  it('streams the answer, counts its tokens, takes its title from the first words, and continues', async () => {
    script = [
      { text: ['Good ', 'morning.'], usage: { input: 10, output: 2 } },
      { text: 'It is nine.', usage: { input: 20, output: 3 } },
    ];
    const { chat, reader } = await begin();
    await reader.ready;
    expect(chat).toMatchObject({ title: 'New chat', state: 'idle', model: null, lastSeq: 0, origin: { kind: 'chat' } });
    const first = await send(chat.id, { text: 'Hello there, how are you?' });
    await reader.until(isFinished(first.runId));
    expect(answerText(reader.transcript)).toBe('Good morning.');
    const second = await send(chat.id, { text: 'What time is it?' });
    await reader.until(isFinished(second.runId));
    expect(reader.transcript.turns.map(({ text }) => text)).toEqual(['Hello there, how are you?', 'What time is it?']);
    expect(promptOf(modelRequests[1])).toEqual([
      'user: Hello there, how are you?',
      'assistant: Good morning.',
      'user: What time is it?',
    ]);
    // The second run includes the whole conversation, but each message is stored once.
    const run = await zoo.call<StoredRunDetail>('GET', `/api/runs/${second.runId}`);
    expect(run.body.messages.map(({ content }) => content[0])).toMatchObject([
      { text: 'Hello there, how are you?' },
      { text: 'Good morning.' },
      { text: 'What time is it?' },
      { text: 'It is nine.' },
    ]);
    const database = new DatabaseSync(zoo.hub.store.location);
    const storedMessages = database.prepare('select thread_id, run_id from messages order by thread_id, ordinal').all();
    database.close();
    const [one, two] = [first, second].map(({ runId }) => ({ thread_id: chat.id, run_id: runId }));
    expect(storedMessages.filter((row) => row.thread_id === chat.id)).toEqual([one, one, two, two]);
    expect(storedMessages.filter((row) => row.thread_id === second.runId)).toEqual([]);
    expect(await chatOf(chat.id)).toMatchObject({
      title: 'Hello there, how are you?',
      state: 'idle',
      usage: { inputTokens: 30, outputTokens: 5 },
      lastSeq: reader.transcript.lastSeq,
    });
    expect(reader.events.map(({ seq }) => seq)).toEqual(reader.events.map((_, index) => index + 1));
    expect(reader.events[1]).toMatchObject({
      type: 'answer.started',
      agentId: 'clerk',
      model: 'openai-compatible/scripted',
    });
  });

  it('asks before a call; you can approve it once or for the whole chat', async () => {
    const call = { toolCalls: [{ name: 'pay', arguments: { amount: 5 } }] };
    script = [call, { text: 'Paid once.' }, call, call, { text: 'Paid twice more.' }, call, { text: 'And again.' }];
    const { chat, reader } = await begin({ message: 'Pay the bill' });
    const approve = (answer: string) =>
      zoo.call('POST', `/api/chats/${chat.id}/approvals/call_1`, { body: { answer } });
    const questions = () => reader.events.filter(({ type }) => type === 'approval.needed').length;

    await reader.until(() => questions() === 1);
    expect(await chatOf(chat.id)).toMatchObject({ state: 'waiting' });
    expect(callsOf(reader)).toMatchObject([{ tool: 'pay', state: 'waiting', input: { amount: 5 } }]);
    expect(paid).toHaveLength(0);
    expect((await approve('approve')).status).toBe(204);
    await reader.until(isFinished());
    expect(callsOf(reader)).toMatchObject([{ state: 'finished', content: [{ type: 'text', text: '{"paid":true}' }] }]);
    expect(paid).toEqual([{ amount: 5 }]);
    expect((await approve('approve')).status).toBe(404);

    const second = await send(chat.id, { text: 'And two more' });
    await reader.until(() => questions() === 2);
    expect((await approve('chat')).status).toBe(204);
    await reader.until(isFinished(second.runId));
    expect(paid).toHaveLength(3);
    const third = await send(chat.id, { text: 'And once more' });
    await reader.until(isFinished(third.runId));
    expect(paid).toHaveLength(4);
    expect(questions()).toBe(2);
    expect(answerText(reader.transcript)).toBe('And again.');
  });

  it('does not run a tool that you deny, and tells the model', async () => {
    script = [{ toolCalls: [{ id: 'c9', name: 'pay', arguments: {} }] }, { text: 'As you wish.' }];
    const { chat, reader } = await begin({ message: 'Pay' });
    await reader.until((events) => events.some(({ type }) => type === 'approval.needed'));
    const reply = (answer: unknown) => zoo.call('POST', `/api/chats/${chat.id}/approvals/c9`, { body: { answer } });
    expect((await reply('perhaps')).status).toBe(400);
    expect((await reply('deny')).status).toBe(204);
    await reader.until(isFinished());
    expect(callsOf(reader)).toMatchObject([{ state: 'denied' }]);
    expect(paid).toHaveLength(0);
    expect(promptOf(modelRequests[1]).at(-1)).toContain('not approved');
  });

  it('stops an answer midway, keeps its text, and answers the last message again', async () => {
    script = [{ text: ['One, ', 'two, ', 'three.'], hangAfter: 3 }, { text: 'A, b, c.' }, { text: 'D.' }];
    const { chat, reader } = await begin({ message: 'Count' });
    await reader.until(textSeen('two'));
    const busy = await zoo.call('POST', `/api/chats/${chat.id}/messages`, { body: { text: 'Hurry' } });
    expect([busy.status, busy.body.error.code]).toEqual([409, 'conflict']);
    expect((await zoo.call('POST', `/api/chats/${chat.id}/stop`)).status).toBe(204);
    await reader.until(isFinished());
    const shown = answerText(reader.transcript);
    expect(shown).toMatch(/^One, two, /);
    expect(reader.transcript.turns[0]?.answers[0]).toMatchObject({
      status: 'aborted',
      reason: 'The answer was stopped.',
    });
    expect((await zoo.call('POST', `/api/chats/${chat.id}/stop`, { body: {} })).status).toBe(204);

    const again = await zoo.call<{ messageId: string; runId: string }>('POST', `/api/chats/${chat.id}/retry`);
    expect(again.status).toBe(202);
    await reader.until(isFinished(again.body.runId));
    expect(reader.transcript.turns.map(({ text }) => text)).toEqual(['Count']);
    expect(answerText(reader.transcript)).toBe('A, b, c.');
    expect(promptOf(modelRequests[1])).toEqual(['user: Count']);
    const next = await send(chat.id, { text: 'Go on' });
    await reader.until(isFinished(next.runId));
    expect(promptOf(modelRequests[2])).toEqual(['user: Count', 'assistant: A, b, c.', 'user: Go on']);
  });

  it('keeps the branch of an edited message; the model, the export and the search follow the active one', async () => {
    script = ['One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.'].map((text) => ({ text }));
    const { chat, reader } = await begin({ message: 'first' });
    await reader.until(isFinished());
    const second = await send(chat.id, { text: 'second' });
    await reader.until(isFinished(second.runId));
    const third = await send(chat.id, { text: 'third' });
    await reader.until(isFinished(third.runId));
    const edited = await send(chat.id, { text: 'second, but better', replaces: second.messageId });
    await reader.until(isFinished(edited.runId));
    const texts = () => reader.transcript.turns.map(({ text }) => text);
    expect(texts()).toEqual(['first', 'second, but better']);
    expect(promptOf(modelRequests[3])).toEqual(['user: first', 'assistant: One.', 'user: second, but better']);

    const choose = (messageId: string) => zoo.call('PUT', `/api/chats/${chat.id}/branch`, { body: { messageId } });
    const exported = async () =>
      (await fetch(`${zoo.server.url}/api/chats/${chat.id}/export`, { headers: { ...zoo.owner } })).text();
    expect(await exported()).not.toContain('third');
    expect((await choose(second.messageId)).status).toBe(200);
    await reader.until((events) => events.at(-1)?.type === 'branch.chosen');
    expect(texts()).toEqual(['first', 'second', 'third']);
    expect(await exported()).toContain('third');
    const next = await send(chat.id, { text: 'fourth' });
    await reader.until(isFinished(next.runId));
    expect(promptOf(modelRequests[4])).toEqual([
      'user: first',
      'assistant: One.',
      'user: second',
      'assistant: Two.',
      'user: third',
      'assistant: Three.',
      'user: fourth',
    ]);
    // Another window still shows the other branch.
    const late = await send(chat.id, { text: 'also', after: edited.messageId });
    await reader.until(isFinished(late.runId));
    expect(texts()).toEqual(['first', 'second, but better', 'also']);
    expect(promptOf(modelRequests[5]).at(-2)).toBe('assistant: Four.');
    expect(await found('third')).toEqual([chat.id]);

    const before = await chatOf(chat.id);
    for (const body of [
      { text: 'x', replaces: 'msg_x' },
      { text: 'x', after: 'msg_x' },
    ])
      expect((await zoo.call('POST', `/api/chats/${chat.id}/messages`, { body })).status).toBe(404);
    expect((await choose('msg_x')).status).toBe(404);
    expect(await chatOf(chat.id)).toEqual(before);
  });

  it('allows at most 500 readers; leaving or deleting the chat frees their slots', async () => {
    const [gone, stays] = [(await begin()).chat, (await begin()).chat];
    const [one, all] = [new AbortController(), new AbortController()];
    // Kept, because the client may close a response that is no longer referenced.
    const responses: Response[] = [];
    const follow = async (id: string, { signal } = all) => {
      const response = await fetch(`${zoo.server.url}/api/chats/${id}/events`, { headers: { ...zoo.owner }, signal });
      responses.push(response);
      return response;
    };
    // Readers from other tests may leave meanwhile, so this opens new ones until the status is as expected.
    const followUntil = (status: number) =>
      expect.poll(async () => (await follow(stays.id)).status, { interval: 5 }).toBe(status);
    try {
      expect((await follow(gone.id, one)).status).toBe(200);
      const streams = await Promise.all(Array.from({ length: 499 }, () => follow(gone.id)));
      expect(streams.filter((stream) => stream.status === 200).length).toBeGreaterThan(450);
      await followUntil(503);
      const refused = await follow(stays.id);
      expect(await refused.json()).toMatchObject({
        error: { code: 'unavailable', message: expect.stringMatching(/^At most 500 chats can be followed/) },
      });
      one.abort();
      await followUntil(200);
      await followUntil(503);
      await zoo.call('DELETE', `/api/chats/${gone.id}`);
      await followUntil(200);
    } finally {
      // Other tests need these slots.
      all.abort();
    }
  });

  it('switches agent and model with the next message', async () => {
    script = [{ text: 'Ready.' }, { text: 'Roses are red.' }];
    const { chat, reader } = await begin({ message: 'Hello' });
    await reader.until(isFinished());
    const bad = await zoo.call('PATCH', `/api/chats/${chat.id}`, { body: { agentId: 'nobody' } });
    expect(bad.status).toBe(404);
    const worse = await zoo.call('PATCH', `/api/chats/${chat.id}`, { body: { model: 'nowhere/at-all' } });
    expect(worse.status).toBe(400);
    const switched = await zoo.call<Chat>('PATCH', `/api/chats/${chat.id}`, {
      body: { agentId: 'poet', model: 'openai-compatible/other', title: 'Verses' },
    });
    expect(switched.body).toMatchObject({ agentId: 'poet', model: 'openai-compatible/other', title: 'Verses' });
    const sent = await send(chat.id, { text: 'A poem, please' });
    await reader.until(isFinished(sent.runId));
    expect(reader.events).toContainEqual(expect.objectContaining({ type: 'switched', agentId: 'poet' }));
    const system = modelRequests[1]?.body.messages.find(({ role }) => role === 'system');
    expect(textOf(system?.content)).toContain('You write poems.');
    expect(modelRequests[1]?.body.model).toBe('other');
    expect(promptOf(modelRequests[1])).toEqual(['user: Hello', 'assistant: Ready.', 'user: A poem, please']);
    expect(reader.transcript.turns[1]?.answers[0]).toMatchObject({ agentId: 'poet', model: 'openai-compatible/other' });
  });

  it('switches to an agent with required arguments only if they are set', async () => {
    await zoo.call('POST', '/api/agents', {
      body: {
        id: 'guide',
        name: 'Guide',
        systemPrompt: 'You show {city} in {language}.',
        arguments: [
          { name: 'city', required: true },
          { name: 'language', required: true },
          { name: 'mood', required: false },
        ],
      },
    });
    script = [{ text: 'Ready.' }, { text: 'Bonjour.' }, { text: 'Ciao.' }];
    const { chat, reader } = await begin({ message: 'Hello' });
    await reader.until(isFinished());
    const before = await chatOf(chat.id);
    const change = (body: object) => zoo.call<Chat>('PATCH', `/api/chats/${chat.id}`, { body });
    const all = { city: 'Lyon', language: 'French' };
    for (const [body, message] of [
      [{ agentId: 'guide', title: 'Never' }, 'Agent "guide" needs the arguments "city", "language".'],
      [{ agentId: 'guide', arguments: { city: 'Lyon' } }, 'Agent "guide" needs the argument "language".'],
      [
        { agentId: 'guide', arguments: { ...all, town: 'x' } },
        'has no argument "town"; it takes city, language, mood.',
      ],
      [{ agentId: 'guide', arguments: { ...all, city: 7 } }, 'arguments.city'],
      [{ arguments: { city: 'Lyon' } }, 'Agent "clerk" has no argument "city"; it takes none.'],
    ] as const) {
      const refused = await change(body);
      expect([refused.status, JSON.parse(refused.text).error]).toMatchObject([
        400,
        { code: 'bad_request', message: expect.stringContaining(message) },
      ]);
    }
    expect(await chatOf(chat.id)).toEqual(before);
    expect((await change({ agentId: 'guide', arguments: all })).body).toMatchObject({ agentId: 'guide' });
    await reader.until(isFinished((await send(chat.id, { text: 'Who are you?' })).runId));
    const system = (index: number) =>
      textOf(modelRequests[index]?.body.messages.find(({ role }) => role === 'system')?.content);
    expect(system(1)).toContain('You show Lyon in French.');
    // A new model keeps the agent's arguments; new arguments replace them.
    expect((await change({ model: 'openai-compatible/other' })).status).toBe(200);
    expect((await change({ arguments: { city: 'Rome', language: 'Italian' } })).status).toBe(200);
    await reader.until(isFinished((await send(chat.id, { text: 'And now?' })).runId));
    expect(system(2)).toContain('You show Rome in Italian.');
    expect(modelRequests[2]?.body.model).toBe('other');
    // Arguments belong to one agent: switching drops them.
    expect((await change({ agentId: 'poet' })).status).toBe(200);
    expect((await change({ agentId: 'guide' })).status).toBe(400);
  });

  it("uses an agent's latest version", async () => {
    script = [{ text: 'Ready.' }, { text: 'Ready again.' }];
    await zoo.call('POST', '/api/agents', { body: { id: 'changeling', name: 'C', systemPrompt: 'Be brief.' } });
    const { chat, reader } = await begin({ agentId: 'changeling', message: 'Hello' });
    await reader.until(isFinished());
    const { headers } = await zoo.call('GET', '/api/agents/changeling');
    await zoo.call('PUT', '/api/agents/changeling', {
      body: { id: 'changeling', name: 'C', systemPrompt: 'Be long.' },
      headers: { 'if-match': headers.get('etag') ?? '' },
    });
    const sent = await send(chat.id, { text: 'And now?' });
    await reader.until(isFinished(sent.runId));
    expect(textOf(modelRequests[1]?.body.messages[0]?.content)).toContain('Be long.');
    expect(promptOf(modelRequests[1])).toEqual(['user: Hello', 'assistant: Ready.', 'user: And now?']);
  });

  it('tests a saved tool: checks the parameters, fills its prompt, and sends it', async () => {
    script = [{ text: 'Settled.' }];
    const origin = (parameters: object, tool = 'settle') => ({ origin: { kind: 'test', tool, parameters } });
    const refused = async (body: object) => {
      const { status, text } = await zoo.call('POST', '/api/chats', { body: { agentId: 'clerk', ...body } });
      return [status, text];
    };
    expect(await refused(origin({}))).toEqual([400, expect.stringContaining('who')]);
    expect(await refused(origin({ who: 'Ada' }, 'settel'))).toEqual([404, expect.stringContaining('settle')]);
    expect((await zoo.call<{ chats: FoundChat[] }>('GET', '/api/chats?origin=test')).body.chats).toEqual([]);
    const { chat, reader } = await begin(origin({ who: 'Ada' }));
    expect(chat.title).toMatch(/^test-settle-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    await reader.until(isFinished());
    expect(promptOf(modelRequests[0])).toEqual(['user: Settle the bill of Ada.']);
    const { body } = await zoo.call<{ chats: FoundChat[] }>('GET', '/api/chats?origin=test&tool=settle');
    expect(body.chats).toMatchObject([
      { id: chat.id, origin: { kind: 'test', tool: 'settle', parameters: { who: 'Ada' } } },
    ]);
  });

  it('is found by words in its title and messages, and is exported', async () => {
    script = [{ text: 'The heron stands in the réed.', reasoning: 'Birds…', usage: { input: 4, output: 4 } }];
    const { chat, reader } = await begin({ message: 'Tell me of a bird\n```js\n1\n```' });
    await reader.until(isFinished());
    await zoo.call('PATCH', `/api/chats/${chat.id}`, { body: { title: 'Of wading animals' } });
    expect(await found('heron reed')).toEqual([chat.id]);
    expect(await found('WADing')).toEqual([chat.id]);
    expect(await found('heron walrus')).toEqual([]);
    const { body: list } = await zoo.call<{ chats: FoundChat[] }>('GET', '/api/chats?text=stands');
    expect(list.chats[0]?.snippet).toBe('The heron stands in the réed.');
    const markdown = await zoo.call('GET', `/api/chats/${chat.id}/export`);
    expect(markdown.headers.get('content-disposition')).toMatch(/attachment; filename="chat-of-wading-animals-.*\.md"/);
    expect(markdown.text).toContain('# Of wading animals');
    expect(markdown.text).toContain('The heron stands in the réed.');
    expect(markdown.text).toContain('> Birds…');
    const json = await zoo.call<{ turns: unknown }>('GET', `/api/chats/${chat.id}/export?format=json`);
    expect(json.body).toMatchObject({ format: 'agent-zoo/chat', chat: { id: chat.id } });
    expect(json.body.turns).toEqual(JSON.parse(JSON.stringify(reader.transcript.turns)));
  });

  it('neither stores nor shows a secret, even one that arrives in pieces', async () => {
    const key = `sk-${'q7Zr'.repeat(8)}`;
    script = [{ text: ['The key is s', key.slice(1, 12), key.slice(12), '. Keep ', 'it.'] }];
    const { chat, reader } = await begin({ message: `Remember ${key}` });
    await reader.until(isFinished());
    expect(answerText(reader.transcript)).toBe('The key is [removed]. Keep it.');
    const { text } = await zoo.call('GET', `/api/chats/${chat.id}/export?format=json`);
    expect(text).not.toContain(key.slice(3));
    expect(text).toContain('Remember [removed]');
  });

  it('shows the context of the next answer', async () => {
    const { chat } = await begin();
    const { body } = await zoo.call<ChatContext>('GET', `/api/chats/${chat.id}/context`);
    expect(body.system).toContain('You pay bills.');
    expect(body).toMatchObject({
      skills: [{ id: 's', name: 'Care' }],
      tools: [{ name: 'pay', description: 'Pays a bill.', needsApproval: true }],
      passages: [],
    });
  });

  it('can be deleted while it is answering, and its streams end', async () => {
    script = [{ text: 'Going', hangAfter: 2 }];
    const { chat, reader } = await begin({ message: 'Remember the quagga' });
    await reader.until(textSeen('Going'));
    expect((await zoo.call('DELETE', `/api/chats/${chat.id}`)).status).toBe(204);
    await reader.ended;
    expect((await zoo.call('GET', `/api/chats/${chat.id}`)).status).toBe(404);
    expect((await zoo.call('DELETE', `/api/chats/${chat.id}`)).status).toBe(404);
    expect(await found('quagga')).toEqual([]);
  });

  it.each<[what: string, method: string, path: string, body: unknown, status: number]>([
    ['an unknown agent', 'POST', '', { agentId: 'nobody' }, 404],
    ['an empty message', 'POST', '', { agentId: 'clerk', message: ' ' }, 400],
    ['a message that is too long', 'POST', '', { agentId: 'clerk', message: 'x'.repeat(200_001) }, 400],
    ['a title that is too long', 'POST', '', { agentId: 'clerk', title: 'x'.repeat(201) }, 400],
    ['an unknown model', 'POST', '', { agentId: 'clerk', model: 'nowhere/x', message: 'Hello' }, 400],
    ['an unknown field', 'POST', '', { agentId: 'clerk', surprise: true }, 400],
    ['a message to an unknown chat', 'POST', '/chat_x/messages', { text: 'Hello' }, 404],
    ['a retry in an unknown chat', 'POST', '/chat_x/retry', {}, 404],
    ['a reader of an unknown chat', 'GET', '/chat_x/events', undefined, 404],
    ['a page without rows', 'GET', '?limit=0', undefined, 400],
    ['an invalid cursor', 'GET', '?cursor=zzz', undefined, 400],
  ])('rejects %s and changes nothing', async (_what, method, path, body, status) => {
    const { body: before } = await zoo.call<{ chats: FoundChat[] }>('GET', '/api/chats');
    const answer = await zoo.call(method, `/api/chats${path}`, { body });
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringMatching(/.{10}/)]);
    expect((await zoo.call<{ chats: FoundChat[] }>('GET', '/api/chats')).body).toEqual(before);
    expect(zoo.logged).toEqual([]);
  });

  it('cannot retry before the first message', async () => {
    const { chat } = await begin();
    const { status, body } = await zoo.call('POST', `/api/chats/${chat.id}/retry`);
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
  });
});

const found = async (words: string) => {
  const { body } = await zoo.call<{ chats: FoundChat[] }>('GET', `/api/chats?text=${encodeURIComponent(words)}`);
  return body.chats.map(({ id }) => id);
};

function callsOf({ transcript }: ChatReader) {
  return (transcript.turns.at(-1)?.answers.at(-1)?.parts ?? []).filter(({ type }) => type === 'call');
}
