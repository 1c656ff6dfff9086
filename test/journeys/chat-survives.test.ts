import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { Chat } from '../../src/chats/chat.ts';
import type { FoundChat } from '../../src/chats/chats.ts';
import { openDatabase, openStore } from '../../src/store/open-store.ts';
import { answerText, type ChatReader, isFinished, readChat, textSeen } from '../support/clients/chat-client.ts';
import { type RunningZoo, startZoo, type ZooFolder, zooFolder } from '../support/command/run-zoo.ts';
import { endedHolder } from '../support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../support/databases/test-database.ts';
import { type OwnerHeader, ownerHeader } from '../support/hubs/owner-key.ts';
import { type RecordedModelRequest, startModelServer, type TestModelServer } from '../support/models/model-server.ts';

const toml = `
[engine]
model = "openai-compatible/scripted"

[agents.clerk]
system_prompt = "You count agents."
tools = ["agent_zoo_list_agents"]

[agents.careful]
system_prompt = "You ask first."
tools = ["agent_zoo_list_agents"]
tool_permission = "always"
`;
let owner: OwnerHeader | undefined;
const listAgents = { name: 'agent_zoo_list_agents', arguments: {} };

describe.each(databaseKinds)('a chat in %s', (kind) => {
  let folder: ZooFolder;
  let database: TestDatabase;
  let model: TestModelServer;
  const hubs: RunningZoo[] = [];
  const readers: ChatReader[] = [];

  beforeEach(async () => {
    folder = await zooFolder();
    database = await newTestDatabase(kind);
    model = await startModelServer();
    await writeFile(join(folder.dir, 'zoo.toml'), toml);
  });
  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.close()));
    await Promise.all(hubs.splice(0).map((hub) => hub[Symbol.asyncDispose]()));
    await model.close();
    await database.remove();
    await folder[Symbol.asyncDispose]();
  });

  async function serve(): Promise<{ hub: RunningZoo; url: string }> {
    const { db } = database;
    const env: Record<string, string> = { OPENAI_COMPATIBLE_BASE_URL: model.url };
    if ('url' in db) env.DATABASE_URL = db.url;
    else await writeFile(join(folder.dir, 'zoo.toml'), `${toml}\n[db]\npath = ${JSON.stringify(db.path)}\n`);
    const hub = startZoo(['serve', '--bind', '127.0.0.1:0'], { cwd: folder.dir, env });
    hubs.push(hub);
    const [, url = ''] = await hub.says(/Web app +(http:\/\/127\.0\.0\.1:\d+)\n/);
    owner = await ownerHeader({ home: join(folder.dir, 'home') });
    return { hub, url };
  }

  async function begin(url: string, body: object): Promise<Chat> {
    const { status, json } = await post(`${url}/api/chats`, { agentId: 'clerk', ...body });
    expect(status).toBe(201);
    return json;
  }

  async function read(url: string, chatId: string): Promise<ChatReader> {
    const reader = await readChat(url, chatId, { ...owner });
    readers.push(reader);
    return reader;
  }

  it('is the same for a page that is loaded in the middle of an answer', async () => {
    const more = Promise.withResolvers<void>();
    model.add({ text: ['One, ', 'two, ', 'three.'], beforePiece: (index) => (index < 3 ? undefined : more.promise) });
    const { url } = await serve();
    const chat = await begin(url, { message: 'Count' });
    const first = await read(url, chat.id);
    await first.until(textSeen('two'));
    const second = await read(url, chat.id);
    await second.ready;
    expect(answerText(second.transcript)).toMatch(/^One, two/);
    const half = first.events.length;
    const third = await read(url, `${chat.id}?after=${half}`);
    more.resolve();
    await Promise.all([first, second, third].map((reader) => reader.until(isFinished())));
    expect(second.events).toEqual(first.events);
    expect(third.events).toEqual(first.events.slice(half));
    expect(answerText(first.transcript)).toBe('One, two, three.');
  });

  it('keeps everything shown when its process is killed during an answer, and continues', async () => {
    model.add({ text: 'Let me look.', toolCalls: [listAgents] });
    model.add({ text: ['I see ', 'two agents', ' and'], hangAfter: 3 }, { text: 'There are two.' });
    const before = await serve();
    const chat = await begin(before.url, { message: 'How many agents are there?' });
    const reader = await read(before.url, chat.id);
    await reader.until(textSeen('two agents'));
    before.hub.process.kill('SIGKILL');
    await reader.ended;

    const { url } = await serve();
    const [one, other] = await Promise.all([read(url, chat.id), read(url, chat.id)]);
    await Promise.all([one.until(isFinished()), other.until(isFinished())]);
    expect(one.events.slice(0, reader.events.length)).toEqual(reader.events);
    expect(other.events).toEqual(one.events);
    expect(one.events.filter(({ type }) => type === 'answer.finished')).toMatchObject([{ status: 'interrupted' }]);
    expect(await get(`${url}/api/chats/${chat.id}`)).toMatchObject({ state: 'interrupted' });
    const shown = answerText(one.transcript);
    expect(shown).toMatch(/^Let me look\.I see two agents/);

    const { status, json } = await post(`${url}/api/chats/${chat.id}/messages`, { text: 'Go on' });
    expect(status).toBe(202);
    await one.until(isFinished(json.runId));
    expect(messagesIn(model.requests[2])).toEqual([
      'user: How many agents are there?',
      'assistant: Let me look. calls agent_zoo_list_agents',
      expect.stringMatching(/^tool: .*clerk/),
      `assistant: ${shown.slice('Let me look.'.length)}`,
      'user: Go on',
    ]);
    expect(await get(`${url}/api/chats/${chat.id}`)).toMatchObject({ state: 'idle' });
    const list: { chats: FoundChat[] } = await get(`${url}/api/chats?text=agents+see`);
    expect(list.chats.map(({ id }) => id)).toEqual([chat.id]);
  });

  it('ends by itself on another hub when its process is killed, and so does its run', async () => {
    model.add({ text: ['I see ', 'two agents', ' and'], hangAfter: 3 });
    const before = await serve();
    const chat = await begin(before.url, { message: 'How many agents are there?' });
    const reader = await read(before.url, chat.id);
    await reader.until(textSeen('two agents'));
    before.hub.process.kill('SIGKILL');
    await reader.ended;

    // Nobody opens the chat.
    await serve();
    const store = await openStore({ db: database.db, clock: systemClock, logger: silentLogger });
    const stored = async () => (await store.chats.get(chat.id)).chat.state;
    await expect.poll(stored, { timeout: 20_000 }).toBe('interrupted');
    const [run] = (await store.runs.list({ limit: 9 })).runs;
    await expect.poll(async () => (await store.runs.get(run?.id ?? '')).finishedAt, { timeout: 20_000 }).not.toBeNull();
    expect(await store.runs.get(run?.id ?? '')).toMatchObject({ status: 'interrupted' });
    await store.close();
  });

  it('ends by itself although that of another chat cannot be ended', async () => {
    const dead = await openStore({ db: database.db, clock: systemClock, logger: silentLogger, holder: endedHolder() });
    const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
    for (const id of ['chat_1', 'chat_2', 'chat_3']) {
      await dead.chats.create({ id, ...chat });
      const answer = { messageId: `msg_${id}`, text: 'Go', runId: `run_${id}`, agentId: 'clerk', model: 'house/m' };
      await dead.chats.begin(id, { lastSeq: 0, title: 'A title', ...answer });
    }
    await dead.close();
    const raw = await openDatabase(database.db, silentLogger);
    await raw.write(({ db }) => sql`update chat_events set event = '{' where chat_id = 'chat_2'`.execute(db));
    await raw.close();

    await serve();
    const store = await openStore({ db: database.db, clock: systemClock, logger: silentLogger });
    for (const id of ['chat_1', 'chat_3'])
      await expect.poll(async () => (await store.chats.get(id)).chat.state, { timeout: 20_000 }).toBe('interrupted');
    expect((await store.chats.get('chat_2')).chat.state).toBe('answering');
    await store.close();
  });

  it('gives every call a result when its process is killed before approval', async () => {
    model.add({ toolCalls: [listAgents] }, { text: 'Then not.' });
    const before = await serve();
    const chat = await begin(before.url, { agentId: 'careful', message: 'List them' });
    const reader = await read(before.url, chat.id);
    await reader.until((events) => events.some(({ type }) => type === 'approval.needed'));
    before.hub.process.kill('SIGKILL');
    await reader.ended;

    const { url } = await serve();
    const list: { chats: FoundChat[] } = await get(`${url}/api/chats`);
    expect(list.chats).toMatchObject([{ id: chat.id, state: 'interrupted' }]);
    const late = await post(`${url}/api/chats/${chat.id}/approvals/call_1`, { answer: 'approve' });
    expect(late.status).toBe(404);
    const { json } = await post(`${url}/api/chats/${chat.id}/messages`, { text: 'And now?' });
    const again = await read(url, chat.id);
    await again.until(isFinished(json.runId));
    expect(again.transcript.turns[0]?.answers[0]).toMatchObject({
      status: 'interrupted',
      parts: [{ type: 'call', state: 'failed' }],
    });
    expect(messagesIn(model.requests[1])).toEqual([
      'user: List them',
      'assistant:  calls agent_zoo_list_agents',
      expect.stringContaining('had not been approved'),
      'user: And now?',
    ]);
  });

  it('keeps a partial answer when its process is asked to end', async () => {
    model.add({ text: ['First of ', 'all'], hangAfter: 2 });
    const before = await serve();
    const chat = await begin(before.url, { message: 'Tell me everything' });
    const reader = await read(before.url, chat.id);
    await reader.until(textSeen('First of'));
    before.hub.process.kill('SIGTERM');
    expect((await before.hub.ended).code).toBe(0);
    const { url } = await serve();
    const again = await read(url, chat.id);
    await again.until(isFinished());
    expect(again.events.slice(0, reader.events.length)).toEqual(reader.events);
    expect(again.transcript.turns[0]?.answers[0]).toMatchObject({ status: 'aborted', reason: 'The hub was closed.' });
    expect(answerText(again.transcript)).toContain('First of');
  });

  it('retries a cut answer, and keeps the shown text if the retry fails', async () => {
    model.add({ text: ['Half ', 'an answer'], cutAfter: 2 }, { text: 'A whole answer.' });
    const { url } = await serve();
    const chat = await begin(url, { message: 'Speak' });
    const reader = await read(url, chat.id);
    await reader.until(isFinished());
    expect(reader.events.map(({ type }) => type)).toContain('tick.retried');
    expect(answerText(reader.transcript)).toBe('A whole answer.');

    const cut = { text: ['Only this', ' much'], cutAfter: 2 };
    model.add(cut, cut, { text: ['never'], cutAfter: 0 }, { status: 400 }, { text: 'Whole.' });
    const failed = await post(`${url}/api/chats/${chat.id}/messages`, { text: 'More' });
    await reader.until(isFinished(failed.json.runId));
    expect(reader.transcript.turns[1]?.answers[0]).toMatchObject({ status: 'failed', error: { code: 'MODEL_ERROR' } });
    expect(answerText(reader.transcript)).toBe('Only this');
  });

  it('is answered by one of two processes, and followed, approved and stopped from the other', async () => {
    model.add({ toolCalls: [listAgents] }, { text: ['Two ', 'of them'], hangAfter: 2 }, { text: 'Yes.' });
    const [here, there] = [await serve(), await serve()];
    const chat = await begin(here.url, { agentId: 'careful', message: 'List them' });
    const address = `${there.url}/api/chats/${chat.id}`;
    const near = await read(here.url, chat.id);
    const far = await read(there.url, chat.id);
    await far.until((events) => events.some(({ type }) => type === 'approval.needed'));
    expect(await get(address)).toMatchObject({ state: 'waiting' });
    expect((await post(`${address}/messages`, { text: 'Hurry' })).status).toBe(409);
    expect((await post(`${address}/approvals/call_1`, { answer: 'always' })).status).toBe(204);
    expect((await post(`${here.url}/api/chats/${chat.id}/approvals/call_1`, { answer: 'deny' })).status).toBe(409);
    await far.until(textSeen('Two'));
    expect((await post(`${address}/stop`, {})).status).toBe(204);
    await Promise.all([near.until(isFinished()), far.until(isFinished())]);
    expect(far.events).toEqual(near.events);
    expect(near.transcript.turns[0]?.answers[0]).toMatchObject({ status: 'aborted' });

    const next = await post(`${address}/messages`, { text: 'Are you sure?' });
    expect(next.status).toBe(202);
    await Promise.all([near.until(isFinished(next.json.runId)), far.until(isFinished(next.json.runId))]);
    expect(near.events).toEqual(far.events);
    expect(messagesIn(model.requests[2])).toEqual([
      'user: List them',
      'assistant:  calls agent_zoo_list_agents',
      expect.stringMatching(/^tool: .*clerk/),
      'assistant: Two ',
      'user: Are you sure?',
    ]);
  });
});

async function post(url: string, body: object) {
  const headers = { 'content-type': 'application/json', ...owner };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

async function get(url: string) {
  return (await fetch(url, { headers: { ...owner } })).json();
}

/** Returns the messages sent to the model, without the system text. */
function messagesIn(request: RecordedModelRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map(({ role, content, tool_calls }) => {
      const calls = tool_calls?.map((call) => ` calls ${call.function.name}`).join('') ?? '';
      return `${role}: ${typeof content === 'string' ? content : content ? JSON.stringify(content) : ''}${calls}`;
    });
}
