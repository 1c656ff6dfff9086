import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addOldRuns,
  type OldRun,
  oldConversation,
  oldRuns,
  toEighteenthVersion,
} from '../../../test/support/databases/old-conversations.ts';
import { openAndKill } from '../../../test/support/databases/open-and-kill.ts';
import { databaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestStores, type TestStores, testClock } from '../../../test/support/databases/test-store.ts';
import { silentLogger } from '../../base/logger.ts';
import { openDatabase, openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };

describe.each(databaseKinds)('separate conversations of chats and runs in %s', (kind) => {
  let stores: TestStores;
  beforeEach(async () => {
    stores = await openTestStores(kind);
  });
  afterEach(() => stores.remove());

  const open = () => openStore({ db: stores.db, clock: testClock(), logger: silentLogger });

  /** Reverts the database to that version and returns each run's conversation as that version read it. */
  async function keepOld(runs: readonly OldRun[]): Promise<Map<string, unknown[]>> {
    const database = await openDatabase(stores.db, silentLogger);
    const read = await database.write(async ({ db }) => {
      await toEighteenthVersion(db);
      await addOldRuns(db, runs);
      const conversations = new Map<string, unknown[]>();
      for (const { id } of runs) conversations.set(id, await oldConversation(db, id));
      return conversations;
    });
    await database.close();
    return read;
  }

  async function countMessages(): Promise<number> {
    const database = await openDatabase(stores.db, silentLogger);
    const rows = await database.read((db) => db.selectFrom('messages').select('thread_id').execute());
    await database.close();
    return rows.length;
  }

  it('are read as before, for every run, however many runs share its messages', async () => {
    const runs = oldRuns();
    const before = await keepOld(runs);
    const isWhole = ({ id }: OldRun) => !id.startsWith('lost');
    expect(runs.filter(isWhole).map(({ id }) => before.get(id)?.length)).toEqual(
      runs.filter(isWhole).map(({ shared, own }) => shared + own),
    );
    const store = await open();
    for (const { id } of runs) expect([id, (await store.runs.get(id)).messages]).toEqual([id, before.get(id)]);
    // Shared messages are stored once, except for one or two that were sent again.
    const kept = runs.reduce((sum, { own }) => sum + own, 0);
    expect(await countMessages()).toBeLessThan(kept + 10);
    // Deleting the last run of a conversation deletes the conversation.
    expect(await store.runs.prune(1_000_000)).toBe(runs.length);
    await store.close();
    expect(await countMessages()).toBe(0);
  });

  it('continue: a chat keeps its messages and its runs, and is found by its words', async () => {
    const { chats } = stores.store;
    const chat = { agentId: 'a', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
    await chats.create({ id: 'chat', ...chat });
    let lastSeq = 0;
    const answer = async (to: Store, number: number, more: { rewindTo?: string } = {}) => {
      const runId = `run_${number}`;
      const begun = {
        lastSeq,
        messageId: `msg_${number}`,
        text: `Question ${number}`,
        runId,
        agentId: 'a',
        model: 'm',
      };
      await to.chats.begin('chat', { ...begun, ...more, title: 'First' });
      const content = [{ type: 'text' as const, text: `Answer ${'quagga emu ibis'.split(' ')[number]}` }];
      const end = { messages: [{ role: 'assistant' as const, content }], usage, cost: 0, state: 'idle' as const };
      const shown = await to.chats.finish('chat', {
        runId,
        events: [{ type: 'tick.started', runId, tick: 1 }],
        ...end,
      });
      lastSeq = shown.at(-1)?.seq ?? 0;
    };
    for (const number of [0, 1]) await answer(stores.store, number);
    const before = await chats.messages('chat');
    const database = await openDatabase(stores.db, silentLogger);
    const runsBefore = await database.write(async ({ db }) => {
      await toEighteenthVersion(db);
      await sql`update chat_messages set seq = 4 where message_id = 'msg_1'`.execute(db);
      // The last run belongs to a message that was edited since.
      const based = [
        { id: 'run_0', base: null, shared: 0, own: 2 },
        { id: 'run_1', base: 'run_0', shared: 2, own: 2 },
        { id: 'run_gone', base: 'run_1', shared: 3, own: 2 },
      ];
      await addOldRuns(db, based);
      await sql`update run_messages set message = (select message from chat_messages
        where chat_messages.ordinal = run_messages.ordinal) where run_id in ('run_0', 'run_1')`.execute(db);
      return Promise.all(based.map(({ id }) => oldConversation(db, id)));
    });
    await database.close();

    const store = await open();
    expect(await store.chats.messages('chat')).toEqual(before);
    expect(await store.chats.lastMessage('chat')).toMatchObject({ messageId: 'msg_1', text: 'Question 1' });
    const found = async (text: string) =>
      (await store.chats.list({ text, limit: 9 })).chats.map(({ snippet }) => snippet);
    expect(await Promise.all(['first', 'quagga', 'emu'].map(found))).toEqual([
      [null],
      ['Answer quagga'],
      ['Answer emu'],
    ]);
    const direct = await openDatabase(stores.db, silentLogger);
    const kept = await direct.read((db) =>
      db.selectFrom('messages').select(['thread_id', 'run_id']).orderBy('thread_id').orderBy('ordinal').execute(),
    );
    await direct.close();
    // Each message of the chat is stored once.
    const rows = kept.map(({ thread_id, run_id }) => `${thread_id} ${run_id}`);
    expect(rows.slice(0, 4)).toEqual(['chat run_0', 'chat run_0', 'chat run_1', 'chat run_1']);
    expect(rows.slice(4)).toEqual(Array(5).fill('run_0 run_gone'));
    const conversations = ['run_0', 'run_1', 'run_gone'].map(async (id) => (await store.runs.get(id)).messages);
    expect(await Promise.all(conversations)).toEqual(runsBefore);
    expect(runsBefore.map(({ length }) => length)).toEqual([2, 4, 5]);
    await store.runs.begin({ id: 'run_2', agentId: 'a', model: 'm', title: 't', messages: [], chatId: 'chat' });
    await answer(store, 2, { rewindTo: 'msg_1' });
    expect(await Promise.all(['first', 'quagga', 'emu', 'ibis'].map(found))).toEqual([
      [null],
      ['Answer quagga'],
      // On the branch that was left.
      ['Answer emu'],
      ['Answer ibis'],
    ]);
    const texts = (await store.runs.get('run_2')).messages.map(({ content: [block] }) => block);
    expect(texts).toMatchObject(
      ['Question 0', 'Answer quagga', 'Question 2', 'Answer ibis'].map((text) => ({ type: 'text', text })),
    );
    await store.close();
  });

  it('are read as before after an interrupted answer: its run ends there, and the next run also has the rest', async () => {
    const { chats } = stores.store;
    const chat = { agentId: 'a', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
    await chats.create({ id: 'chat', ...chat });
    const begun = { messageId: 'm', text: 'Who?', agentId: 'a', model: 'm', title: 't' };
    const said = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Well' }] };
    const end = { events: [], messages: [said], usage, cost: 0, state: 'idle' as const };
    await chats.begin('chat', { ...begun, lastSeq: 0, runId: 'run_cut' });
    await chats.finish('chat', { ...end, runId: 'run_cut' });
    await chats.begin('chat', { ...begun, lastSeq: 2, messageId: 'm2', runId: 'run_next' });
    await chats.finish('chat', { ...end, runId: 'run_next' });
    const runs = [
      { id: 'run_cut', base: null, shared: 0, own: 1 },
      { id: 'run_next', base: 'run_cut', shared: 1, own: 3 },
    ];
    const database = await openDatabase(stores.db, silentLogger);
    const before = await database.write(async ({ db }) => {
      await toEighteenthVersion(db);
      await sql`update chat_messages set seq = 3 where message_id = 'm2'`.execute(db);
      await addOldRuns(db, runs);
      await sql`update run_messages set message = (select message from chat_messages
        where chat_messages.ordinal = run_messages.ordinal)`.execute(db);
      return Promise.all(runs.map(({ id }) => oldConversation(db, id)));
    });
    await database.close();
    expect(before.map(({ length }) => length)).toEqual([1, 4]);
    const store = await open();
    const after = runs.map(async ({ id }) => (await store.runs.get(id)).messages);
    expect(await Promise.all(after)).toEqual(before);
    expect(await countMessages()).toBe(4 + 1);
    await store.close();
  });

  it('lose nothing if the process is killed midway, however often', async () => {
    const runs = Array.from({ length: 8 }, (_, copy) =>
      oldRuns().map((run) => ({ ...run, id: `${copy}_${run.id}` })),
    ).flatMap((each, copy) => each.map((run) => ({ ...run, base: run.base && `${copy}_${run.base}` })));
    const before = await keepOld(runs);
    expect(await openAndKill(stores.db)).toBeGreaterThan(0);
    const store = await open();
    for (const { id } of runs) expect([id, (await store.runs.get(id)).messages]).toEqual([id, before.get(id)]);
    await store.close();
  });
});
