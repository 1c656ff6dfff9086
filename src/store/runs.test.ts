import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endedHolder, runningHolder } from '../../test/support/holders.ts';
import { databaseKinds, newTestDatabase, type TestDatabase } from '../../test/support/test-database.ts';
import { type TestClock, testClock } from '../../test/support/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import type { Message } from '../engine/message.ts';
import type { RunProgress } from '../engine/run-store.ts';
import { createRedact } from '../tools/redact.ts';
import { openDatabase, openStore } from './open-store.ts';
import type { Store } from './store.ts';

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

  it('a run shows how far it came, from its beginning to its end', async () => {
    const { runs } = store;
    const startedAt = clock.time;
    await runs.begin({ id: 'r', agentId: 'wizard', model: 'openai/gpt', title: 'How many?', messages: [question] });
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
    };
    expect(await other.runs.get('r')).toEqual(begun);

    clock.time += 1000;
    const calls = [{ id: 'call-1', tool: 'list', state: 'running' as const }];
    await runs.save('r', progress([question, answer], { ticks: 1, cost: 0.0123456789, calls }));
    expect(await other.runs.get('r')).toEqual({
      ...begun,
      heartbeatAt: clock.time,
      ticks: 1,
      usage,
      cost: 0.0123456789,
      messages: [question, answer],
      calls,
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

  it('a message is written once: what was kept stays as it was', async () => {
    await begin('r', [question]);
    const changed: Message = { role: 'user', content: [] };
    await store.runs.save('r', progress([changed, answer]));
    await store.runs.save('r', progress([changed, changed, result]));
    await store.runs.save('r', progress([]));
    expect((await store.runs.get('r')).messages).toEqual(JSON.parse(JSON.stringify([question, answer, result])));
  });

  it('saves of one run that meet leave each message there once', async () => {
    await begin('r', [question]);
    const messages = Array.from({ length: 45 }, (_, index): Message => textMessage(`${index}`));
    const saves = Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? store : other).runs.save('r', progress([question, ...messages.slice(0, 45 - index)])),
    );
    await Promise.all(saves);
    expect((await store.runs.get('r')).messages).toEqual([question, ...messages]);
  });

  it('a save after the end changes nothing, and a second end neither', async () => {
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

  it('a run is interrupted when its process is gone, whatever the clock says', async () => {
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
    expect(await Promise.all(['r', 'done', 'left'].map(statusOf))).toEqual(['running', 'completed', 'interrupted']);
    await Promise.all([dead.close(), running.close()]);
  });

  it('a run whose end could not be kept is interrupted', async () => {
    await begin('r', [question]);
    const end = { ...progress([question]), status: 'completed' as const, reason: 'x', error: null };
    await expect(store.runs.finish('r', { ...end, usage: toxic })).rejects.toThrow('no JSON');
    expect((await store.runs.get('r')).status).toBe('interrupted');
  });

  it('a run that is not there, or twice, is said to be so', async () => {
    const missing = { code: 'NOT_FOUND', message: 'There is no run with the id "r".' };
    await expect(store.runs.get('r')).rejects.toMatchObject(missing);
    await expect(store.runs.save('r', progress([]))).rejects.toMatchObject(missing);
    await begin('r', [question]);
    await expect(begin('r', [answer, result])).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await store.runs.get('r')).messages).toEqual([question]);
  });

  it('a list goes from the newest to the oldest, page by page, of all agents or of one', async () => {
    for (let index = 0; index < 7; index += 1) {
      // Two of each moment: their ids decide.
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

  it('no secret is written: in messages, calls, title, reason or error', async () => {
    const secrets = ['a-value-of-the-config', 'ghp_0123456789abcdefghijABCDEFGHIJ'];
    const text = `It is ${secrets.join(' and ')}.`;
    await store.runs.begin({ id: 'r', agentId: null, model: 'm', title: text, messages: [textMessage(text)] });
    const calls = [{ id: text, tool: text, state: 'running' as const }];
    const long: Message = {
      role: 'tool',
      // The second secret lies where a long text is cut.
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
      ...(await db.selectFrom('run_messages').selectAll().execute()),
    ]);
    await direct.close();
    expect(kept).toHaveLength(4);
    const all = JSON.stringify(kept);
    expect(all.match(/\[removed\]/g)?.length).toBeGreaterThanOrEqual(13);
    for (const secret of [...secrets, 'ghp_']) expect(all).not.toContain(secret);
  });

  it('old runs are deleted with their messages; those that are alive stay', async () => {
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
    const messages = await direct.read((db) => db.selectFrom('run_messages').select('run_id').execute());
    await direct.close();
    expect(messages.map((row) => row.run_id).toSorted()).toEqual(['alive', 'new']);
  });

  describe('of a chat', () => {
    const said = new Map<string, readonly Message[]>();
    beforeEach(async () => {
      said.clear();
      const chat = { agentId: 'clerk', title: '', model: null, origin: { kind: 'chat' as const }, arguments: {} };
      await store.chats.create({ id: 'chat_1', ...chat });
    });

    /** As a chat does it: the answer is begun there first. */
    async function answer(runId: string, before: readonly Message[], { through = store, isOver = true } = {}) {
      clock.time += 1_000;
      const { lastSeq } = (await through.chats.get('chat_1')).chat;
      const begun = { lastSeq, messageId: `msg_${runId}`, text: 'x', runId, agentId: 'clerk', model: 'm' };
      await through.chats.begin('chat_1', { ...begun, title: 't' });
      const asked = [...before, textMessage(`question of ${runId}`)];
      await through.runs.begin({ id: runId, agentId: 'clerk', model: 'm', title: 't', messages: asked });
      const whole = [...asked, textMessage(`answer of ${runId}`)];
      await through.runs.save(runId, progress(whole));
      said.set(runId, whole);
      if (isOver)
        await through.runs.finish(runId, { ...progress(whole), status: 'completed', reason: '', error: null });
      const end = { messages: [], text: '', usage, cost: 0, state: 'idle' as const };
      await through.chats.finish('chat_1', { runId, events: [], ...end });
      return whole;
    }

    async function expectAll(...runIds: string[]) {
      for (const runId of runIds)
        expect([runId, (await other.runs.get(runId)).messages]).toEqual([runId, said.get(runId)]);
      expect((await other.runs.list({ limit: 500 })).runs.map(({ id }) => id)).toEqual(runIds.toReversed());
    }

    async function rowsOfRuns(): Promise<Record<string, number>> {
      const direct = await openDatabase(database.db, silentLogger);
      const rows = await direct.read((db) => db.selectFrom('run_messages').select('run_id').execute());
      await direct.close();
      return Object.fromEntries(
        Map.groupBy(rows, (row) => row.run_id)
          .entries()
          .map(([id, all]) => [id, all.length]),
      );
    }

    it('keeps only what it added, and is read whole, in every process', async () => {
      const prompt = textMessage('You are a clerk. It is a-value-of-the-config.');
      const first = await answer('run_1', [prompt]);
      const second = await answer('run_2', first);
      await answer('run_3', second, { through: other });
      // The second message is sent anew, and the agent begins with another prompt in the end.
      const fourth = await answer('run_4', first);
      await answer('run_5', [textMessage('You are a poet.'), ...fourth.slice(1)]);
      expect(await rowsOfRuns()).toEqual({ run_1: 3, run_2: 2, run_3: 2, run_4: 2, run_5: 7 });
      for (const [runId, messages] of said)
        said.set(runId, JSON.parse(JSON.stringify(messages).replaceAll('a-value-of-the-config', '[removed]')));
      await expectAll('run_1', 'run_2', 'run_3', 'run_4', 'run_5');
    });

    it('stays whole when those before it are deleted', async () => {
      const times: number[] = [];
      let before: readonly Message[] = [];
      for (let turn = 1; turn <= 6; turn += 1) {
        before = await answer(`run_${turn}`, before);
        times.push(clock.time);
      }
      // Two that go on from the third: one from all of it, one from its question alone.
      const third = said.get('run_3') ?? [];
      await answer('run_7', third);
      await answer('run_8', third.slice(0, 5));
      await answer('run_9', said.get('run_8') ?? [], { isOver: false });
      const [, , thirdAt = 0, fourthAt = 0, , sixthAt = 0] = times;
      expect(await store.runs.prune(thirdAt)).toBe(2);
      await expectAll('run_3', 'run_4', 'run_5', 'run_6', 'run_7', 'run_8', 'run_9');
      expect(await store.runs.prune(fourthAt)).toBe(1);
      await expectAll('run_4', 'run_5', 'run_6', 'run_7', 'run_8', 'run_9');
      expect(await store.runs.prune(sixthAt + 1)).toBe(3);
      await expectAll('run_7', 'run_8', 'run_9');
      // One under way can be saved on, and takes what it needs of the others.
      const whole = [...(said.get('run_9') ?? []), textMessage('more')];
      said.set('run_9', whole);
      clock.time += 50_000;
      await store.runs.save('run_9', progress(whole));
      expect(await store.runs.prune(clock.time)).toBe(2);
      await expectAll('run_9');
      expect(await rowsOfRuns()).toEqual({ run_9: whole.length });
    });

    it('stays whole when another process deletes the one before it meanwhile', async () => {
      let before: readonly Message[] = [];
      for (let turn = 1; turn <= 12; turn += 1) {
        const id = `run_${turn}`;
        const [whole] = await Promise.all([answer(id, before), other.runs.prune(clock.time)]);
        before = whole;
        expect([id, (await other.runs.get(id)).messages]).toEqual([id, said.get(id)]);
      }
      await store.runs.prune(clock.time);
      await expectAll('run_12');
    });

    it('shares one with another run where a process has a clock that is behind', async () => {
      const first = await answer('run_1', []);
      clock.time -= 100_000;
      await answer('run_2', first.slice(0, 1), { isOver: false });
      await answer('run_3', first, { through: other, isOver: false });
      await answer('run_4', [], { isOver: false });
      expect(await rowsOfRuns()).toEqual({ run_1: 2, run_2: 2, run_3: 2, run_4: 2 });
      clock.time += 200_000;
      for (const id of ['run_2', 'run_3', 'run_4']) await store.runs.save(id, progress([]));
      expect(await store.runs.prune(clock.time)).toBe(1);
      await expectAll('run_2', 'run_3', 'run_4');
      expect(await rowsOfRuns()).toEqual({ run_2: 2, run_3: 4, run_4: 2 });
    });
  });

  function begin(id: string, messages: readonly Message[], agentId: string | null = null): Promise<void> {
    return store.runs.begin({ id, agentId, model: 'm', title: 't', messages });
  }
});

/** Cannot be written as JSON. */
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

function textMessage(text: string): Message {
  return { role: 'user', content: [textBlock(text)] };
}

function textBlock(text: string) {
  return { type: 'text' as const, text };
}
