import { describe, expect, it } from 'vitest';
import { contextWith, resultsOf, runWith, textOf } from '../../test/support/command/run-with.ts';
import { countedTools } from '../../test/support/hubs/counted-tools.ts';
import { call, finish, say, scriptedModel } from '../../test/support/models/scripted-model.ts';
import { HubError } from '../base/hub-error.ts';
import { Component } from './component.ts';
import type { RunEvent } from './run-events.ts';
import { runTicks } from './run-ticks.ts';

const never = new Promise<never>(() => {});

/** Aborts at the first event of this type. The model and the tools ignore their signals. */
function abortAt(type: RunEvent['type']) {
  const control = new AbortController();
  return {
    signal: control.signal,
    onEvent: (event: RunEvent) => {
      if (event.type === type) control.abort();
    },
  };
}

describe('a run that is aborted', () => {
  it('does not ask the model if it was aborted before', async () => {
    const { result, model } = await runWith({ answers: [[finish()]], signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'aborted', reason: 'The run was aborted.', ticks: 0, error: null });
    expect(model.requests).toEqual([]);
  });

  it('ends while a component starts', async () => {
    const control = new AbortController();
    let isClean = false;
    class Hanging extends Component {
      override onStart(): Promise<void> {
        control.abort(new HubError('CANCELLED', 'The person left.'));
        return never;
      }
      override onUnmount(): void {
        isClean = true;
      }
    }
    const { result, model } = await runWith({ answers: [], components: [new Hanging()], signal: control.signal });
    expect(result).toMatchObject({ status: 'aborted', reason: 'The person left.' });
    expect(model.requests).toEqual([]);
    expect(isClean).toBe(true);
  });

  it('ends before the model has sent anything', async () => {
    const control = new AbortController();
    const hang = () => {
      control.abort();
      return [{ type: 'wait', until: never }] as const;
    };
    const { result } = await runWith({ answers: [hang], signal: control.signal });
    expect(result).toMatchObject({ status: 'aborted', text: '', messages: [] });
  });

  it('keeps the text so far when it ends in the middle of an answer', async () => {
    const { result, model } = await runWith({
      answers: [[say('Once upon'), { type: 'wait', until: never }]],
      ...abortAt('text'),
    });
    expect(result).toMatchObject({ status: 'aborted', text: 'Once upon', ticks: 1 });
    expect(result.messages).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] }]);
    expect(model.requests[0]?.signal.aborted).toBe(true);
  });

  it('runs no call of an incomplete answer, and closes it', async () => {
    const { tool, effects } = countedTools();
    const control = new AbortController();
    const called = Promise.withResolvers<void>();
    const model = scriptedModel([
      [
        say('I will'),
        call('1', 'send'),
        { type: 'wait', until: Promise.resolve().then(called.resolve) },
        { type: 'wait', until: never },
      ],
    ]);
    const run = runTicks({ model, com: contextWith(tool('send')) }, { input: 'go', signal: control.signal });
    await called.promise;
    await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    const result = await run.result;
    expect(effects).toEqual([]);
    expect(result.messages[0]?.content).toMatchObject([
      { type: 'text', text: 'I will' },
      { type: 'tool_use', id: '1' },
    ]);
    expect(resultsOf(result.messages)).toMatchObject([{ toolUseId: '1', isError: true }]);
  });

  it('closes open calls and keeps existing results when it ends while tools run', async () => {
    const { tool, effects } = countedTools();
    let signal: AbortSignal | undefined;
    const { result, model, events } = await runWith({
      answers: [[say('Both'), call('1', 'hang'), call('2', 'quick'), finish('tool-calls')]],
      tools: [
        tool('hang', (_, context) => {
          signal = context.signal;
          return never;
        }),
        tool('quick'),
      ],
      ...abortAt('tool.finished'),
    });
    expect(result).toMatchObject({ status: 'aborted', text: 'Both' });
    expect(resultsOf(result.messages).map(textOf)).toEqual([
      'The call to "hang" was cancelled while it ran. It may have taken effect.',
      'quick done',
    ]);
    expect(signal?.aborted).toBe(true);
    expect(effects).toEqual(['1', '2']);
    expect(model.requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'tool.finished')).toHaveLength(2);
  });

  it('ends while it waits for approval, and the call does not run', async () => {
    const { tool, effects } = countedTools();
    let signal: AbortSignal | undefined;
    const { result, events } = await runWith({
      answers: [[call('1', 'send'), call('2', 'send'), finish('tool-calls')]],
      tools: [tool('send', undefined, { requiresConfirmation: true })],
      approve: (_, options) => {
        signal = options.signal;
        return never;
      },
      ...abortAt('approval.needed'),
    });
    expect(result.status).toBe('aborted');
    expect(signal?.aborted).toBe(true);
    expect(effects).toEqual([]);
    expect(events.filter(({ type }) => type === 'approval.needed')).toHaveLength(1);
    expect(resultsOf(result.messages).map(textOf)).toEqual([
      'The call to "send" was cancelled before it ran.',
      'The call to "send" was cancelled before it ran.',
    ]);
  });

  it.each<[string, object]>([
    ['a stop condition is looked at', { stopWhen: () => never }],
    ['a component looks at a tick', { components: [Object.assign(new Component(), { onTickEnd: () => never })] }],
    ['a tool decides whether to ask', {}],
  ])('ends while %s', async (_, options) => {
    const { tool } = countedTools();
    const requiresConfirmation = 'stopWhen' in options || 'components' in options ? false : () => never;
    const control = new AbortController();
    const com = contextWith(tool('a', undefined, { requiresConfirmation }));
    const model = scriptedModel([[call('1', 'a'), finish('tool-calls')]]);
    const { components, ...rest } = options as { components?: Component[] };
    const run = runTicks({ model, com, components }, { input: 'go', signal: control.signal, ...rest });
    await new Promise((resolve) => setImmediate(resolve));
    control.abort();
    const result = await run.result;
    expect(result.status).toBe('aborted');
    expect(resultsOf(result.messages)).toHaveLength(1);
  });

  it('is completed if the answer was complete before the abort', async () => {
    const { result } = await runWith({ answers: [[say('All of it.'), finish()]], ...abortAt('tick.finished') });
    expect(result).toMatchObject({ status: 'completed', text: 'All of it.' });
  });

  it('ends when nobody reads its events', async () => {
    const model = scriptedModel([[say('a'), { type: 'wait', until: never }]]);
    const run = runTicks({ model, com: contextWith() }, { input: 'go' });
    for await (const event of run.events) if (event.type === 'text') break;
    expect(await run.result).toMatchObject({
      status: 'aborted',
      reason: 'Nobody reads the events of the run any more.',
      text: 'a',
    });
  });

  it('leaves no listener on its signal', async () => {
    const control = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = control.signal;
    control.signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(control.signal, given);
    };
    control.signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(control.signal, given);
    };
    await runWith({ answers: [[finish()]], signal: control.signal });
    expect(listeners).toBe(0);
  });
});
