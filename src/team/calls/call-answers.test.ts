import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endedHolder } from '../../../test/support/databases/holders.ts';
import { usualDatabaseKinds } from '../../../test/support/databases/test-database.ts';
import { openTestTeam, plantedSecret, type TestTeam } from '../../../test/support/team/open-test-team.ts';
import { silentLogger } from '../../base/logger.ts';
import { openStore } from '../../store/open-store.ts';
import { ToolContent } from '../../tools/content.ts';
import type { AnswerMemory } from '../../tools/run-tool.ts';
import { callAnswers } from './call-answers.ts';

describe.each(usualDatabaseKinds)('answers to keys in %s', (kind) => {
  let test: TestTeam;
  let answers: AnswerMemory;
  let elsewhere: AnswerMemory;
  beforeAll(async () => {
    test = await openTestTeam(kind);
    answers = callAnswers(test.parts);
    elsewhere = callAnswers({ ...test.parts, store: test.other.team });
  });
  afterAll(() => test.remove());

  const call = (key: string, input: unknown = { a: 1 }) => ({ owner: 'w', key, tool: 't', input });

  it('the first call runs, and later calls in any process get its answer', async () => {
    expect(await answers.begin(call('k1'))).toBeUndefined();
    await answers.keep(call('k1'), { text: `with ${plantedSecret}`, n: 1 });
    const kept = { text: 'with [removed]', n: 1 };
    expect(await answers.begin(call('k1'))).toEqual(kept);
    expect(await elsewhere.begin(call('k1'))).toEqual(kept);
  });

  it('two owners can use the same key', async () => {
    expect(await answers.begin({ ...call('k1'), owner: 'other' })).toBeUndefined();
    await answers.release({ ...call('k1'), owner: 'other' });
  });

  it('a key used for another call is rejected', async () => {
    const code = 'INVALID_ARGUMENTS';
    await expect(answers.begin(call('k1', { a: 2 }))).rejects.toMatchObject({ code });
    await expect(answers.begin({ ...call('k1'), tool: 'other' })).rejects.toMatchObject({ code });
  });

  it('calls in one process wait for the first; another process gets an error and can retry', async () => {
    await answers.begin(call('k2'));
    const waiting = [answers.begin(call('k2')), answers.begin(call('k2'))];
    await expect(elsewhere.begin(call('k2'))).rejects.toMatchObject({ code: 'TRANSIENT_ERROR' });
    await answers.keep(call('k2'), { done: true });
    expect(await Promise.all(waiting)).toEqual([{ done: true }, { done: true }]);
  });

  it('after a failure the next call runs', async () => {
    await answers.begin(call('k3'));
    const next = answers.begin(call('k3'));
    await answers.release(call('k3'));
    expect(await next).toBeUndefined();
    await answers.release(call('k3'));
    expect(await elsewhere.begin(call('k3'))).toBeUndefined();
    await elsewhere.release(call('k3'));
  });

  it('a call that a crash left without an answer is not repeated automatically', async () => {
    const dead = await openStore({ ...test, logger: silentLogger, holder: endedHolder() });
    await callAnswers({ ...test.parts, store: dead.team }).begin(call('k4'));
    await expect(elsewhere.begin(call('k4'))).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
    await dead.close();
  });

  it('an answer that could not be stored does not free its key', async () => {
    let isBroken = false;
    const store = {
      ...test.parts.store,
      write: ((run) =>
        isBroken ? Promise.reject(new Error('no disk')) : test.parts.store.write(run)) as typeof test.parts.store.write,
    };
    const failing = callAnswers({ ...test.parts, store });
    await failing.begin(call('k5'));
    const waiting = failing.begin(call('k5'));
    isBroken = true;
    await expect(failing.keep(call('k5'), {})).rejects.toThrow('no disk');
    isBroken = false;
    await failing.release(call('k5'));
    // Also not for one that waited for it.
    await expect(waiting).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
    await expect(failing.begin(call('k5'))).rejects.toMatchObject({ code: 'INVALID_AGENT_STATE' });
  });

  it('images and errors of a tool are returned unchanged', async () => {
    const content = new ToolContent([{ type: 'text', text: 'no' }], { isError: true, structuredContent: { a: 1 } });
    await answers.begin(call('k6'));
    await answers.keep(call('k6'), content);
    const again = await answers.begin(call('k6'));
    expect(again).toBeInstanceOf(ToolContent);
    expect(again).toEqual(content);
  });
});
