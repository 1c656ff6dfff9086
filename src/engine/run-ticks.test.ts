import { describe, expect, it } from 'vitest';
import { contextWith, resultsOf, textOf } from '../../test/support/command/run-with.ts';
import { contentTool, countedTools } from '../../test/support/hubs/counted-tools.ts';
import {
  call,
  finish,
  type ScriptedAnswer,
  say,
  scriptedModel,
  tokens,
} from '../../test/support/models/scripted-model.ts';
import { HubError } from '../base/hub-error.ts';
import { silentLogger } from '../base/logger.ts';
import { ToolContent } from '../tools/content.ts';
import { Component, type TickState } from './component.ts';
import { ContextObjectModel } from './context-object-model.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { RunEvent } from './run-events.ts';
import type { RunOptions } from './run-options.ts';
import { executeTicks, runTicks } from './run-ticks.ts';

function execute(answers: readonly ScriptedAnswer[], tools: ExecutableTool[], options: Partial<RunOptions> = {}) {
  const model = scriptedModel(answers);
  const com = contextWith(...tools);
  return executeTicks({ model, com }, { input: 'go', ...options }).then((result) => ({ result, model, com }));
}

describe('a run', () => {
  it('asks the model, runs its calls, and asks again with the results', async () => {
    const { tool, effects } = countedTools();
    const { result, model } = await execute(
      [
        [say('Let me '), say('add.'), call('1', 'add', { a: 2, b: 3 }), finish('tool-calls', tokens(10, 4))],
        [say('It is 5.'), finish('stop', tokens(20, 6))],
      ],
      [tool('add', (input) => input as object)],
    );
    expect(result).toMatchObject({
      status: 'completed',
      text: 'It is 5.',
      ticks: 2,
      usage: tokens(30, 10),
      cost: null,
    });
    expect(result.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me add.' },
          { type: 'tool_use', id: '1', name: 'add', input: { a: 2, b: 3 } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            toolUseId: '1',
            name: 'add',
            content: [{ type: 'text', text: '{"a":2,"b":3}' }],
            isError: false,
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is 5.' }] },
    ]);
    expect(model.requests[1]?.messages).toHaveLength(3);
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['add']);
    expect(effects).toEqual(['1']);
  });

  it('runs parallel calls at the same time and keeps the order of the model', async () => {
    const first = Promise.withResolvers<void>();
    const { tool } = countedTools();
    const { result } = await execute(
      [[call('1', 'slow'), call('2', 'fast'), finish('tool-calls')], [finish()]],
      [
        tool('slow', async () => {
          await first.promise;
          return 'slow';
        }),
        // The first can end only while the second is running.
        tool('fast', () => {
          first.resolve();
          return 'fast';
        }),
      ],
    );
    expect(resultsOf(result.messages).map(textOf)).toEqual(['slow', 'fast']);
  });

  it('runs a call once if the model repeats its id in one answer', async () => {
    const { tool, effects } = countedTools();
    const { result } = await execute(
      [[call('1', 'send'), call('1', 'send'), finish('tool-calls')], [finish()]],
      [tool('send')],
    );
    expect(effects).toEqual(['1']);
    expect(resultsOf(result.messages)).toHaveLength(1);
  });

  it('gives calls without an id a new one', async () => {
    const { tool, effects } = countedTools();
    await execute([[call('', 'send'), call('', 'send'), finish('tool-calls')], [finish()]], [tool('send')]);
    expect(new Set(effects).size).toBe(2);
  });

  it.each([
    [
      'an expected error by its sentence',
      new HubError('NOT_FOUND', 'There is no file "a". Try "b".'),
      'There is no file "a". Try "b".',
    ],
    ['an unexpected error as no more than that', new Error('password=hunter2'), 'Internal error'],
  ])('feeds back %s', async (_, error, told) => {
    const logged: object[] = [];
    const { tool } = countedTools();
    const com = contextWith(
      tool('read', () => {
        throw error;
      }),
    );
    const model = scriptedModel([
      [call('1', 'read'), finish('tool-calls')],
      [say('Sorry.'), finish()],
    ]);
    const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) };
    const result = await executeTicks({ model, com, logger }, { input: 'go' });
    const [block] = resultsOf(model.requests[1]?.messages ?? []);
    expect(block?.isError).toBe(true);
    expect(textOf(block)).toBe(told);
    expect(result.status).toBe('completed');
    expect(logged).toHaveLength(error instanceof HubError ? 0 : 1);
  });

  it('lists the available tools when the model names an unknown one', async () => {
    const { tool } = countedTools();
    const { result } = await execute([[call('1', 'nope'), finish('tool-calls')], [finish()]], [tool('a'), tool('b')]);
    const [block] = resultsOf(result.messages);
    expect(block?.isError).toBe(true);
    expect(textOf(block)).toBe('There is no tool "nope". Available: a, b.');
  });

  it('tells the model that its input is not JSON and does not run the tool', async () => {
    const { tool, effects } = countedTools();
    const bad = { type: 'tool-call', id: '1', name: 'a', input: undefined, invalidInput: '{"x":' } as const;
    const { result } = await execute([[bad, finish('tool-calls')], [finish()]], [tool('a')]);
    const [block] = resultsOf(result.messages);
    expect(block?.isError).toBe(true);
    expect(textOf(block)).toContain('{"x":');
    expect(effects).toEqual([]);
    expect(result.messages[0]?.content).toEqual([{ type: 'tool_use', id: '1', name: 'a', input: {} }]);
  });

  it('keeps images, audio, resources, links, structured content and the error flag', async () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image', data: 'aW1n', mimeType: 'image/png' },
      { type: 'audio', data: 'c25k', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
      { type: 'resource_link', uri: 'file:///b', name: 'b' },
    ] as const;
    const given = new ToolContent(content, { structuredContent: { n: 1 }, isError: true });
    const { result } = await execute(
      [[call('1', 'look'), finish('tool-calls')], [finish()]],
      [contentTool('look', given)],
    );
    expect(resultsOf(result.messages)[0]).toEqual({
      type: 'tool_result',
      toolUseId: '1',
      name: 'look',
      content,
      structuredContent: { n: 1 },
      isError: true,
    });
  });

  it.each([
    ['text', 'hello', [{ type: 'text', text: 'hello' }]],
    ['data', { a: [1] }, [{ type: 'text', text: '{"a":[1]}' }]],
    ['a list of data', [{ a: 1 }], [{ type: 'text', text: '[{"a":1}]' }]],
    [
      'blocks',
      [{ type: 'image', data: 'x', mimeType: 'image/png' }],
      [{ type: 'image', data: 'x', mimeType: 'image/png' }],
    ],
    ['a result', { content: [{ type: 'text', text: 'x' }], isError: true }, [{ type: 'text', text: 'x' }]],
    ['nothing', undefined, []],
  ])('accepts %s from a tool', async (_, returned, content) => {
    const { tool } = countedTools();
    const { result } = await execute([[call('1', 'a'), finish('tool-calls')], [finish()]], [tool('a', () => returned)]);
    expect(resultsOf(result.messages)[0]?.content).toEqual(content);
  });

  it('reports data of a tool that cannot be written as JSON', async () => {
    const { tool } = countedTools();
    const { result } = await execute(
      [[call('1', 'a'), finish('tool-calls')], [finish()]],
      [tool('a', () => ({ n: 1n }))],
    );
    expect(textOf(resultsOf(result.messages)[0])).toBe('Tool "a" returned data that cannot be written as JSON.');
  });

  it('ends at the limit of ticks, after the calls of the last one', async () => {
    const { tool, effects } = countedTools();
    const endless = Array.from({ length: 11 }, (_, index) => [call(`${index}`, 'a'), finish('tool-calls')]);
    const { result, model } = await execute(endless, [tool('a')]);
    expect(result).toMatchObject({ status: 'max-ticks', ticks: 10, reason: 'The run reached its limit of 10 ticks.' });
    expect(model.requests).toHaveLength(10);
    expect(effects).toHaveLength(10);
    expect(resultsOf(result.messages)).toHaveLength(10);
  });

  it('ends when a stop condition is met', async () => {
    const { tool } = countedTools();
    const seen: unknown[] = [];
    const { result, model } = await execute(
      [
        [say('hm'), call('1', 'a', { x: 1 }), finish('tool-calls')],
        [call('2', 'done'), finish('tool-calls')],
      ],
      [tool('a'), tool('done')],
      {
        stopWhen: [
          (state) => {
            seen.push(state.calls);
            return false;
          },
          async ({ calls }) => calls.some(({ tool: name }) => name === 'done'),
        ],
      },
    );
    expect(result).toMatchObject({ status: 'completed', reason: 'A stop condition was met.', ticks: 2 });
    expect(seen[0]).toEqual([{ tool: 'a', input: { x: 1 }, isError: false }]);
    expect(model.requests).toHaveLength(2);
  });

  it('fails with the error of a stop condition', async () => {
    const { tool } = countedTools();
    const { result } = await execute([[call('1', 'a'), finish('tool-calls')]], [tool('a')], {
      stopWhen: () => Promise.reject(new HubError('NOT_FOUND', 'No such thing.')),
    });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'NOT_FOUND', message: 'No such thing.' } });
  });

  it('stops a tool that exceeds its time limit, and continues', async () => {
    const { tool } = countedTools();
    let wasTold = false;
    const hangs = tool(
      'hang',
      (_, { signal }) => {
        signal.addEventListener('abort', () => {
          wasTold = true;
        });
        return new Promise(() => {});
      },
      { timeoutMs: 5 },
    );
    const quick = tool('quick', () => 'here', { timeoutMs: 60_000 });
    const { result } = await execute(
      [[call('1', 'hang'), call('2', 'quick'), finish('tool-calls')], [finish()]],
      [hangs, quick],
    );
    const [late, inTime] = resultsOf(result.messages);
    expect(textOf(late)).toBe('Tool "hang" did not finish within 5 ms and was stopped. It may have taken effect.');
    expect(textOf(inTime)).toBe('here');
    expect(wasTold).toBe(true);
    expect(result.status).toBe('completed');
  });

  it('does not run the calls of an answer that a content filter stopped', async () => {
    const { tool, effects } = countedTools();
    const { result } = await execute([[call('1', 'a'), finish('content-filter')]], [tool('a')]);
    expect(effects).toEqual([]);
    expect(result).toMatchObject({ status: 'completed', reason: "The provider's content filter stopped the answer." });
    expect(resultsOf(result.messages)).toHaveLength(1);
  });

  it("fails with the model's error, and never rejects", async () => {
    const error = new HubError('NOT_CONFIGURED', 'Set OPENAI_API_KEY.');
    const { result } = await execute([[{ type: 'throw', error }]], []);
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'Set OPENAI_API_KEY.',
      error: { code: 'NOT_CONFIGURED', message: 'Set OPENAI_API_KEY.' },
      messages: [],
    });
  });

  it.each([
    ['no whole number of ticks', { input: 'go', maxTicks: 1.5 }, 'INVALID_ARGUMENTS'],
    ['no message', {}, 'INVALID_ARGUMENTS'],
    ['an empty question', { input: ' ' }, 'INVALID_ARGUMENTS'],
    ['a limit in dollars without a price', { input: 'go', budget: { maxCost: 1 } }, 'NOT_CONFIGURED'],
  ])('refuses %s before asking the model', async (_, options, code) => {
    const model = scriptedModel([]);
    const com = new ContextObjectModel();
    expect(() => runTicks({ model, com }, options)).toThrow(expect.objectContaining({ code }));
    await expect(executeTicks({ model, com }, options)).rejects.toMatchObject({ code });
    expect(model.requests).toEqual([]);
    expect(com.messages).toEqual([]);
  });

  it('emits its events in order', async () => {
    const { tool } = countedTools();
    const model = scriptedModel([
      [{ type: 'reasoning', delta: 'hm' }, say('a'), call('1', 'x', { y: 1 }), finish('tool-calls', tokens(1, 2))],
      [say('b'), finish('stop', tokens(3, 4))],
    ]);
    const run = runTicks({ model, com: contextWith(tool('x')) }, { input: 'go' });
    const events: RunEvent[] = [];
    for await (const event of run.events) events.push(event);
    const result = await run.result;
    expect(events).toEqual([
      { type: 'run.started', runId: run.runId, model: 'scripted/model' },
      { type: 'tick.started', tick: 1 },
      { type: 'reasoning', delta: 'hm' },
      { type: 'text', delta: 'a' },
      { type: 'tool.called', id: '1', tool: 'x', input: { y: 1 } },
      {
        type: 'tool.finished',
        id: '1',
        tool: 'x',
        content: [{ type: 'text', text: 'x done' }],
        isError: false,
        durationMs: expect.any(Number),
      },
      { type: 'tick.finished', tick: 1, usage: tokens(1, 2), cost: null, reason: 'tool-calls' },
      { type: 'tick.started', tick: 2 },
      { type: 'text', delta: 'b' },
      { type: 'tick.finished', tick: 2, usage: tokens(3, 4), cost: null, reason: 'stop' },
      { type: 'run.finished', result },
    ]);
  });
});

