import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endedHolder, runningHolder } from '../../test/support/databases/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/databases/test-database.ts';
import { type TestClock, testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Message } from '../engine/message.ts';
import type { RunProgress } from '../engine/run-store.ts';
import { openDatabase, openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { createRedact } from '../tools/redact/redact.ts';
import { deleteOldRuns } from './delete-runs.store.ts';

const question: Message = { role: 'user', content: [{ type: 'text', text: 'How many files?' }] };
const answer: Message = {
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'I must look.', providerOptions: { anthropic: { signature: 's' } } },
    { type: 'tool_use', id: 'call-1', name: 'list', input: { path: '/', deep: [1, null] } },
  ],
};
const result: Message = {
  role: 'tool',
  content: [
    {
      type: 'tool_result',
      toolUseId: 'call-1',
      name: 'list',
      content: [
        { type: 'text', text: 'a\0 \ud800 ü' },
        { type: 'image', data: 'aW1hZ2U=', mimeType: 'image/png' },
      ],
      structuredContent: { files: ['a'] },
      isError: false,
    },
  ],
};
const usage = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 1 };
const none = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

describe.each(databaseKinds)('runs in %s', (kind) => {
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

  it('a run shows its progress from beginning to end', async () => {
    const { runs } = store;
    const startedAt = clock.time;
    const run = { id: 'r', agentId: 'wizard', model: 'openai/gpt', title: 'How many?', messages: [question] };
    await runs.begin({ ...run, arguments: { of: 'owls' } });
    const begun = {
      id: 'r',
      agentId: 'wizard',
      model: 'openai/gpt',
      status: 'running',
      reason: null,
      error: null,
      startedAt,
      heartbeatAt: startedAt,
      finishedAt: null,
      ticks: 0,
      usage: none,
      cost: null,
      title: 'How many?',
      messages: [question],
      calls: [],
      steps: [],
      chatId: null,
      calledBy: null,
      calledRuns: 0,
      outside: [],
      arguments: { of: 'owls' },
      called: [],
      caller: null,
    };
    expect(await other.runs.get('r')).toEqual(begun);

    clock.time += 1000;
    const calls = [{ id: 'call-1', tool: 'list', state: 'running' as const }];
    const outside = ['fetch (server web)'];
    await runs.save('r', progress([question, answer], { ticks: 1, cost: 0.0123456789, calls, outside }));
    expect(await other.runs.get('r')).toEqual({
      ...begun,
      heartbeatAt: clock.time,
      ticks: 1,
      usage,
      cost: 0.0123456789,
      messages: [question, answer],
      calls,
      outside,
    });

    clock.time += 1000;
    const messages = [question, answer, result];
    const error = { code: 'MODEL_ERROR' as const, message: 'The model is gone.' };
    await runs.finish('r', { ...progress(messages), status: 'failed', reason: 'It failed.', error });
    expect(await other.runs.get('r')).toMatchObject({
      status: 'failed',
      reason: 'It failed.',
      error,
      finishedAt: clock.time,
      messages: JSON.parse(JSON.stringify(messages)),
    });
  });

  it('a message is written once and never changed', async () => {
    await begin('r', [question]);
    const changed: Message = { role: 'user', content: [] };
    await store.runs.save('r', progress([changed, answer]));
    await store.runs.save('r', progress([changed, changed, result]));
    await store.runs.save('r', progress([]));
    expect((await store.runs.get('r')).messages).toEqual(JSON.parse(JSON.stringify([question, answer, result])));
  });

  it('concurrent saves of one run store each message once', async () => {
    await begin('r', [question]);
    const messages = Array.from({ length: 45 }, (_, index): Message => textMessage(`${index}`));
    const saves = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? store : other).runs.save('r', progress([question, ...messages.slice(0, 45 - index)])),
    );
    await Promise.all(saves);
    expect((await store.runs.get('r')).messages).toEqual([question, ...messages]);
  });

  it('a save or a second end after the end changes nothing', async () => {
    await begin('r', [question]);
    await store.runs.finish('r', {
      ...progress([question, answer]),
      status: 'completed',
      reason: 'Done.',
      error: null,
    });
    const ended = await store.runs.get('r');
    clock.time += 1000;
    await store.runs.save('r', progress([question, answer, result], { ticks: 9 }));
    await store.runs.finish('r', { ...progress([]), status: 'aborted', reason: 'Late.', error: null });
    expect(await store.runs.get('r')).toEqual(ended);
  });

  it('a run is interrupted when its process is gone, whatever the clock shows', async () => {
    const running = await openStore({ db: database.db, clock, logger: silentLogger, holder: runningHolder() });
    await running.runs.begin({ id: 'r', agentId: null, model: 'm', title: 't', messages: [question] });
    await begin('done', [question]);
    await store.runs.finish('done', { ...progress([question]), status: 'completed', reason: 'Done.', error: null });
    const statusOf = async (id: string) => {
      const { runs } = await other.runs.list({ limit: 10 });
      const { status } = await other.runs.get(id);
      expect(runs.find((run) => run.id === id)?.status).toBe(status);
      return status;
    };
    for (const jump of [600_000, -1_200_000]) {
      clock.time += jump;
      expect(await statusOf('r')).toBe('running');
    }
    const dead = await openStore({ db: database.db, clock, logger: silentLogger, holder: endedHolder() });
    await dead.runs.begin({ id: 'left', agentId: null, model: 'm', title: 't', messages: [question] });
    const all = ['r', 'done', 'left'];
    expect(await Promise.all(all.map(statusOf))).toEqual(['running', 'completed', 'interrupted']);
    const { heartbeatAt, finishedAt } = await other.runs.get('left');
    expect(finishedAt).toBeNull();
    expect([await other.runs.endAbandoned(), await store.runs.endAbandoned()]).toEqual([1, 0]);
    expect(await Promise.all(all.map(statusOf))).toEqual(['running', 'completed', 'interrupted']);
    expect(await other.runs.get('left')).toMatchObject({
      finishedAt: heartbeatAt,
      reason: expect.stringContaining('ended'),
    });
    await Promise.all([dead.close(), running.close()]);
  });

  it('a run whose end could not be stored is interrupted', async () => {
    await begin('r', [question]);
    const end = { ...progress([question]), status: 'completed' as const, reason: 'x', error: null };
    await expect(store.runs.finish('r', { ...end, usage: toxic })).rejects.toThrow('no JSON');
    expect((await store.runs.get('r')).status).toBe('interrupted');
    await begin('lasting', [question]);
    expect(await store.runs.endAbandoned()).toBe(1);
    expect((await store.runs.get('lasting')).status).toBe('running');
  });

  it('a missing or duplicate run is an error', async () => {
    const missing = { code: 'NOT_FOUND', message: 'There is no run with the id "r".' };
    await expect(store.runs.get('r')).rejects.toMatchObject(missing);
    await expect(store.runs.save('r', progress([]))).rejects.toMatchObject(missing);
    await begin('r', [question]);
    await expect(begin('r', [answer, result])).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await store.runs.get('r')).messages).toEqual([question]);
  });

  it('runs of all agents or of one are listed newest first, in pages', async () => {
    for (let index = 0; index < 7; index += 1) {
      // Two runs share each time, so their ids decide.
      clock.time += index % 2;
      await begin(`r${index}`, [question], index % 3 === 0 ? 'wizard' : null);
    }
    const ids = async (agentId?: string) => {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await other.runs.list({ limit: 3, cursor, agentId });
        pages.push(page.runs.map(({ id }) => id));
        cursor = page.cursor ?? undefined;
      } while (cursor !== undefined);
      return pages;
    };
    expect(await ids()).toEqual([['r6', 'r5', 'r4'], ['r3', 'r2', 'r1'], ['r0']]);
    expect(await ids('wizard')).toEqual([['r6', 'r3', 'r0']]);
    expect(await ids('nobody')).toEqual([[]]);
    await expect(store.runs.list({ limit: 3, cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    });
  });

  it('no secret is stored in messages, calls, title, reason or error', async () => {
    const secrets = ['a-value-of-the-config', 'ghp_0123456789abcdefghijABCDEFGHIJ'];
    const text = `It is ${secrets.join(' and ')}.`;
    await store.runs.begin({ id: 'r', agentId: null, model: 'm', title: text, messages: [textMessage(text)] });
    const calls = [{ id: text, tool: text, state: 'running' as const }];
    const long: Message = {
      role: 'tool',
      // The second secret is at the position where a long text is cut.
      content: [textBlock(`${'x'.repeat(99_990)} ${secrets[1]} ${'x'.repeat(2_000_000)}`)],
    };
    await store.runs.finish('r', {
      ...progress([textMessage(text), { ...answer, content: [{ ...toolUse, input: { deep: [text] } }] }, long], {
        calls,
      }),
      status: 'failed',
      reason: text,
      error: { code: 'TOOL_ERROR', message: text },
    });
    const direct = await openDatabase(database.db, silentLogger);
    const kept = await direct.read(async (db) => [
      ...(await db.selectFrom('runs').selectAll().execute()),
      ...(await db.selectFrom('messages').selectAll().execute()),
    ]);
    await direct.close();
    expect(kept).toHaveLength(4);
    const all = JSON.stringify(kept);
    expect(all.match(/\[removed\]/g)?.length).toBeGreaterThanOrEqual(13);
    for (const secret of [...secrets, 'ghp_']) expect(all).not.toContain(secret);
  });

  it('a prompt whose transaction was rolled back is stored with the next save', async () => {
    await begin('r', [question]);
    const direct = await openDatabase(database.db, silentLogger);
    const inTheWay = { thread_id: 'r', ordinal: 1, run_id: 'r', message_id: null, role: 'user', message: '{}' };
    await direct.write(({ db }) =>
      db
        .insertInto('messages')
        .values({ ...inTheWay, parent_id: null, superseded_by: null })
        .execute(),
    );
    const saved = { ...progress([question, answer]), steps: [modelStep(1), modelStep(2)] };
    await expect(store.runs.save('r', saved)).rejects.toThrow();
    await direct.write(({ db }) => db.deleteFrom('messages').where('ordinal', '=', 1).execute());
    await store.runs.save('r', saved);
    for (const step of [1, 2])
      expect((await other.runs.step('r', step)).prompt).toEqual({ system: 'You count files.', tools: '[]' });
    await direct.close();
  });

  it('runs are found by all words of a text in any case, and those without a save are not of unknown price', async () => {
    const { runs } = store;
    const begun = { agentId: 'wizard', model: 'house/gpt', messages: [question] };
    for (const [index, title] of ['Ärger im Büro', 'Trouble', 'BÜRO zu'].entries()) {
      await runs.begin({ ...begun, id: `r${index}`, title });
      clock.time += 1;
    }
    await runs.finish('r1', { ...progress([question]), status: 'failed', reason: 'Die Brücke fehlt.', error: null });
    const found = async (text: string) => (await other.runs.list({ text, limit: 10 })).runs.map(({ id }) => id);
    expect(await found('ärger')).toEqual(['r0']);
    expect(await found('ÄRGER')).toEqual(['r0']);
    expect(await found('büro')).toEqual(['r2', 'r0']);
    expect(await found('BÜRO ärger')).toEqual(['r0']);
    expect(await found('brücke GPT wizard')).toEqual(['r1']);
    expect(await found('100%')).toEqual([]);
    expect(await other.runs.totals({ text: 'trouble' })).toMatchObject({
      runs: 1,
      failed: 1,
      unpriced: 1,
      inputTokens: 10,
    });
    expect(await other.runs.totals({})).toMatchObject({ runs: 3, unpriced: 1, isPartial: false });
  });

  it('old runs are deleted with their messages, except running ones', async () => {
    await begin('alive', [question]);
    const dead = await openStore({ db: database.db, clock, logger: silentLogger, holder: endedHolder() });
    await dead.runs.begin({ id: 'crashed', agentId: null, model: 'm', title: 't', messages: [question] });
    await dead.close();
    for (let index = 0; index < 120; index += 1) {
      await begin(`old-${index}`, [question]);
      await store.runs.finish(`old-${index}`, {
        ...progress([question]),
        status: 'completed',
        reason: '',
        error: null,
      });
    }
    clock.time += 100_000;
    await begin('new', [question]);
    expect(await other.runs.prune(clock.time)).toBe(121);
    const { runs } = await store.runs.list({ limit: 500 });
    expect(runs.map(({ id }) => id).toSorted()).toEqual(['alive', 'new']);
    expect((await store.runs.get('alive')).messages).toEqual([question]);
    const direct = await openDatabase(database.db, silentLogger);
    const messages = await direct.read((db) => db.selectFrom('messages').select('run_id').execute());
    await direct.close();
    expect(messages.map((row) => row.run_id).toSorted()).toEqual(['alive', 'new']);
  });

  describe('that other runs started', () => {
    const done = { ...progress([question], { cost: 1 }), status: 'completed' as const, reason: '', error: null };
    const toolStep = { kind: 'tool' as const, step: 1, tick: 1, startedAt: 1, endedAt: 2 };
    const made = { ...toolStep, id: 'call-1', tool: 'agent__clerk', state: 'finished' as const };
    async function call(
      id: string,
      calledBy?: { runId: string; callId: string; tick: number; arguments?: Record<string, string> },
    ) {
      clock.time += 1_000;
      await store.runs.begin({
        id,
        agentId: `of ${id}`,
        model: 'm',
        title: `for ${id}`,
        messages: [question],
        calledBy,
      });
    }
    beforeEach(async () => {
      await call('chief');
      await call('clerk', {
        runId: 'chief',
        callId: 'call-1',
        tick: 1,
        arguments: { year: '2026', key: 'a-value-of-the-config' },
      });
      await call('copier', { runId: 'clerk', callId: 'call-9', tick: 1 });
      await call('other');
    });
    const ids = async (called?: 'hide' | 'show' | 'only') =>
      (await other.runs.list({ limit: 10, called })).runs.map(({ id }) => id);

    it('lead to the run and the step that started them, and back', async () => {
      // Some providers use an id again.
      const before = { ...made, tick: 0 };
      await store.runs.save('chief', { ...progress([question]), steps: [before, { ...made, step: 2 }] });
      expect(await other.runs.get('clerk')).toMatchObject({
        calledBy: { runId: 'chief', callId: 'call-1', tick: 1 },
        caller: { agentId: 'of chief', title: 'for chief', step: 2, arguments: { year: '2026', key: '[removed]' } },
        calledRuns: 1,
        called: [{ id: 'copier', calledBy: { runId: 'clerk', callId: 'call-9', tick: 1 }, status: 'running' }],
      });
      expect(await other.runs.get('copier')).toMatchObject({ caller: { agentId: 'of clerk', step: null }, called: [] });
      expect(await other.runs.get('chief')).toMatchObject({ calledBy: null, caller: null, calledRuns: 1 });
    });

    it('are hidden, shown with the others, or listed alone', async () => {
      expect(await ids()).toEqual(['other', 'chief']);
      expect(await ids('show')).toEqual(['other', 'copier', 'clerk', 'chief']);
      expect(await ids('only')).toEqual(['copier', 'clerk']);
      const { runs } = await other.runs.list({ limit: 10 });
      expect(runs.map(({ calledRuns }) => calledRuns)).toEqual([0, 1]);
    });

    it('count once, for the run at the top or for themselves', async () => {
      for (const id of ['chief', 'clerk', 'copier', 'other']) await store.runs.finish(id, done);
      const totals = async (filter: Parameters<typeof store.runs.totals>[0]) => {
        const { runs, called, cost, inputTokens } = await other.runs.totals(filter);
        return { runs, called, cost, inputTokens };
      };
      expect(await totals({})).toEqual({ runs: 2, called: 2, cost: 4, inputTokens: 40 });
      expect(await totals({ called: 'show' })).toEqual({ runs: 4, called: 0, cost: 4, inputTokens: 40 });
      expect(await totals({ called: 'only' })).toEqual({ runs: 2, called: 0, cost: 2, inputTokens: 20 });
      expect(await totals({ agentId: 'of chief' })).toEqual({ runs: 1, called: 2, cost: 3, inputTokens: 30 });
      expect(await totals({ agentId: 'of clerk' })).toEqual({ runs: 0, called: 0, cost: 0, inputTokens: 0 });
      expect(await totals({ agentId: 'of clerk', called: 'only' })).toMatchObject({ runs: 1, cost: 1 });
    });

    it('do not reach the inbox when they fail, because the calling run was told', async () => {
      for (const id of ['clerk', 'other']) await store.runs.finish(id, { ...done, status: 'failed' });
      const found = await other.runs.failures({ since: 0, limit: 10, dismissedAs: 'run:' });
      expect(found.map(({ id }) => id)).toEqual(['other']);
    });

    it('are deleted with the run at the top, even if they began later, but not while they are running', async () => {
      const since = clock.time - 2_500;
      for (const id of ['chief', 'copier', 'other']) await store.runs.finish(id, done);
      expect(await other.runs.countOlder(since)).toBe(2);
      expect(await other.runs.prune(since)).toBe(2);
      expect(await ids('show')).toEqual(['other', 'clerk']);
      expect(await other.runs.get('clerk')).toMatchObject({ calledBy: { runId: 'chief' }, caller: null, called: [] });
      await store.runs.finish('clerk', done);
      expect(await other.runs.prune(clock.time)).toBe(1);
      expect(await rowsLeft()).toEqual([{ run_id: 'other' }]);
    });

    it('are listed like others once the run at the top is deleted', async () => {
      for (const id of ['chief', 'other']) await store.runs.finish(id, done);
      await other.runs.prune(clock.time - 2_500);
      expect(await ids()).toEqual(['other', 'copier', 'clerk']);
      expect(await ids('only')).toEqual([]);
      expect(await other.runs.totals({})).toMatchObject({ runs: 3, called: 0 });
      await store.runs.finish('clerk', { ...done, status: 'failed' });
      const found = await other.runs.failures({ since: 0, limit: 10, dismissedAs: 'run:' });
      expect(found.map(({ id }) => id)).toEqual(['clerk']);
    });

    it('are deleted with the run at the top if their process is gone, even if they began later', async () => {
      const dead = await openStore({ db: database.db, clock, logger: silentLogger, holder: endedHolder() });
      const calledBy = { runId: 'chief', callId: 'call-2', tick: 1 };
      clock.time += 1_000;
      await dead.runs.begin({ id: 'lost', agentId: 'clerk', model: 'm', title: 't', messages: [question], calledBy });
      await dead.close();
      for (const id of ['chief', 'clerk', 'copier']) await store.runs.finish(id, done);
      expect(await other.runs.prune(clock.time - 3_500)).toBe(4);
      expect(await ids('show')).toEqual(['other']);
    });

    it('are deleted in small transactions, however many there are', async () => {
      for (let index = 0; index < 120; index += 1) {
        await call(`copy-${index}`, { runId: 'clerk', callId: `call-${index}`, tick: 1 });
        await store.runs.finish(`copy-${index}`, done);
      }
      for (const id of ['chief', 'clerk', 'copier', 'other']) await store.runs.finish(id, done);
      const direct = await openDatabase(database.db, silentLogger);
      const countRuns = async () => (await direct.read((db) => db.selectFrom('runs').select('id').execute())).length;
      const deleted: number[] = [];
      const write: typeof direct.write = async (work) => {
        const before = await countRuns();
        const result = await direct.write(work);
        deleted.push(before - (await countRuns()));
        return result;
      };
      expect(await deleteOldRuns({ dialect: direct.dialect, write }, { before: clock.time, ended: [] })).toBe(124);
      await direct.close();
      expect(Math.max(...deleted)).toBeLessThanOrEqual(50);
      expect(await rowsLeft()).toEqual([]);
    });

    it('leave no arguments behind when an earlier version deletes them', async () => {
      await store.runs.finish('other', done);
      const direct = await openDatabase(database.db, silentLogger);
      await direct.write(async ({ db }) => {
        await db.deleteFrom('messages').where('run_id', 'in', ['clerk', 'copier']).execute();
        await db.deleteFrom('runs').where('id', 'in', ['clerk', 'copier']).execute();
      });
      await direct.close();
      await other.runs.prune(clock.time + 1);
      expect(await rowsLeft()).toEqual([{ run_id: 'chief' }]);
    });

    it('are the last ones in the details of a run that started many', async () => {
      for (let index = 0; index < 210; index += 1)
        await call(`copy-${index}`, { runId: 'chief', callId: `call-${index}`, tick: 1 });
      const { called, calledRuns } = await other.runs.get('chief');
      expect(calledRuns).toBe(211);
      expect(called.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, index) => `copy-${index + 10}`));
    });

    async function rowsLeft() {
      const direct = await openDatabase(database.db, silentLogger);
      const left = await direct.read(async (db) => [
        ...(await db.selectFrom('run_calls').select('run_id').execute()),
        ...(await db.selectFrom('run_arguments').select('run_id').execute()),
        ...(await db.selectFrom('messages').select('run_id').execute()),
      ]);
      await direct.close();
      return left;
    }
  });

  describe('of a chat', () => {
    const said = new Map<string, readonly Message[]>();
    /** The current messages of the chat, each with the id of the question that it belongs to. */
    let current: { of: string; message: Message }[];
    let prompt: readonly Message[];
    beforeEach(async () => {
      said.clear();
      current = [];
      prompt = [];
      const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
      await store.chats.create({ id: 'chat_1', ...chat });
    });

    interface Answered {
      through?: Store;
      isOver?: boolean;
      /** The run whose question is replaced. */
      instead?: string;
      /** The messages of the prompt, if a new session begins. */
      prompt?: readonly Message[];
    }

    /** Answers as a chat does: the answer begins in the chat, and the chat stores the messages. */
    async function answer(runId: string, { through = store, isOver = true, instead, ...start }: Answered = {}) {
      clock.time += 1_000;
      const { lastSeq } = (await through.chats.get('chat_1')).chat;
      const rewindTo = instead === undefined ? undefined : `msg_${instead}`;
      const begun = { lastSeq, messageId: `msg_${runId}`, text: `question of ${runId}`, runId, agentId: 'clerk' };
      await through.chats.begin('chat_1', { ...begun, ...start, rewindTo, model: 'm', title: 't' });
      await through.runs.begin({ id: runId, agentId: 'clerk', model: 'm', title: 't', messages: [], chatId: 'chat_1' });
      const message: Message = { role: 'assistant', content: [textBlock(`answer of ${runId}`)] };
      await through.chats.append('chat_1', { runId, events: [], messages: [message] });
      await through.runs.save(runId, progress([], { ticks: 1 }));
      if (isOver) await through.runs.finish(runId, { ...progress([]), status: 'completed', reason: '', error: null });
      const end = { messages: [message], usage, cost: 0, state: 'idle' as const };
      await through.chats.finish('chat_1', { runId, events: [], ...end });
      prompt = start.prompt ?? prompt;
      const position = current.findIndex(({ of }) => of === rewindTo);
      const added = [textMessage(begun.text), message, message].map((each) => ({ of: begun.messageId, message: each }));
      current = [...(position === -1 ? current : current.slice(0, position)), ...added];
      said.set(runId, [...prompt, ...current.map(({ message }) => message)]);
    }

    async function expectAll(...runIds: string[]) {
      for (const runId of runIds)
        expect([runId, (await other.runs.get(runId)).messages]).toEqual([runId, said.get(runId)]);
      expect((await other.runs.list({ limit: 500 })).runs.map(({ id }) => id)).toEqual(runIds.toReversed());
    }

    async function countRows(): Promise<number> {
      const direct = await openDatabase(database.db, silentLogger);
      const rows = await direct.read((db) => db.selectFrom('messages').select('run_id').execute());
      await direct.close();
      return rows.length;
    }

    it('is a range of its messages: each message is stored once, and every run is read completely', async () => {
      await answer('run_1', { prompt: [textMessage('You are a clerk.')] });
      await answer('run_2');
      await answer('run_3', { through: other, prompt: [textMessage('You are a clerk.'), textMessage('In haste.')] });
      await answer('run_4', { instead: 'run_2', prompt: [] });
      await answer('run_5', { instead: 'run_4', prompt: [textMessage('You are a poet.')] });
      await answer('run_6');
      await answer('run_7', { instead: 'run_1', prompt: [] });
      expect(await countRows()).toBe(7 * 3 + 4);
      await expectAll(...[1, 2, 3, 4, 5, 6, 7].map((number) => `run_${number}`));
      const kept = await other.chats.messages('chat_1');
      expect(kept.map(({ message }) => message)).toEqual(current.map(({ message }) => message));
    });

    it('is read as it was, whichever messages were replaced', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), fc.option(fc.nat(2))), { maxLength: 9 }), async (moves) => {
          await store.chats.remove('chat_1');
          await store.runs.prune(clock.time + 1);
          said.clear();
          current = [];
          prompt = [];
          const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
          await store.chats.create({ id: 'chat_1', ...chat });
          for (const [index, [back, prompts]] of moves.entries()) {
            const [instead] = current.slice(back).map(({ of }) => of.slice('msg_'.length));
            const begins = prompts === null ? [] : [{ prompt: Array(prompts).fill(textMessage(`Prompt ${index}`)) }];
            await answer(`run_${index}`, { ...(instead && { instead }), ...begins[0] });
          }
          await expectAll(...said.keys());
        }),
        { numRuns: kind === 'sqlite' ? 25 : 5 },
      );
    });

    it('stays complete when earlier runs or the chat are deleted', async () => {
      for (let turn = 1; turn <= 6; turn += 1) await answer(`run_${turn}`);
      await answer('run_7', { instead: 'run_3' });
      await answer('run_8', { isOver: false });
      expect(await store.runs.prune(clock.time - 5_000)).toBe(2);
      await expectAll(...[3, 4, 5, 6, 7, 8].map((number) => `run_${number}`));
      // All messages stay while the chat exists, because its earlier branches can be shown.
      expect(await countRows()).toBe(8 * 3);
      expect(await other.chats.remove('chat_1')).toBe(true);
      await expectAll(...[3, 4, 5, 6, 7, 8].map((number) => `run_${number}`));
      expect(await store.runs.prune(clock.time + 1)).toBe(5);
      await expectAll('run_8');
      await store.runs.finish('run_8', { ...progress([]), status: 'completed', reason: '', error: null });
      expect(await store.runs.prune(clock.time + 1)).toBe(1);
      expect(await countRows()).toBe(0);
    });

    it('leaves no message behind when two processes delete it and its chat at the same time', async () => {
      const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
      for (let turn = 1; turn <= 10; turn += 1) {
        await answer(`run_${turn}_a`);
        await answer(`run_${turn}_b`);
        clock.time += 1_000;
        await Promise.all([
          store.chats.remove('chat_1'),
          other.runs.prune(clock.time - 1_000),
          other.runs.prune(clock.time),
        ]);
        expect(await countRows()).toBe(0);
        await store.chats.create({ id: 'chat_1', ...chat });
      }
    });
  });

  function begin(id: string, messages: readonly Message[], agentId: string | null = null): Promise<void> {
    return store.runs.begin({ id, agentId, model: 'm', title: 't', messages });
  }
});

/** A value that JSON cannot represent. */
const toxic = {
  ...none,
  toJSON(): never {
    throw new Error('no JSON');
  },
};

const toolUse = { type: 'tool_use' as const, id: 'c', name: 'n' };

function progress(messages: readonly Message[], more: Partial<RunProgress> = {}): RunProgress {
  return { ticks: 1, usage, cost: null, calls: [], messages, ...more };
}

function modelStep(step: number): NonNullable<RunProgress['steps']>[number] {
  const prompt = { system: 'You count files.', tools: [] };
  const times = { startedAt: 1, firstAt: 2, endedAt: 3 };
  return { kind: 'model', step, tick: 1, model: 'm', ...times, usage, cost: null, error: null, messages: 1, prompt };
}

function textMessage(text: string): Message {
  return { role: 'user', content: [textBlock(text)] };
}

function textBlock(text: string) {
  return { type: 'text' as const, text };
}
