import { expect, it } from 'vitest';
import { contextWith } from '../../test/support/command/run-with.ts';
import { call, finish, type ScriptedAnswer, say, scriptedModel } from '../../test/support/models/scripted-model.ts';
import { steppedClock } from '../../test/support/time/stepped-clock.ts';
import { HubError } from '../base/hub-error.ts';
import { ChatSession } from './chat-session.ts';
import { type AgentToolCall, runAgentTool } from './run-agent-tool.ts';

function ask(answers: ScriptedAnswer[], options: Partial<AgentToolCall> = {}) {
  const model = scriptedModel(answers);
  const session = new ChatSession({ model, com: contextWith(), maxTicks: 1 });
  const signal = new AbortController().signal;
  const result = runAgentTool({
    session,
    agentId: 'helper',
    prompt: 'Go.',
    client: { progress: () => {} },
    signal,
    ...options,
  });
  return { model, session, result };
}

it('the text of the last answer is the result', async () => {
  const { result } = ask([[say('Do'), say('ne.'), finish()]]);
  expect(await result).toMatchObject({ content: [{ type: 'text', text: 'Done.' }], isError: false });
});

it.each<[how: string, answer: ScriptedAnswer, code: string, message: RegExp]>([
  [
    'a failed model',
    [{ type: 'throw', error: new HubError('MODEL_ERROR', 'Too busy.') }],
    'MODEL_ERROR',
    /^Too busy\.$/,
  ],
  // The pipeline retries this code, and the agent would do everything twice.
  ['what may pass', [{ type: 'throw', error: new HubError('TRANSIENT_ERROR', 'Later.') }], 'AGENT_ERROR', /^Later\.$/],
  ['a limit', [call('a', 'none'), finish('tool-calls')], 'AGENT_ERROR', /did not finish its answer.*1 tick/],
  ['silence', [finish()], 'AGENT_ERROR', /no text/],
])('%s is an error in a sentence', async (_how, answer, code, message) => {
  await expect(ask([answer]).result).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
});

it('a client that waits long gets progress, and none after the answer', async () => {
  const clock = steppedClock();
  const gate = Promise.withResolvers<void>();
  const heard: (string | undefined)[] = [];
  const client = {
    progress(_count: number, { message }: { message?: string } = {}) {
      heard.push(message);
      if (heard.length < 3) setImmediate(() => clock.advance(10_000));
      else gate.resolve();
    },
  };
  const { result } = ask([[{ type: 'wait', until: gate.promise }, say('Done.'), finish()]], { client, clock });
  await result;
  expect(heard).toEqual(['Thinking.', 'Still working.', 'Still working.']);
  expect(clock.sleeps()).toEqual([]);
});