describe('the conversation of a run', () => {
  it('keeps reasoning with its provider options, one block per id', async () => {
    const { result } = await execute(
      [
        [
          { type: 'reasoning', id: 'a', delta: 'one ' },
          { type: 'reasoning', id: 'a', delta: 'two', providerOptions: { anthropic: { signature: 's' } } },
          { type: 'reasoning', id: 'b', delta: '', providerOptions: { anthropic: { redactedData: 'r' } } },
          say('do'),
          { type: 'reasoning', id: 'a', delta: '', providerOptions: { anthropic: { more: 'm' } } },
          say('ne'),
          finish(),
        ],
      ],
      [],
    );
    expect(result.messages[0]?.content).toEqual([
      { type: 'reasoning', text: 'one two', providerOptions: { anthropic: { signature: 's', more: 'm' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'r' } } },
      { type: 'text', text: 'done' },
    ]);
  });

  it('has nothing between a call and its result, even if a tool adds a message', async () => {
    const com = new ContextObjectModel();
    const { tool } = countedTools();
    com.addTool(
      tool('note', () => {
        com.addMessage({ role: 'user', content: 'By the way' });
        return 'noted';
      }),
    );
    const model = scriptedModel([[call('1', 'note'), finish('tool-calls')], [finish()]]);
    await executeTicks({ model, com }, { input: 'go' });
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('closes calls that an earlier run left open', async () => {
    const model = scriptedModel([[say('On we go.'), finish()]]);
    const open = { type: 'tool_use', name: 'send', input: {} } as const;
    const answered = { type: 'tool_result', toolUseId: '1', name: 'send', content: [], isError: false } as const;
    const messages = [
      { role: 'user', content: 'Send both' },
      {
        role: 'assistant',
        content: [
          { ...open, id: '1' },
          { ...open, id: '2' },
        ],
      },
      { role: 'tool', content: [answered] },
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: [{ ...open, id: '3' }] },
    ] as const;
    await executeTicks({ model, com: new ContextObjectModel() }, { input: { messages } });
    const asked = model.requests[0]?.messages ?? [];
    expect(asked.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool']);
    expect(resultsOf(asked).map(({ toolUseId, isError }) => [toolUseId, isError])).toEqual([
      ['1', false],
      ['2', true],
      ['3', true],
    ]);
  });

  it('keeps system text apart', async () => {
    const model = scriptedModel([[finish()]]);
    const com = new ContextObjectModel({ system: 'Be brief.' });
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ] as const;
    await executeTicks({ model, com }, { input: { messages } });
    expect(model.requests[0]).toMatchObject({ system: 'Be brief.\n\nBe kind.', messages: [{ role: 'user' }] });
  });
});

describe('the components of a run', () => {
  class Noting extends Component {
    readonly calls: string[] = [];
    override onMount = () => this.#note('mount');
    override async onStart(com: ContextObjectModel) {
      this.#note('start');
      com.addTool(countedTools().tool('extra'));
    }
    override onTickStart = (_: ContextObjectModel, { tick }: TickState) => this.#note(`tick ${tick}`);
    override onTickEnd = (_: ContextObjectModel, { tick }: TickState) => this.#note(`tick ${tick} over`);
    override onUnmount = () => this.#note('unmount');
    #note(what: string) {
      this.calls.push(what);
    }
  }

  it('take part in it and add tools', async () => {
    const component = new Noting();
    const model = scriptedModel([[call('1', 'extra'), finish('tool-calls')], [finish()]]);
    await executeTicks({ model, com: new ContextObjectModel(), components: [component] }, { input: 'go' });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['extra']);
    expect(component.calls).toEqual(['mount', 'start', 'tick 1', 'tick 1 over', 'tick 2', 'tick 2 over', 'unmount']);
  });

  it('can fail it, and all are unmounted', async () => {
    const component = new Noting();
    class Failing extends Component {
      override onStart(): void {
        throw new HubError('UNAVAILABLE', 'Server "files" does not answer.');
      }
      override onUnmount(): void {
        throw new Error('not even that');
      }
    }
    const model = scriptedModel([]);
    const components = [component, new Failing()];
    const result = await executeTicks({ model, com: new ContextObjectModel(), components }, { input: 'go' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'UNAVAILABLE' } });
    expect(component.calls).toEqual(['mount', 'start', 'unmount']);
    expect(model.requests).toEqual([]);
  });
});
