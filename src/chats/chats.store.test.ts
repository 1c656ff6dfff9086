import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endedHolder } from '../../test/support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { nextChange, type TestClock, testClock } from '../../test/support/databases/test-store.ts';
import { dayMs } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { Message } from '../engine/message.ts';
import { backupStore, restoreStore } from '../store/backup.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { createRedact } from '../tools/redact/redact.ts';
import type { ChatEventBody } from './chat.ts';
import type { AnswerStart } from './chat-store.ts';

const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 1 };
const answered: Message = {
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'I must look.', providerOptions: { anthropic: { signature: 's' } } },
    { type: 'tool_use', id: 'c', name: 'list', input: { deep: [1, null] }, providerOptions: { google: { t: 1 } } },
  ],
};
const results: Message = {
  role: 'tool',
  content: [
    {
      type: 'tool_result',
      toolUseId: 'c',
      name: 'list',
      content: [{ type: 'text', text: 'a\0 \ud800 ü' }],
      structuredContent: { files: ['a'] },
      isError: false,
    },
  ],
};

describe.each(databaseKinds)('chats in %s', (kind) => {
  let database: TestDatabase;
  let clock: TestClock;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    database = await newTestDatabase(kind);
    clock = testClock();
    const redact = createRedact({ values: ['a-value-of-the-config'] });
    const open = () => openStore({ db: database.db, clock, logger: silentLogger, redact });
    [store, other] = await Promise.all([open(), open()]);
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
    await database.remove();
  });

  async function make(id = 'chat_1', fields: Partial<Parameters<Store['chats']['create']>[0]> = {}): Promise<string> {
    const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
    await store.chats.create({ id, ...chat, ...fields });
    return id;
  }

  const start = (lastSeq: number, fields: Partial<AnswerStart> = {}): AnswerStart => ({
    lastSeq,
    messageId: `msg_${lastSeq}`,
    text: `Question ${lastSeq}`,
    runId: `run_${lastSeq}`,
    agentId: 'clerk',
    model: 'house/m',
    title: 'A title',
    ...fields,
  });

  async function finish(id: string, runId: string, fields: { text?: string; messages?: Message[] } = {}) {
    const { text = '', messages = [] } = fields;
    const end: ChatEventBody = {
      type: 'answer.finished',
      runId,
      status: 'completed',
      reason: '',
      usage,
      cost: 0.5,
      error: null,
    };
    const said: Message[] =
      text === '' ? messages : [...messages, { role: 'assistant', content: [{ type: 'text', text }] }];
    return store.chats.finish(id, { runId, events: [end], messages: said, usage, cost: 0.5, state: 'idle' });
  }

  it('numbers and stores events, and reports them to every process', async () => {
    const id = await make('chat_1', { arguments: { name: 'Ada' } });
    expect(await other.chats.get(id)).toMatchObject({
      chat: { id, title: 'New chat', state: 'idle', cost: 0, lastSeq: 0, createdAt: clock.time },
      arguments: { name: 'Ada' },
      answering: null,
    });
    const outside = ['page (server web)', 'attachment "a-value-of-the-config"'];
    await store.chats.begin(id, start(0, { outside }));
    expect(await other.chats.get(id)).toMatchObject({
      chat: { title: 'A title', state: 'answering', lastSeq: 2, outside: [outside[0], 'attachment "[removed]"'] },
      answering: { runId: 'run_0', messageId: 'msg_0', state: 'elsewhere', startSeq: 2 },
    });
    const shown = await store.chats.append(id, {
      runId: 'run_0',
      events: [
        { type: 'tick.started', runId: 'run_0', tick: 1 },
        { type: 'text', runId: 'run_0', delta: 'Hello\0 \ud800' },
      ],
      messages: [],
    });
    expect(shown).toMatchObject([{ seq: 3 }, { seq: 4, type: 'text', delta: 'Hello\0 \ud800' }]);
    await finish(id, 'run_0', { text: 'Hello' });
    const events = await other.chats.events(id, { after: 0, limit: 100 });
    expect(events.map(({ seq, type }) => `${seq} ${type}`)).toEqual([
      '1 message.sent',
      '2 answer.started',
      '3 tick.started',
      '4 text',
      '5 answer.finished',
    ]);
    expect(events[3]).toEqual(shown[1]);
    expect(await other.chats.events(id, { after: 2, limit: 2 })).toEqual(events.slice(2, 4));
    expect(await other.chats.get(id)).toMatchObject({
      chat: { state: 'idle', usage, cost: 0.5, lastSeq: 5 },
      answering: null,
    });
  });

  it('lets only one of two processes begin an answer, and only that one add to it', async () => {
    const id = await make();
    const both = await Promise.allSettled([
      store.chats.begin(id, start(0)),
      other.chats.begin(id, start(0, { runId: 'run_x' })),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { answering } = await store.chats.get(id);
    const loser = answering?.runId === 'run_0' ? 'run_x' : 'run_0';
    const late = { runId: loser, events: [{ type: 'text' as const, runId: loser, delta: 'x' }], messages: [] };
    await expect(store.chats.append(id, late)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(store.chats.switchTo(id, { agentId: 'x', model: null, arguments: {} })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect((await store.chats.get(id)).chat).toMatchObject({ agentId: 'clerk', lastSeq: 2 });
    await finish(id, answering?.runId ?? '');
    await expect(finish(id, answering?.runId ?? '')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(store.chats.begin(id, start(0))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store.chats.events(id, { after: 0, limit: 9 })).toHaveLength(3);
  });

  it('knows whether the answering process is this one, another one, or gone', async () => {
    const dead = await openStore({ db: database.db, clock, logger: silentLogger, holder: endedHolder() });
    for (const [id, through] of [
      ['chat_1', store],
      ['chat_2', dead],
    ] as const) {
      await make(id);
      await through.chats.begin(id, start(0, { runId: `run_of_${id}` }));
    }
    const placesFor = async (through: Store) => {
      const { chats } = await through.chats.list({ limit: 9 });
      const listed = new Map(chats.map(({ chat, answering }) => [chat.id, answering?.state]));
      const got = async (id: string) => (await through.chats.get(id)).answering?.state;
      expect(await Promise.all(['chat_1', 'chat_2'].map(got))).toEqual([listed.get('chat_1'), listed.get('chat_2')]);
      return [listed.get('chat_1'), listed.get('chat_2')];
    };
    clock.time += 3_600_000;
    expect(await placesFor(store)).toEqual(['here', 'gone']);
    expect(await placesFor(other)).toEqual(['elsewhere', 'gone']);
    expect((await store.chats.unattended()).toSorted()).toEqual(['chat_1', 'chat_2']);
    expect(await other.chats.unattended()).toEqual(['chat_2']);
    await dead.close();
  });

  it('keeps the messages to the model unchanged, up to a message that is replaced', async () => {
    const id = await make();
    await store.chats.begin(id, start(0));
    await store.chats.append(id, { runId: 'run_0', events: [], messages: [answered] });
    await finish(id, 'run_0', { messages: [results], text: 'An umbrella' });
    await store.chats.begin(id, start(3));
    await finish(id, 'run_3', { text: 'A parasol' });
    const kept = await other.chats.messages(id);
    expect(kept.map(({ messageId }) => messageId)).toEqual([...Array(4).fill('msg_0'), 'msg_3', 'msg_3']);
    expect(kept.slice(1, 3).map(({ message }) => message)).toEqual([answered, results]);
    expect(await other.chats.lastMessage(id)).toMatchObject({ messageId: 'msg_3', text: 'Question 3' });

    await expect(store.chats.begin(id, start(6, { rewindTo: 'msg_x' }))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await store.chats.get(id)).answering).toBeNull();
    const shown = await store.chats.begin(id, start(6, { rewindTo: 'msg_0', text: 'Better' }));
    expect(shown.map(({ type }) => type)).toEqual(['rewound', 'message.sent', 'answer.started']);
    expect((await other.chats.messages(id)).map(({ messageId }) => messageId)).toEqual(['msg_6']);
    await finish(id, 'run_6');
    expect(await other.chats.lastMessage(id)).toMatchObject({ messageId: 'msg_6', text: 'Better' });
  });

  it('accepts the first approval decision, and passes requests to the answering process', async () => {
    const id = await make();
    const ask = (): ChatEventBody => ({ type: 'approval.needed', runId: 'run_0', id: 'c', tool: 't', input: {} });
    const give: ChatEventBody = { type: 'approval.given', runId: 'run_0', id: 'c', answer: 'approve' };
    const append = (event: ChatEventBody) => store.chats.append(id, { runId: 'run_0', events: [event], messages: [] });
    await store.chats.begin(id, start(0));
    await expect(other.chats.approve(id, 'c', 'approve')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await append(ask());
    expect((await store.chats.get(id)).chat.state).toBe('waiting');
    const given = { runId: 'run_0', seq: 3, toolUseId: 'c', answer: 'approve' };
    expect(await other.chats.approve(id, 'c', 'approve')).toEqual(given);
    expect(await other.chats.approve(id, 'c', 'approve')).toEqual(given);
    await expect(other.chats.approve(id, 'c', 'deny')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store.chats.requests()).toEqual({ stops: [], approvals: [given] });
    expect(await other.chats.requests()).toEqual({ stops: [], approvals: [] });
    await append(give);
    expect((await store.chats.get(id)).chat.state).toBe('answering');
    await append(ask());
    expect(await other.chats.approve(id, 'c', 'deny')).toMatchObject({ seq: 5, answer: 'deny' });
    await other.chats.requestStop(id, 'run_of_before');
    expect((await store.chats.requests()).stops).toEqual([]);
    await other.chats.requestStop(id, 'run_0');
    expect((await store.chats.requests()).stops).toEqual(['run_0']);
    await finish(id, 'run_0');
    expect(await store.chats.requests()).toEqual({ stops: [], approvals: [] });
  });

  it('finds chats by word prefixes, newest first, in pages', async () => {
    for (let index = 0; index < 5; index += 1) {
      clock.time += 1_000;
      const id = await make(
        `chat_${index}`,
        index === 4 ? { origin: { kind: 'test', tool: 't', parameters: {} } } : {},
      );
      await store.chats.begin(id, start(0, { text: `Über die Störche ${index}`, title: `Nr ${index}` }));
      await finish(id, 'run_0', { text: index % 2 === 0 ? 'They fly to 東京 in winter' : 'They stay' });
    }
    const ids = async (query: object) =>
      (await other.chats.list({ limit: 10, ...query })).chats.map(({ chat }) => chat.id);
    expect(await ids({ text: 'stor uber' })).toEqual(['chat_4', 'chat_3', 'chat_2', 'chat_1', 'chat_0']);
    expect(await ids({ text: 'WINT fl' })).toEqual(['chat_4', 'chat_2', 'chat_0']);
    expect(await ids({ text: '京' })).toEqual(['chat_4', 'chat_2', 'chat_0']);
    expect(await ids({ text: 'inter' })).toEqual([]);
    expect(await ids({ text: '!?' })).toEqual([]);
    expect(await ids({ text: '  ' })).toHaveLength(5);
    expect(await ids({ origin: 'test', tool: 't' })).toEqual(['chat_4']);
    expect(await ids({ agentId: 'nobody' })).toEqual([]);
    const first = await store.chats.list({ limit: 2, text: 'st' });
    expect(first.chats.map(({ chat }) => chat.id)).toEqual(['chat_4', 'chat_3']);
    expect(first.chats.map(({ snippet }) => snippet)).toEqual(['Über die Störche 4', 'They stay']);
    const second = await store.chats.list({ limit: 3, text: 'st', cursor: first.cursor ?? '' });
    expect(second.chats.map(({ chat }) => chat.id)).toEqual(['chat_2', 'chat_1', 'chat_0']);
    expect(second.cursor).toBeNull();
    await store.chats.rename('chat_2', 'Albatross');
    expect(await ids({ text: 'alba' })).toEqual(['chat_2']);
    expect(await ids({ text: 'nr' })).toHaveLength(4);
    expect((await store.chats.list({ limit: 9, text: 'alba' })).chats[0]?.snippet).toBeNull();
  });

  it('is deleted with everything that belongs to it', async () => {
    const id = await make();
    await store.chats.begin(id, start(0, { text: 'quagga' }));
    await finish(id, 'run_0', { messages: [answered] });
    expect(await other.chats.remove(id)).toBe(true);
    expect(await other.chats.remove(id)).toBe(false);
    await expect(store.chats.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.chats.events(id, { after: 0, limit: 9 })).toEqual([]);
    expect(await store.chats.messages(id)).toEqual([]);
    await make(id);
    expect((await store.chats.list({ text: 'quagga', limit: 9 })).chats).toEqual([]);
  });

  it('is deleted once after a long time without use, and every process is notified', async () => {
    const now = Date.now();
    const dead = await openStore({ db: database.db, clock, logger: silentLogger, holder: endedHolder() });
    clock.time = now - 40 * dayMs;
    for (const id of ['chat_idle', 'chat_answered', 'chat_dead', 'chat_here', 'chat_used']) {
      await make(id);
      const through = id === 'chat_answered' ? store : dead;
      await through.chats.begin(id, start(0, { runId: `run_${id}`, text: 'quagga' }));
    }
    for (const id of ['chat_idle', 'chat_used']) await finish(id, `run_${id}`, { messages: [answered] });
    for (let index = 0; index < 45; index += 1) await make(`chat_many_${index}`);
    clock.time = now;
    await make('chat_new');
    await store.chats.begin('chat_used', start(3));
    const changed = nextChange<void>((onChange) => other.chats.watch(() => onChange()));
    const both = [store, other].map(({ chats }) => chats.prune(now - 30 * dayMs, { except: ['chat_here'] }));
    const gone = (await Promise.all(both)).flat();
    await changed;
    expect(gone).toHaveLength(47);
    expect(gone).toEqual(expect.arrayContaining(['chat_idle', 'chat_dead', 'chat_many_0', 'chat_many_44']));
    expect(new Set(gone).size).toBe(47);
    const left = (await other.chats.list({ limit: 99 })).chats.map(({ chat }) => chat.id);
    expect(left.toSorted()).toEqual(['chat_answered', 'chat_here', 'chat_new', 'chat_used']);
    expect(await store.chats.events('chat_idle', { after: 0, limit: 9 })).toEqual([]);
    expect(await store.chats.messages('chat_idle')).toEqual([]);
    await make('chat_idle');
    expect((await store.chats.list({ text: 'quagga', limit: 9 })).chats).toHaveLength(3);
  });

  it('stores no secrets, and cuts long texts', async () => {
    const id = await make('chat_1', {
      title: 'With a-value-of-the-config',
      origin: { kind: 'test', tool: 't', parameters: { key: 'a-value-of-the-config' } },
      arguments: { first: 'One a-value-of-the-config "quoted"', second: 'Two' },
    });
    expect((await store.chats.get(id)).arguments).toEqual({ first: 'One [removed] "quoted"', second: 'Two' });
    const switched = { agentId: 'other', model: null, arguments: { third: 'It is a-value-of-the-config' } };
    expect(await store.chats.switchTo(id, switched)).toMatchObject([{ seq: 1, type: 'switched', agentId: 'other' }]);
    expect((await other.chats.get(id)).arguments).toEqual({ third: 'It is [removed]' });
    await store.chats.begin(id, start(1, { runId: 'run_0', text: 'Is it a-value-of-the-config?' }));
    const text = `a-value-of-the-config ${'x'.repeat(2_000_000)}`;
    await store.chats.append(id, {
      runId: 'run_0',
      events: [
        { type: 'text', runId: 'run_0', delta: 'It is a-value-of-the-config' },
        { type: 'tool.called', runId: 'run_0', id: 'c', tool: 't', input: { text } },
        {
          type: 'tool.finished',
          runId: 'run_0',
          id: 'c',
          tool: 't',
          content: [{ type: 'text', text }],
          isError: false,
          durationMs: 1,
        },
      ],
      messages: [{ role: 'assistant', content: [{ type: 'text', text }] }],
    });
    await finish(id, 'run_0', { text: 'It is a-value-of-the-config' });
    const everything = JSON.stringify([
      await store.chats.get(id),
      await store.chats.events(id, { after: 0, limit: 99 }),
      await store.chats.messages(id),
      (await store.chats.list({ text: 'removed', limit: 9 })).chats,
    ]);
    expect(everything).not.toContain('a-value-of-the-config');
    expect(everything).toContain('Is it [removed]?');
    expect(everything.length).toBeLessThan(1_000_000);
    expect((await store.chats.list({ text: 'value', limit: 9 })).chats).toEqual([]);
  });

  it('is complete in a backup, which restores into a database of either kind', async () => {
    const id = await make();
    await store.chats.begin(id, start(0, { text: 'quagga' }));
    const question: ChatEventBody = { type: 'approval.needed', runId: 'run_0', id: 'c', tool: 't', input: {} };
    await store.chats.append(id, { runId: 'run_0', events: [question], messages: [answered] });
    // Runs of a chat; the second replaces the first.
    await make('chat_2');
    const run = { agentId: 'clerk', model: 'm', title: 't', messages: [], chatId: 'chat_2' };
    const prompt: Message[] = [{ role: 'assistant', content: [{ type: 'text', text: 'Who?' }] }];
    await store.chats.begin('chat_2', start(0, { runId: 'run_a', prompt }));
    await store.runs.begin({ id: 'run_a', ...run });
    await finish('chat_2', 'run_a', { messages: [answered, results] });
    await store.chats.begin('chat_2', start(3, { runId: 'run_b', rewindTo: 'msg_0' }));
    await store.runs.begin({ id: 'run_b', ...run });
    const lengths = [4, 2];
    const folder = await mkdtemp(join(tmpdir(), 'zoo-chats-'));
    const target = await newTestDatabase(kind === 'sqlite' ? 'postgres' : 'sqlite', { isEmpty: true });
    try {
      const file = join(folder, 'backup.sqlite');
      await backupStore({ db: database.db, file });
      await restoreStore({ db: target.db, file });
      const restored = await openStore({ db: target.db, clock, logger: silentLogger });
      const kept = await store.chats.get(id);
      expect(await restored.chats.get(id)).toEqual({ ...kept, answering: { ...kept.answering, state: 'elsewhere' } });
      expect(await restored.chats.events(id, { after: 0, limit: 9 })).toEqual(
        await store.chats.events(id, { after: 0, limit: 9 }),
      );
      expect(await restored.chats.messages(id)).toEqual(await store.chats.messages(id));
      for (const [index, id] of ['run_a', 'run_b'].entries()) {
        const { messages } = await restored.runs.get(id);
        expect(messages).toEqual((await store.runs.get(id)).messages);
        expect(messages).toHaveLength(lengths[index] ?? 0);
      }
      expect((await restored.chats.list({ text: 'quag', limit: 9 })).chats).toHaveLength(1);
      expect(await restored.chats.approve(id, 'c', 'deny')).toMatchObject({ seq: 3 });
      await restored.close();
    } finally {
      await target.remove();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('reports changes of list fields to every process', async () => {
    const changed = nextChange<void>((onChange) => other.chats.watch(() => onChange()));
    await make();
    await changed;
  });
});
