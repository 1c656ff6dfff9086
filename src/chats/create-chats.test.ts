import { afterEach, describe, expect, it } from 'vitest';
import { openTestStores, type TestStores, testAgent } from '../../test/support/databases/test-store.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish, type ScriptedAnswer, say, scriptedModel } from '../../test/support/models/scripted-model.ts';
import type { AgentEntry } from '../agents/agent-source.ts';
import { systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import { senderOf } from '../callers/callers.ts';
import { ChatSession } from '../engine/chat-session.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ExecutableTool } from '../engine/executable-tool.ts';
import type { Message } from '../engine/message.ts';
import type { ModelRequest } from '../engine/model.ts';
import type { ChatEvent } from './chat.ts';
import type { ChatStore } from './chat-store.ts';
import type { Chats } from './chats.ts';
import { createChats } from './create-chats.ts';

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function stores(): Promise<TestStores> {
  const both = await openTestStores('sqlite');
  opened.push(both.remove);
  return both;
}

interface Desk {
  answers: readonly ScriptedAnswer[];
  tools?: ExecutableTool[];
  /** Overrides methods of the store of this process. */
  store?: ((store: ChatStore) => Partial<ChatStore>) | undefined;
  /** How long calls wait for approval. */
  waitMs?: number | undefined;
}

/** Opens the chats of one process, with a model that gives the answers in order. */
function desk(store: ChatStore, { answers, tools = [], store: change, waitMs }: Desk) {
  const model = scriptedModel(answers, { price: { input: 1, output: 1 } });
  let entry: AgentEntry = { agent: testAgent('clerk'), definedIn: 'test' };
  const sessions: ChatSession[] = [];
  const readFor: string[] = [];
  const time = { ahead: 0 };
  const clock = { ...systemClock, now: () => systemClock.now() + time.ahead };
  const chats = createChats({
    store: withOverrides(store, change?.(store)),
    clock,
    logger: silentLogger,
    agentOf: async () => entry,
    toolsRevision: () => 1,
    async openSession({ chatId, outside }) {
      const com = new ContextObjectModel({ system: 'You are a clerk.' });
      com.addMessage({ role: 'assistant', content: 'What can I do?' });
      for (const tool of tools) com.addTool(tool);
      const session = new ChatSession({ contextId: chatId, model, com, clock, outside });
      sessions.push(session);
      return session;
    },
    modelOf: async () => model,
    readText: async ({ content, caller }) => {
      readFor.push(caller);
      return { text: new TextDecoder().decode(content), mimeType: 'text/plain' };
    },
    contextOf: async () => ({ system: '', skills: [], tools: [], passages: [] }),
    approvalWaitMs: waitMs === undefined ? undefined : { chat: waitMs, test: waitMs },
  });
  opened.push(() => chats.close());
  const editAgent = () => {
    entry = { ...entry };
  };
  return { chats, model, sessions, time, editAgent, readFor };
}

/** A proxy, because the methods of a store that loads on first use cannot be copied. */
function withOverrides(store: ChatStore, changed: Partial<ChatStore> = {}): ChatStore {
  return new Proxy(store, { get: (target, name) => Reflect.get(changed, name) ?? Reflect.get(target, name) });
}

async function until(chats: Chats, id: string, isReached: (event: ChatEvent) => boolean): Promise<ChatEvent[]> {
  const seen: ChatEvent[] = [];
  for await (const event of chats.events(id, { signal: AbortSignal.timeout(20_000) })) {
    seen.push(event);
    if (isReached(event)) return seen;
  }
  throw new Error(`ended after ${seen.map(({ type }) => type)}`);
}

const finished = (runId: string) => (event: ChatEvent) => event.type === 'answer.finished' && event.runId === runId;

async function ask(chats: Chats, id: string, text: string): Promise<ChatEvent[]> {
  const { runId } = await chats.send(id, { text });
  return until(chats, id, finished(runId));
}

/** Makes answers look as if their process were gone. */
const asGone = (store: ChatStore): Partial<ChatStore> => ({
  async get(id) {
    const kept = await store.get(id);
    return { ...kept, answering: kept.answering && { ...kept.answering, state: 'gone' } };
  },
});

/** Returns the messages sent to the model, without those of the agent's prompt. */
const messagesIn = (request: ModelRequest | undefined): Message[] => request?.messages.slice(1) ?? [];

const thoughtful: ScriptedAnswer = [
  { type: 'reasoning', id: 'r', delta: 'Hm. ', providerOptions: { anthropic: { signature: 'abc' } } },
  say('Looking.'),
  { type: 'tool-call', id: 'c1', name: 'look', input: { deep: [1] }, providerOptions: { google: { thought: 'x' } } },
  finish('tool-calls'),
];

describe('chats', () => {
  it('continue in another process with the same messages, including reasoning and signatures', async () => {
    const { store, other } = await stores();
    const { tool } = countedTools();
    const here = desk(store.chats, { answers: [thoughtful, [say('Done.'), finish()]], tools: [tool('look')] });
    const { id } = await here.chats.create({ agentId: 'clerk' });
    await ask(here.chats, id, 'Look');
    const there = desk(other.chats, { answers: [[say('Yes.'), finish()]], tools: [tool('look')] });
    await ask(there.chats, id, 'Again?');
    const said = here.sessions[0]?.messages.slice(1) ?? [];
    expect(said).toHaveLength(4);
    expect(messagesIn(there.model.requests[0])).toEqual([
      ...said,
      { role: 'user', content: [{ type: 'text', text: 'Again?' }] },
    ]);
    expect(said[1]?.content[0]).toMatchObject({ providerOptions: { anthropic: { signature: 'abc' } } });
  });

  it('are answered completely if a message arrives right after an answer', async () => {
    const { store } = await stores();
    const kept = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    const talking = Promise.withResolvers<void>();
    let finishes = 0;
    const here = desk(store.chats, {
      answers: [
        [say('One.'), finish()],
        [say('Two'), { type: 'wait', until: talking.promise }, say(' and more.'), finish()],
      ],
      // The first answer is stored, but this process learns it later.
      store: (real) => ({
        async finish(chatId, end) {
          const shown = await real.finish(chatId, end);
          finishes += 1;
          if (finishes > 1) return shown;
          kept.resolve();
          await told.promise;
          return shown;
        },
      }),
    });
    const { id } = await here.chats.create({ agentId: 'clerk', message: 'First' });
    await kept.promise;
    const { runId } = await here.chats.send(id, { text: 'Second' });
    await until(here.chats, id, (event) => event.type === 'text' && event.runId === runId);
    told.resolve();
    // By now the second answer is under way.
    for (let look = 0; look < 5; look += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      expect((await here.chats.get(id)).state).toBe('answering');
      expect((await here.chats.list({ limit: 10 })).chats.map(({ state }) => state)).toEqual(['answering']);
    }
    talking.resolve();
    const events = await until(here.chats, id, finished(runId));
    const ends = events.flatMap((event) => (event.type === 'answer.finished' ? [event.status] : []));
    expect(ends).toEqual(['completed', 'completed']);
  });

  it('continue in this process after another one has answered', async () => {
    const { store, other } = await stores();
    const here = desk(store.chats, {
      answers: [
        [say('One.'), finish()],
        [say('Three.'), finish()],
      ],
    });
    const there = desk(other.chats, { answers: [[say('Two.'), finish()]] });
    const { id } = await here.chats.create({ agentId: 'clerk' });
    await ask(here.chats, id, '1');
    await ask(there.chats, id, '2');
    await ask(here.chats, id, '3');
    expect(messagesIn(here.model.requests[1]).map(({ content }) => content[0])).toMatchObject(
      ['1', 'One.', '2', 'Two.', '3'].map((text) => ({ text })),
    );
  });

  it('keep their session, and open a new one after the agent is edited', async () => {
    const { store } = await stores();
    const answers = ['One.', 'Two.', 'Three.'].map((text) => [say(text), finish()]);
    const { chats, sessions, model, editAgent } = desk(store.chats, { answers });
    const { id } = await chats.create({ agentId: 'clerk' });
    await ask(chats, id, '1');
    await ask(chats, id, '2');
    expect(sessions).toHaveLength(1);
    editAgent();
    await ask(chats, id, '3');
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(messagesIn(model.requests[2])).toHaveLength(5);
  });

  it('close idle sessions, oldest first', async () => {
    const { store } = await stores();
    const answers = Array.from({ length: 102 }, () => [say('Yes.'), finish()]);
    const { chats, sessions, time } = desk(store.chats, { answers });
    for (let index = 0; index < 101; index += 1) {
      const { id } = await chats.create({ agentId: 'clerk' });
      await ask(chats, id, 'Hello');
    }
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([true, ...Array.from({ length: 100 }, () => false)]);
    time.ahead = 31 * 60_000;
    const { id } = await chats.create({ agentId: 'clerk' });
    await ask(chats, id, 'Hello');
    expect(sessions.filter(({ isClosed }) => !isClosed)).toHaveLength(1);
  });

  it('deny a call that is not approved in time, and continue', async () => {
    const { store } = await stores();
    const { tool, effects } = countedTools();
    const answers: ScriptedAnswer[] = [
      [call('c1', 'look', {}), finish('tool-calls')],
      [say('Then not.'), finish()],
    ];
    const looking = tool('look', undefined, { requiresConfirmation: true });
    const { chats } = desk(store.chats, { answers, tools: [looking], waitMs: 20 });
    const events = await ask(chats, (await chats.create({ agentId: 'clerk' })).id, 'Look');
    expect(events.map(({ type }) => type)).toContain('approval.needed');
    expect(events).toContainEqual(expect.objectContaining({ type: 'approval.given', answer: 'deny' }));
    expect(events.at(-1)).toMatchObject({ type: 'answer.finished', status: 'completed' });
    expect(effects).toEqual([]);
  });

  it('are answered however many others wait for approval', async () => {
    const { store } = await stores();
    const { tool } = countedTools();
    const asking: ScriptedAnswer = [call('c1', 'look', {}), finish('tool-calls')];
    const answers = [...Array<ScriptedAnswer>(100).fill(asking), [say('Here.'), finish()]] as const;
    const { chats } = desk(store.chats, { answers, tools: [tool('look', undefined, { requiresConfirmation: true })] });
    for (let count = 0; count < 100; count += 1) {
      const { id } = await chats.create({ agentId: 'clerk', message: 'Look' });
      await until(chats, id, ({ type }) => type === 'approval.needed');
    }
    const { id } = await chats.create({ agentId: 'clerk' });
    expect((await ask(chats, id, 'Anybody?')).at(-1)).toMatchObject({ status: 'completed' });
  });

  it('keep a session that is about to answer, however many others open', async () => {
    const { store } = await stores();
    const { promise: goOn, resolve } = Promise.withResolvers<void>();
    const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
    const { chats } = desk(store.chats, {
      answers: Array.from({ length: 103 }, () => [say('Hi.'), finish()]),
      store: (kept) => ({
        async begin(id, start) {
          if (start.text === 'Slowly') {
            waits();
            await goOn;
          }
          return kept.begin(id, start);
        },
      }),
    });
    const { id } = await chats.create({ agentId: 'clerk' });
    await ask(chats, id, 'First');
    const sent = chats.send(id, { text: 'Slowly' });
    await isWaiting;
    for (let count = 0; count < 101; count += 1) {
      await ask(chats, (await chats.create({ agentId: 'clerk' })).id, 'Hello');
    }
    resolve();
    const { runId } = await sent;
    expect((await until(chats, id, finished(runId))).at(-1)).toMatchObject({ status: 'completed' });
  });

  it('show the first piece at once, and pieces that arrive during a write together', async () => {
    const { store } = await stores();
    const writes: string[][] = [];
    const arrived = Promise.withResolvers<void>();
    const said = Promise.withResolvers<void>();
    const { chats } = desk(store.chats, {
      answers: [[say('a'), { type: 'wait', until: arrived.promise }, say('b'), say('c'), say('d'), finish()]],
      store: (kept) => ({
        async append(id, progress) {
          const texts = progress.events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));
          writes.push(texts);
          if (texts.includes('a')) {
            arrived.resolve();
            await said.promise;
          }
          return kept.append(id, progress);
        },
      }),
    });
    const { id } = await chats.create({ agentId: 'clerk' });
    const { runId } = await chats.send(id, { text: 'Go' });
    await arrived.promise;
    // The model continues during the write.
    await new Promise((resolve) => setImmediate(resolve));
    said.resolve();
    await until(chats, id, finished(runId));
    expect(writes.flat()).toEqual(['a', 'bcd']);
  });

  it('end an answer that cannot be stored, and show only stored text', async () => {
    const { store, other } = await stores();
    const isKept = Promise.withResolvers<void>();
    const { chats } = desk(store.chats, {
      answers: [[say('kept'), { type: 'wait', until: isKept.promise }, say(' lost'), finish()]],
      store: (kept) => ({
        async append(id, progress) {
          const text = JSON.stringify(progress.events);
          if (text.includes('lost')) throw new HubError('UNAVAILABLE', 'The disk is full.');
          const shown = await kept.append(id, progress);
          if (text.includes('kept')) isKept.resolve();
          return shown;
        },
      }),
    });
    const { id } = await chats.create({ agentId: 'clerk' });
    const seen = await ask(chats, id, 'Go');
    expect(JSON.stringify(seen)).not.toContain('lost');
    expect(seen.at(-1)).toMatchObject({ type: 'answer.finished', status: 'interrupted' });
    expect(seen).toEqual(await other.chats.events(id, { after: 0, limit: 99 }));
    const kept = (await other.chats.messages(id)).map(({ message }) => message.content[0]);
    expect(kept).toMatchObject([{ text: 'Go' }, { text: 'kept' }]);
  });

  it('are answered completely when the clock jumps forward or back', async () => {
    const { store, other, clock } = await stores();
    const more = Promise.withResolvers<void>();
    const here = desk(store.chats, {
      answers: [[say('slow'), { type: 'wait', until: more.promise }, say(' motion'), finish()]],
    });
    const there = desk(other.chats, { answers: [] });
    const { id } = await here.chats.create({ agentId: 'clerk' });
    const { runId } = await here.chats.send(id, { text: 'Go' });
    await until(here.chats, id, ({ type }) => type === 'text');
    for (const jump of [600_000, -1_200_000]) {
      clock.time += jump;
      here.time.ahead += jump;
      expect(await there.chats.get(id)).toMatchObject({ state: 'answering' });
      expect((await there.chats.list({ limit: 9 })).chats).toMatchObject([{ state: 'answering' }]);
    }
    more.resolve();
    expect((await until(there.chats, id, finished(runId))).at(-1)).toMatchObject({ status: 'completed' });
  });

  it('are interrupted once when their process is gone, and a late process gives up', async () => {
    const { store, other } = await stores();
    const more = Promise.withResolvers<void>();
    const here = desk(store.chats, {
      answers: [[say('slow'), { type: 'wait', until: more.promise }, say(' motion'), finish()]],
    });
    const { id } = await here.chats.create({ agentId: 'clerk' });
    await here.chats.send(id, { text: 'Go' });
    await until(here.chats, id, ({ type }) => type === 'text');
    const there = [1, 2].map(() => desk(other.chats, { answers: [], store: asGone }));
    await Promise.all(there.map(({ chats }) => chats.get(id)));
    more.resolve();
    const seen = await until(here.chats, id, ({ type }) => type === 'answer.finished');
    expect(seen.filter(({ type }) => type === 'answer.finished')).toMatchObject([{ status: 'interrupted' }]);
    await here.sessions[0]?.close();
    expect((await other.chats.events(id, { after: 0, limit: 99 })).at(-1)).toEqual(seen.at(-1));
    expect(await there[1]?.chats.get(id)).toMatchObject({ state: 'interrupted' });
  });

  it('send the model the stored part of an answer whose process ended', async () => {
    const { store, other } = await stores();
    const { tool } = countedTools();
    const never = new Promise(() => {});
    const here = desk(store.chats, {
      answers: [thoughtful, [say('And then'), { type: 'wait', until: never }]],
      tools: [tool('look')],
    });
    const { id } = await here.chats.create({ agentId: 'clerk' });
    await here.chats.send(id, { text: 'Look' });
    await until(here.chats, id, (event) => event.type === 'text' && event.delta === 'And then');
    await desk(other.chats, { answers: [], store: asGone }).chats.get(id);
    const there = desk(other.chats, { answers: [[say('Yes.'), finish()]] });
    expect((await there.chats.list({ text: 'looking then', limit: 9 })).chats).toMatchObject([{ snippet: 'And then' }]);
    await ask(there.chats, id, 'Go on');
    const told = messagesIn(there.model.requests[0]);
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(told[1]).toEqual(here.sessions[0]?.messages[2]);
    expect(told[2]).toEqual(here.sessions[0]?.messages[3]);
    expect(told[3]?.content).toEqual([{ type: 'text', text: 'And then' }]);
  });

  it('apply an approval decision to one call, not to a later one with the same id', async () => {
    const { store } = await stores();
    const { tool, effects } = countedTools();
    const asked = [call('c', 'pay'), finish('tool-calls')];
    let looks = 0;
    const { chats } = desk(store.chats, {
      answers: [asked, asked, [say('Done.'), finish()]],
      tools: [tool('pay', undefined, { requiresConfirmation: true })],
      store: (kept) => ({
        requests: async () => {
          const found = await kept.requests();
          looks += 1;
          return found;
        },
      }),
    });
    const { id } = await chats.create({ agentId: 'clerk' });
    const { runId } = await chats.send(id, { text: 'Pay twice' });
    await until(chats, id, ({ type }) => type === 'approval.needed');
    await expect(chats.send(id, { text: 'And?' })).rejects.toThrow(/is waiting for approval of a tool call/);
    await chats.answer(id, 'c', 'approve');
    let needed = 0;
    await until(chats, id, ({ type }) => {
      if (type === 'approval.needed') needed += 1;
      return needed === 2;
    });
    const before = looks;
    while (looks < before + 2) await new Promise((resolve) => setImmediate(resolve));
    expect(await chats.get(id)).toMatchObject({ state: 'waiting' });
    expect(effects).toHaveLength(1);
    await chats.answer(id, 'c', 'deny');
    await until(chats, id, finished(runId));
    expect(effects).toHaveLength(1);
  });

  it("store the messages of the agent's prompt once per session", async () => {
    const { store } = await stores();
    const prompts: unknown[] = [];
    const { chats, editAgent } = desk(store.chats, {
      answers: Array(4).fill([say('Yes.'), finish()]),
      store: (kept) => ({
        begin(id, start) {
          prompts.push(start.prompt);
          return kept.begin(id, start);
        },
      }),
    });
    const { id } = await chats.create({ agentId: 'clerk', message: 'One' });
    await until(chats, id, ({ type }) => type === 'answer.finished');
    await ask(chats, id, 'Two');
    editAgent();
    await ask(chats, id, 'Three');
    const { runId } = await chats.retry(id);
    await until(chats, id, finished(runId));
    const prompt = [{ role: 'assistant', content: [{ type: 'text', text: 'What can I do?' }] }];
    expect(prompts).toEqual([prompt, undefined, prompt, prompt]);
  });

  it('answer a message of another branch again, which becomes the active one', async () => {
    const { store } = await stores();
    const { chats, model } = desk(store.chats, { answers: Array(4).fill([say('Yes.'), finish()]) });
    const { id } = await chats.create({ agentId: 'clerk', message: 'One' });
    await until(chats, id, ({ type }) => type === 'answer.finished');
    const first = (await store.chats.lastMessage(id))?.messageId ?? '';
    const left = await chats.send(id, { text: 'Left' });
    await until(chats, id, finished(left.runId));
    const right = await chats.send(id, { text: 'Right', replaces: left.messageId });
    await until(chats, id, finished(right.runId));

    const { runId, messageId } = await chats.retry(id, { messageId: left.messageId });
    await until(chats, id, finished(runId));
    expect(
      messagesIn(model.requests[3]).flatMap(({ role, content }) => (role === 'user' ? content : [])),
    ).toMatchObject([{ text: 'One' }, { text: 'Left' }]);
    expect(await store.chats.lastMessage(id)).toMatchObject({ messageId, text: 'Left' });
    expect(await store.chats.parentOf(id, messageId)).toBe(first);
    await expect(chats.retry(id, { messageId: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('reject a second message during an answer, even if both arrive at once', async () => {
    const { store } = await stores();
    const more = Promise.withResolvers<void>();
    const { chats } = desk(store.chats, { answers: [[say('a'), { type: 'wait', until: more.promise }, finish()]] });
    const { id } = await chats.create({ agentId: 'clerk' });
    const both = await Promise.allSettled([chats.send(id, { text: '1' }), chats.send(id, { text: '2' })]);
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'CONFLICT' } }]);
    await expect(chats.update(id, { model: 'a/b' })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await chats.update(id, { title: 'Renamed' })).toMatchObject({ title: 'Renamed', state: 'answering' });
    more.resolve();
    await until(chats, id, ({ type }) => type === 'answer.finished');
    expect(await chats.get(id)).toMatchObject({ state: 'idle', lastSeq: 6 });
  });

  it('report a message that the session rejects as a failed answer', async () => {
    const { store } = await stores();
    const { chats, model } = desk(store.chats, { answers: [[say('Yes.'), finish()]] });
    const { id } = await chats.create({ agentId: 'clerk' });
    const { runId } = await chats.send(id, { text: 'Go', budget: { maxTokens: -1 } });
    const seen = await until(chats, id, finished(runId));
    expect(seen.at(-1)).toMatchObject({ status: 'failed', error: { code: 'INVALID_ARGUMENTS' } });
    await ask(chats, id, 'And now?');
    expect(messagesIn(model.requests[0]).map(({ role }) => role)).toEqual(['user', 'user']);
  });

  it('remember that a message came from outside, even if its answer never began', async () => {
    const { store } = await stores();
    const { chats, sessions } = desk(store.chats, { answers: [[say('Yes.'), finish()]] });
    const { id } = await chats.create({ agentId: 'clerk' });
    const attachments = [{ name: 'a.txt', data: Buffer.from('Send it to me.').toString('base64') }];
    const { runId } = await chats.send(id, {
      text: 'Read',
      attachments,
      alreadyRead: ['page (server web)'],
      budget: { maxTokens: -1 },
    });
    await until(chats, id, finished(runId));
    const sources = ['page (server web)', 'attachment "a.txt"'];
    expect((await chats.get(id)).outside).toEqual(sources);
    await ask(chats, id, 'And now?');
    expect(sessions.at(-1)?.outside).toEqual(sources);
  });

  it('have their files read in the turn of their sender, not of everybody with the same name', async () => {
    const { store } = await stores();
    const answers = Array.from({ length: 3 }, () => [say('Yes.'), finish()]);
    const { chats, readFor } = desk(store.chats, { answers });
    const attachments = [{ name: 'a.txt', data: Buffer.from('words').toString('base64') }];
    const from = (id: string) => senderOf({ kind: 'client', right: 'work', id, name: 'Claude Code', agentId: null });
    const { id } = await chats.create({ agentId: 'clerk', message: 'Read', attachments }, from('key_1'));
    await until(chats, id, ({ type }) => type === 'answer.finished');
    const { runId } = await chats.send(id, { text: 'Read', attachments, ...from('key_2') });
    await until(chats, id, finished(runId));
    const begun = { from: null, agentId: 'clerk', history: [], answers: new Map(), outside: [] };
    const fork = { ...begun, text: 'Read', attachments };
    await chats.fork({ ...fork, ...senderOf({ kind: 'anonymous', right: 'work' }) });
    expect(readFor).toEqual(['client key_1', 'client key_2', 'anonymous']);
  });

  it('add up their cost', async () => {
    const { store } = await stores();
    const { chats } = desk(store.chats, {
      answers: [
        [say('a'), finish()],
        [say('b'), finish()],
      ],
    });
    const { id } = await chats.create({ agentId: 'clerk' });
    await ask(chats, id, '1');
    await ask(chats, id, '2');
    expect(await chats.get(id)).toMatchObject({ usage: { inputTokens: 20, outputTokens: 10 }, cost: 0.00003 });
  });

  it('are deleted after a long time without use, with a notice to readers, but not during an answer', async () => {
    const { store, other, clock } = await stores();
    const here = desk(store.chats, { answers: [[say('Well'), { type: 'wait', until: new Promise(() => {}) }]] });
    const { id: answered } = await here.chats.create({ agentId: 'clerk' });
    const { runId } = await here.chats.send(answered, { text: 'Go' });
    await until(here.chats, answered, ({ type }) => type === 'text');
    const { id: unused } = await here.chats.create({ agentId: 'clerk' });
    const there = desk(other.chats, { answers: [] });
    const reading = until(there.chats, unused, () => true).catch((error: Error) => error.message);
    expect(await here.chats.prune(clock.time + 60_000)).toBe(1);
    expect(await reading).toBe('ended after ');
    await expect(there.chats.get(unused)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await there.chats.get(answered)).toMatchObject({ state: 'answering' });
    await here.chats.stop(answered);
    expect((await until(here.chats, answered, finished(runId))).at(-1)).toMatchObject({ status: 'aborted' });
    expect(await there.chats.prune(clock.time + 60_000)).toBe(1);
    await expect(here.chats.send(answered, { text: 'Again' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('read a long history in pages', async () => {
    const { store, other } = await stores();
    const pieces = Array.from({ length: 700 }, (_, index) => [
      { type: 'tick.retried' as const, runId: 'r', tick: index, reason: '' },
      { type: 'text' as const, runId: 'r', delta: 'x' },
    ]);
    const { chats } = desk(store.chats, { answers: [] });
    const { id } = await chats.create({ agentId: 'clerk' });
    const start = {
      lastSeq: 0,
      messageId: 'm',
      text: 'Go',
      runId: 'r',
      agentId: 'clerk',
      model: 'm',
      title: '',
    };
    await other.chats.begin(id, start);
    await other.chats.append(id, { runId: 'r', events: pieces.flat(), messages: [] });
    const seen = await until(chats, id, ({ seq }) => seq === 1_402);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
  });

  it('can be stopped during a call, and the model is told with the next message', async () => {
    const { store } = await stores();
    const { tool } = countedTools();
    const running = Promise.withResolvers<void>();
    const hang = tool('hang', () => {
      running.resolve();
      return new Promise(() => {});
    });
    const { chats, model } = desk(store.chats, {
      answers: [
        [call('c', 'hang'), finish('tool-calls')],
        [say('I see.'), finish()],
      ],
      tools: [hang],
    });
    const { id } = await chats.create({ agentId: 'clerk' });
    await chats.send(id, { text: 'Go' });
    await running.promise;
    await chats.stop(id);
    await ask(chats, id, 'What was that?');
    const told = messagesIn(model.requests[1]);
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(told[2]?.content).toMatchObject([{ toolUseId: 'c', isError: true }]);
  });
});
