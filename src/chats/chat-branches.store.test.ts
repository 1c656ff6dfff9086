import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { type TestClock, testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';

import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { AnswerStart } from './chat-store.ts';
import { addEvent, emptyTranscript } from './transcript.ts';

const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
const id = 'chat_1';

describe.each(databaseKinds)('branches of a chat in %s', (kind) => {
  let database: TestDatabase;
  let clock: TestClock;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    database = await newTestDatabase(kind);
    clock = testClock();
    const open = () => openStore({ db: database.db, clock, logger: silentLogger });
    [store, other] = await Promise.all([open(), open()]);
    const chat = { agentId: 'clerk', title: 'A chat', model: null, origin: { kind: 'chat' as const }, arguments: {} };
    await store.chats.create({ id, ...chat });
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
    await database.remove();
  });

  /** Sends a message and answers it. The message, its run and its answer are named after the letter. */
  async function say(letter: string, fields: Partial<AnswerStart> = {}): Promise<void> {
    await begin(letter, fields);
    await finish(letter);
  }

  async function begin(letter: string, fields: Partial<AnswerStart> = {}): Promise<void> {
    const { lastSeq } = (await store.chats.get(id)).chat;
    const start = { lastSeq, messageId: letter, runId: `run_${letter}`, text: `question${letter}` };
    await store.chats.begin(id, { ...start, agentId: 'clerk', model: 'house/m', title: 'A chat', ...fields });
    const run = { id: `run_${letter}`, agentId: 'clerk', model: 'm', title: 't', messages: [], chatId: id };
    await store.runs.begin(run);
  }

  async function finish(letter: string): Promise<void> {
    const runId = `run_${letter}`;
    await store.chats.finish(id, {
      runId,
      events: [{ type: 'answer.finished', runId, status: 'completed', reason: '', usage, cost: 0, error: null }],
      messages: [{ role: 'assistant', content: [{ type: 'text', text: `answer${letter}` }] }],
      usage,
      cost: 0,
      state: 'idle',
    });
  }

  const active = async () => [...new Set((await other.chats.messages(id)).map(({ messageId }) => messageId))].join('');
  const shown = async () => {
    const events = await other.chats.events(id, { after: 0, limit: 500 });
    return events.reduce(addEvent, emptyTranscript()).turns.map(({ messageId }) => messageId);
  };
  const textsOfRun = async (letter: string) =>
    (await store.runs.get(`run_${letter}`)).messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'text' ? [block.text] : [])),
    );

  it('an edited message keeps the earlier branch, and each can be continued', async () => {
    await say('a');
    await say('b');
    await say('c', { rewindTo: 'b' });
    expect(await active()).toBe('ac');
    expect(await store.chats.chooseBranch(id, 'b')).toMatchObject([{ type: 'branch.chosen', messageId: 'b' }]);
    expect(await active()).toBe('ab');
    await say('d');
    expect(await active()).toBe('abd');
    await store.chats.chooseBranch(id, 'c');
    expect(await active()).toBe('ac');
    // The newest continuation of a message is chosen with it.
    await store.chats.chooseBranch(id, 'b');
    expect(await active()).toBe('abd');
    expect(await shown()).toEqual(['a', 'b', 'd']);
    expect(await store.chats.lastMessage(id)).toMatchObject({ messageId: 'd', text: 'questiond' });
  });

  it('a message can follow or replace any message, also on a branch that is not active', async () => {
    await say('a');
    await say('b');
    await say('c', { rewindTo: 'a' });
    expect(await active()).toBe('c');
    await say('d', { after: 'a' });
    expect(await active()).toBe('ad');
    await say('e', { rewindTo: 'c' });
    expect(await active()).toBe('e');
    await say('f', { after: 'b' });
    expect(await active()).toBe('abf');
    await say('g', { after: '' });
    expect(await active()).toBe('g');
    expect(await shown()).toEqual(['g']);
    expect(await other.chats.parentOf(id, 'f')).toBe('b');
    expect(await other.chats.parentOf(id, 'e')).toBe('');
    for (const fields of [{ after: 'x' }, { rewindTo: 'x' }])
      await expect(begin('h', fields)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await active()).toBe('g');
  });

  it('switching is refused while an answer is in progress, and for an unknown message', async () => {
    await say('a');
    await say('b', { rewindTo: 'a' });
    await begin('c');
    const { lastSeq } = (await store.chats.get(id)).chat;
    await expect(other.chats.chooseBranch(id, 'a')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(other.chats.chooseBranch(id, 'x')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await store.chats.get(id)).chat.lastSeq).toBe(lastSeq);
    await finish('c');
    expect(await active()).toBe('bc');
    expect(await other.chats.chooseBranch(id, 'b')).toEqual([]);
  });

  it('two processes that switch and send at once leave one whole branch', async () => {
    await say('a');
    await say('b', { rewindTo: 'a' });
    const { lastSeq } = (await store.chats.get(id)).chat;
    const start = { lastSeq, messageId: 'c', runId: 'run_c', text: 'c', agentId: 'clerk', model: 'm', title: 't' };
    const results = await Promise.allSettled([
      store.chats.begin(id, { ...start, after: 'b' }),
      other.chats.chooseBranch(id, 'a'),
    ]);
    // Whoever was second got CONFLICT.
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } });
    expect(await active()).toBe(results[0]?.status === 'fulfilled' ? 'bc' : 'a');
    expect((await shown()).join('')).toBe(await active());
  });

  it('a run keeps the conversation that its model saw', async () => {
    await say('a');
    await say('b');
    await say('c', { rewindTo: 'b' });
    await store.chats.chooseBranch(id, 'b');
    await say('d');
    await store.chats.chooseBranch(id, 'c');
    expect(await textsOfRun('b')).toEqual(['questiona', 'answera', 'questionb', 'answerb']);
    expect(await textsOfRun('c')).toEqual(['questiona', 'answera', 'questionc', 'answerc']);
    expect(await textsOfRun('d')).toEqual(['questiona', 'answera', 'questionb', 'answerb', 'questiond', 'answerd']);
  });

  it('a search prefers the active branch and marks what only another one has', async () => {
    await say('a');
    await say('b', { rewindTo: 'a' });
    const find = async (text: string) => {
      const { chats } = await other.chats.list({ text, limit: 9 });
      return chats.map(({ snippet, isOnOtherBranch }) => [snippet, isOnOtherBranch]);
    };
    expect(await find('questionb')).toEqual([['questionb', false]]);
    expect(await find('questiona')).toEqual([['questiona', true]]);
    expect(await find('question')).toEqual([['questionb', false]]);
    await store.chats.rename(id, 'Another title');
    expect(await find('answera')).toEqual([['answera', true]]);
  });

  it('the branches of chats from an older version can be entered', async () => {
    await say('a');
    await say('b');
    await say('c', { rewindTo: 'b' });
    await say('d');
    await say('e', { rewindTo: 'a' });
    const direct = await openDatabase(database.db, silentLogger);
    const forget = async (letters: readonly string[]) => {
      await direct.write(({ db }) =>
        db.updateTable('messages').set({ parent_id: null }).where('message_id', 'in', letters).execute(),
      );
    };
    await forget(['a', 'b', 'c', 'd', 'e']);
    await store.chats.chooseBranch(id, 'b');
    expect(await active()).toBe('ab');
    await store.chats.chooseBranch(id, 'd');
    expect(await active()).toBe('acd');
    // A process of that version adds a message.
    await say('f');
    await forget(['f']);
    await direct.close();
    await store.chats.chooseBranch(id, 'e');
    await store.chats.chooseBranch(id, 'f');
    expect(await active()).toBe('acdf');
    expect(await textsOfRun('b')).toEqual(['questiona', 'answera', 'questionb', 'answerb']);
  });
});
