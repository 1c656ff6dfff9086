import { describe, expect, it } from 'vitest';
import { contextWith } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import {
  call,
  finish,
  type ScriptedAnswer,
  say,
  scriptedModel,
  tokens,
} from '../../test/support/models/scripted-model.ts';
import { HubError } from '../base/hub-error.ts';
import { ChatSession, type ChatSessionOptions } from './chat-session.ts';
import type { ExecutableTool } from './executable-tool.ts';

function open(answers: ScriptedAnswer[], options: Partial<ChatSessionOptions> = {}, tools: ExecutableTool[] = []) {
  const model = scriptedModel(answers);
  return { model, session: new ChatSession({ model, com: contextWith(...tools), ...options }) };
}

const answer = (text: string): ScriptedAnswer => [say(text), finish('stop', tokens(10, 5))];
const textsOf = (messages: readonly { role: string; content: readonly object[] }[]) =>
  messages.map(({ role, content }) => [role, content.map((block) => ('text' in block ? block.text : '')).join('')]);

describe('a session', () => {
  it('has a unique id', () => {
    const ids = [open([]).session.contextId, open([]).session.contextId];
    expect(new Set(ids).size).toBe(2);
    expect(open([], { contextId: 'mine' }).session.contextId).toBe('mine');
  });

  it('is continued by a second message', async () => {
    const { session, model } = open([answer('One.'), answer('Two.')]);
    expect((await session.send('first').result).text).toBe('One.');
    expect((await session.send('second').result).text).toBe('Two.');
    expect(textsOf(model.requests[1]?.messages ?? [])).toEqual([
      ['user', 'first'],
      ['assistant', 'One.'],
      ['user', 'second'],
    ]);
    expect(session.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
  });

  it.each<[how: string, first: ScriptedAnswer]>([
    ['failed', [say('Half'), { type: 'throw', error: new HubError('MODEL_ERROR', 'gone') }]],
    ['was filtered', [finish('content-filter')]],
  ])('is continued after an answer that %s', async (_how, first) => {
    const { session } = open([first, answer('Back.')]);
    await session.send('first').result;
    expect(await session.send('second').result).toMatchObject({ status: 'completed', text: 'Back.' });
  });

  it('is continued after an answer that was stopped', async () => {
    const control = new AbortController();
    const { session } = open([[say('Ha'), { type: 'wait', until: new Promise(() => {}) }], answer('Back.')]);
    const run = session.send('first', { signal: control.signal });
    for await (const event of run.events) if (event.type === 'text') control.abort();
    expect(await run.result).toMatchObject({ status: 'aborted', text: 'Ha' });
    expect((await session.send('second').result).text).toBe('Back.');
  });

  it('refuses a message while it answers, and accepts it afterwards', async () => {
    const gate = Promise.withResolvers<void>();
    const { session } = open([[{ type: 'wait', until: gate.promise }, say('One.'), finish()], answer('Two.')]);
    const run = session.send('first');
    expect(session.isBusy).toBe(true);
    expect(() => session.send('second')).toThrow(/still answering\. Wait for the answer, or stop it first/);
    gate.resolve();
    await run.result;
    expect(session.isBusy).toBe(false);
    expect(textsOf(session.messages)).toEqual([
      ['user', 'first'],
      ['assistant', 'One.'],
    ]);
    expect((await session.send('second').result).text).toBe('Two.');
  });

  it('is not changed by an invalid message', async () => {
    const { session } = open([answer('One.')]);
    expect(() => session.send('  ')).toThrow(/input is empty/);
    expect(session.isBusy).toBe(false);
    expect((await session.send('first').result).text).toBe('One.');
  });

  it('asks about a tool until the user answers "always", which applies to later messages', async () => {
    const { tool } = countedTools();
    const use = (id: string): ScriptedAnswer => [call(id, 'send'), finish('tool-calls')];
    const { session } = open([use('a'), answer('x'), use('b'), answer('y'), use('c'), answer('z')], {}, [
      tool('send', undefined, { requiresConfirmation: true }),
    ]);
    const asked: string[] = [];
    const reply = (said: 'approve' | 'always') => ({
      approve: ({ toolUseId }: { toolUseId: string }) => {
        asked.push(toolUseId);
        return said;
      },
    });
    await session.send('1', reply('approve')).result;
    await session.send('2', reply('always')).result;
    await session.send('3', reply('approve')).result;
    expect(asked).toEqual(['a', 'b']);
  });

  it('gives each answer its budget', async () => {
    const { tool } = countedTools();
    const use: ScriptedAnswer = [call('a', 'send'), finish('tool-calls', tokens(10, 5))];
    const { session } = open([use, answer('x')], { budget: { maxTokens: 15 } }, [tool('send')]);
    expect((await session.send('1').result).status).toBe('budget');
    expect(await session.send('2').result).toMatchObject({ status: 'completed', text: 'x' });
  });

  it('is answered by another model from the next message on', async () => {
    const { session } = open([answer('One.')]);
    await session.send('first').result;
    session.model = scriptedModel([answer('Other.')]);
    expect((await session.send('second').result).text).toBe('Other.');
  });
});

describe('a session that is closed', () => {
  it('stops its answer and releases messages and tools', async () => {
    const { tool } = countedTools();
    const removed: string[] = [];
    const closed: string[] = [];
    const send = { ...tool('send'), onRemoved: () => removed.push('send') };
    const options = { onClose: () => closed.push('closed') };
    const { session } = open([[{ type: 'wait', until: new Promise(() => {}) }]], options, [send]);
    const run = session.send('first');
    await Promise.all([session.close(), session.close()]);
    expect(await run.result).toMatchObject({ status: 'aborted', reason: 'The session was closed.' });
    expect([session.messages, removed, closed]).toEqual([[], ['send'], ['closed']]);
    expect(() => session.send('second')).toThrow(/is closed/);
  });
});
