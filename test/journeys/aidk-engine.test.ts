import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  COM,
  Component,
  createEngine,
  createTool,
  defineTool,
  Engine,
  type EngineConfig,
  type EngineResult,
  type ExecutionMessage,
  type RunStore,
  type TickState,
  ToolContent,
} from '../../src/index.ts';
import { call, finish, type ScriptedAnswer, say, scriptedModel, tokens } from '../support/models/scripted-model.ts';

const engines: Engine[] = [];
let warnings: string[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  warnings = [];
});

function engineWith(config: EngineConfig): Engine {
  const engine = new Engine({ onWarning: (message) => warnings.push(message), ...config });
  engines.push(engine);
  return engine;
}

const done: ScriptedAnswer = [say('done'), finish()];
const calling = (name: string, input: unknown = {}): ScriptedAnswer => [call('1', name, input), finish('tool-calls')];
const hello = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] };
const refusal = (message: RegExp | string) => ({
  code: 'INVALID_ARGUMENTS',
  message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
});

describe('a program that was written for AIDK', () => {
  it.each(['onMount', 'onStart', 'onTickStart', 'render'] as const)(
    'starts with an empty timeline and adds the first message in %s',
    async (hook) => {
      const model = scriptedModel([calling('look'), done]);
      const look = createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' });
      const result = await engineWith({ model, tools: [look] }).execute(
        { timeline: [] },
        { [hook]: (com: COM) => void (com.messages.length === 0 && com.addMessage(hello)) },
      );
      expect(result).toMatchObject({ status: 'completed', text: 'done' });
      expect(model.requests.map(({ messages }) => messages.length)).toEqual([1, 3]);
      expect(model.requests[0]?.messages).toEqual([hello]);
    },
  );

  it('learns what to do if nobody adds a message', async () => {
    const engine = engineWith({ model: scriptedModel([]) });
    await expect(engine.execute({ timeline: [] })).rejects.toMatchObject(refusal('There is no message to answer'));
    expect(await engine.execute({ timeline: [] }, { onStart: () => {} })).toMatchObject({
      status: 'failed',
      error: refusal('let a component add the first message'),
    });
  });

  it('adds the same message in every render, and the model sees it once', async () => {
    const model = scriptedModel([calling('look'), done]);
    const rendered: number[] = [];
    class Agent extends Component {
      override render(com: COM, { tick }: TickState) {
        rendered.push(tick);
        com.addMessage({ role: 'system', content: 'Be brief.' });
        com.addMessage(hello);
        if (tick === 2) com.addMessage({ role: 'user', content: 'And then?' });
        com.addTool(createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' }));
      }
    }
    await engineWith({ model }).execute({ timeline: [] }, Agent);
    expect(rendered).toEqual([1, 2]);
    expect(model.requests.map(({ system }) => system)).toEqual(['Be brief.', 'Be brief.']);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  it('renders its timeline from previous and current, and nothing is doubled', async () => {
    const model = scriptedModel([calling('look'), done]);
    const look = createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' });
    const manager = {
      name: 'timeline-manager',
      render(com: COM, { previous, current }: TickState) {
        for (const entry of [...(previous?.timeline ?? []), ...(current?.timeline ?? [])]) com.addTimelineEntry(entry);
      },
    };
    const result = await engineWith({ model, tools: [look] }).execute(
      { timeline: [{ kind: 'message', message: hello }] },
      manager,
    );
    expect(result.timeline.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('loads a stored timeline', async () => {
    const model = scriptedModel([done]);
    const image = (source: object) => ({ type: 'image', source });
    const timeline = [
      {
        id: 'e1',
        kind: 'message' as const,
        tags: ['first'],
        message: {
          id: 'm1',
          role: 'user' as const,
          createdAt: '2026-01-01T00:00:00Z',
          content: [
            image({ type: 'url', url: 'https://example.com/a.png' }),
            image({ type: 'base64', data: 'AAEC', mimeType: 'image/jpeg' }),
            image({ type: 'url', url: 'data:image/gif;base64,AAEC' }),
            image({ type: 's3', bucket: 'b', key: 'k' }),
            { type: 'code', text: 'let x;', language: 'typescript' },
            { type: 'json', text: '', data: { a: 1 } },
            { type: 'document', source: { type: 'base64', data: 'AAEC' }, title: 'Plan' },
          ],
        },
      },
      {
        kind: 'message' as const,
        message: {
          role: 'assistant' as const,
          content: [{ type: 'tool_use', id: 'block-1', toolUseId: 'call-1', name: 'look', input: { at: 'x' } }],
        },
      },
      {
        kind: 'message' as const,
        message: {
          role: 'tool' as const,
          content: [
            { type: 'tool_result', toolUseId: 'call-1', name: 'look', content: [{ type: 'json', text: '{"a":1}' }] },
          ],
        },
      },
      {
        kind: 'event' as const,
        message: {
          role: 'event' as const,
          content: [
            { type: 'user_action', action: 'clicked', actor: 'Ann', target: 'Pay' },
            { type: 'system_event', event: 'timeout', source: 'shop', data: { after: 5 } },
            { type: 'state_change', entity: 'order', field: 'state', from: 'open', to: 'paid' },
            { type: 'text', text: 'The shop closed.' },
          ],
        },
      },
    ];
    const result = await engineWith({ model }).execute({ timeline });
    const text = (value: string) => ({ type: 'text', text: value });
    expect(model.requests[0]?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file_link', url: 'https://example.com/a.png', mimeType: 'image/png' },
          { type: 'image', data: 'AAEC', mimeType: 'image/jpeg' },
          { type: 'image', data: 'AAEC', mimeType: 'image/gif' },
          text('[image: s3://b/k, not shown here]'),
          text('```typescript\nlet x;\n```'),
          text('```json\n{\n  "a": 1\n}\n```'),
          {
            type: 'resource',
            resource: { uri: 'attachment:Plan', mimeType: 'application/pdf', blob: 'AAEC' },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call-1', name: 'look', input: { at: 'x' } }] },
      {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            toolUseId: 'call-1',
            name: 'look',
            isError: false,
            content: [text('```json\n{"a":1}\n```')],
          },
        ],
      },
      {
        role: 'user',
        content: [
          text('[user action] Ann clicked Pay'),
          text('[system event] timeout (shop) {"after":5}'),
          text('[state change] order.state "open" → "paid"'),
          text('[event] The shop closed.'),
        ],
      },
    ]);
    // What was written comes back as it was, and can be stored again.
    expect(result.timeline.slice(0, 4)).toEqual(timeline);
  });

  it('stores the timeline of a result and continues with it', async () => {
    const look = createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' });
    const first = await engineWith({ model: scriptedModel([calling('look'), done]), tools: [look] }).execute('Hello');
    const stored: EngineResult['timeline'] = JSON.parse(JSON.stringify(first.timeline));
    expect(stored[1]?.message.content[0]).toMatchObject({ type: 'tool_use', id: '1', toolUseId: '1' });
    const model = scriptedModel([done]);
    const timeline = [...stored, { kind: 'message' as const, message: { role: 'user' as const, content: 'More' } }];
    const second = await engineWith({ model }).execute({ timeline });
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(second.timeline).toHaveLength(6);
  });

  it('keeps state, entries, tags, visibility and metadata in the context', async () => {
    const model = scriptedModel([done]);
    const result = await engineWith({ model }).execute(
      { timeline: [], metadata: { user: 'ann' }, ticket: 42 },
      {
        onStart(com: COM) {
          com.setState('topic', 'otters');
          com.addTimelineEntry({ kind: 'message', message: hello, id: 'e1' });
          com.addMessage({ role: 'user', content: 'for the screen' }, { tags: ['ui'], visibility: 'observer' });
          com.addMessage({ role: 'user', content: 'About' }, { tags: ['x'], metadata: { by: 'me' } });
        },
        onTickStart(com: COM) {
          com.addMetadata('topic', com.getState('topic'));
          com.addMetadata('input', com.getUserInput());
        },
      },
    );
    expect(model.requests[0]?.messages.map(({ content }) => content[0])).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'text', text: 'About' },
    ]);
    expect(result.timeline.slice(0, 3)).toMatchObject([
      { id: 'e1' },
      { tags: ['ui'], visibility: 'observer', message: { content: [{ text: 'for the screen' }] } },
      { tags: ['x'], metadata: { by: 'me' } },
    ]);
    expect(result.metadata).toMatchObject({ user: 'ann', topic: 'otters', input: { ticket: 42 } });
  });

  it('changes the model between two ticks', async () => {
    const look = createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' });
    const [cheap, good] = [
      scriptedModel([calling('look')], { price: { input: 1, output: 1 } }),
      scriptedModel([[say('better'), finish('stop', tokens(1_000_000, 0))]], { price: { input: 3, output: 3 } }),
    ];
    const result = await engineWith({ model: cheap, tools: [look] }).execute('Hello', {
      onTickStart: (com: COM, { tick }: TickState) => tick === 2 && com.setModel(good),
    } as never);
    expect(result).toMatchObject({ status: 'completed', text: 'better' });
    expect(result.cost).toBeCloseTo(3 + 15 / 1_000_000, 9);
  });

  it('has no model in the engine and sets it in a component', async () => {
    const model = scriptedModel([done]);
    const engine = createEngine({});
    engines.push(engine);
    expect(await engine.execute('Hello', { onMount: (com: COM) => com.setModel(model) })).toMatchObject({
      text: 'done',
    });
    expect(await engine.execute('Hello', { onMount: () => {} })).toMatchObject({
      error: refusal('No model configured'),
    });
    await expect(engine.execute('Hello')).rejects.toMatchObject(refusal('No model configured'));
    const adapter = { metadata: {}, stream: () => {}, fromEngineState: () => {} };
    await expect(engineWith({ model: adapter as never }).execute('Hello')).rejects.toMatchObject(
      refusal('belongs to an adapter of AIDK'),
    );
  });

  it('follows the ticks with their number, usage, calls and results', async () => {
    const look = createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' });
    const model = scriptedModel([
      [call('1', 'look'), finish('tool-calls', tokens(20, 4))],
      [say('done'), finish('stop', tokens(30, 6))],
    ]);
    const seen: unknown[] = [];
    const note = (hook: string) => (_com: COM, state: TickState) =>
      void seen.push({
        hook,
        tick: state.tick,
        tokens: state.usage?.totalTokens,
        stop: state.stopReason?.reason,
        previous: state.previous?.timeline.length,
        current: state.current?.timeline.map(({ message }) => message.role),
        calls: state.current?.toolCalls?.map(({ name }) => name),
        results: state.current?.toolResults?.map(({ isError }) => isError),
      });
    await engineWith({ model, tools: [look] }).execute('Hello', {
      onTickStart: note('start'),
      onTickEnd: note('end'),
      onComplete: (_com: COM, { timeline }: { timeline: unknown[] }) => void seen.push(timeline.length),
    });
    const first = { tokens: 24, stop: 'tool-calls', previous: 1, current: ['assistant', 'tool'], calls: ['look'] };
    expect(seen).toEqual([
      { hook: 'start', tick: 1, current: ['user'] },
      { hook: 'end', tick: 1, ...first, results: [false] },
      { hook: 'start', tick: 2, ...first, results: [false] },
      { hook: 'end', tick: 2, tokens: 36, stop: 'stop', previous: 3, current: ['assistant'], calls: [], results: [] },
      4,
    ]);
  });

  it('ends a run with state.stop()', async () => {
    const look = createTool({ name: 'look', description: 'Looks.', input: z.object({}), handler: () => 'seen' });
    const result = await engineWith({ model: scriptedModel([calling('look')]), tools: [look] }).execute('Hello', {
      onTickEnd: (_com: COM, state: TickState) => state.stop('seen enough'),
    });
    expect(result).toMatchObject({ status: 'completed', reason: 'seen enough', ticks: 1 });
  });

  it('recovers from an error in onError', async () => {
    const seen: string[] = [];
    const model = scriptedModel([[{ type: 'throw', error: new Error('no line') }], done]);
    const result = await engineWith({ model }).execute('Hello', {
      onError(_com: COM, { error }: TickState) {
        seen.push(`${error?.phase}: ${error?.error.message}`);
        return {
          continue: true,
          recoveryMessage: 'The line was cut.',
          modifications: (com: COM) => com.setState('again', true),
        };
      },
      onComplete: (com: COM) => void seen.push(`again: ${com.getState('again')}`),
    });
    expect(result).toMatchObject({ status: 'completed', text: 'done', ticks: 2 });
    expect(seen).toEqual(['model_execution: no line', 'again: true']);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('The line was cut.');
    expect(result.timeline[1]).toMatchObject({ kind: 'event', tags: ['error_recovery'] });
  });

  it('fails when no component recovers, and does not repeat forever when one always does', async () => {
    const broken = () => scriptedModel(Array(9).fill([{ type: 'throw', error: new Error('no line') }]));
    const completed: string[] = [];
    const onComplete = () => void completed.push('complete');
    const failed = await engineWith({ model: broken() }).execute('Hello', { onError: () => undefined, onComplete });
    expect(failed).toMatchObject({ status: 'failed', ticks: 1 });
    expect(completed).toEqual([]);
    const endless = { onError: () => ({ continue: true }) };
    expect(await engineWith({ model: broken(), maxTicks: 3 }).execute('Hello', endless)).toMatchObject({
      status: 'max-ticks',
      ticks: 3,
    });
  });

  it('gets messages while it runs, and can be stopped by one', async () => {
    const started = Promise.withResolvers<void>();
    const model = scriptedModel([[say('a'), { type: 'wait', until: new Promise(() => {}) }]]);
    const got: ExecutionMessage[] = [];
    const stream = engineWith({ model }).stream('Hello', {
      onTickStart: () => started.resolve(),
      onMessage(com: COM, message: ExecutionMessage) {
        got.push(message);
        if (message.type === 'stop') com.abort('The user said stop.');
      },
    });
    await started.promise;
    await stream.send({ type: 'feedback', content: 'good' });
    await stream.send({ type: 'stop', content: null });
    expect(await stream.result).toMatchObject({ status: 'aborted', reason: 'The user said stop.' });
    expect(got).toMatchObject([{ type: 'feedback', content: 'good', id: expect.any(String) }, { type: 'stop' }]);
    await expect(stream.send({ type: 'late', content: '' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const alone = engineWith({ model: scriptedModel([done]) }).stream('Hello');
    await expect(alone.send({ type: 'x', content: '' })).rejects.toMatchObject(refusal('no component with onMessage'));
    await alone.result;
  });

  it('aborts its run from a tool, without any component', async () => {
    const com = new COM();
    const halt = createTool({
      name: 'halt',
      description: 'Halts.',
      input: z.object({}),
      handler: () => {
        com.abort('Enough.');
        return 'halted';
      },
    });
    const engine = engineWith({ model: scriptedModel([calling('halt')]), tools: [halt] });
    expect(await engine.execute('a', { com })).toMatchObject({ status: 'aborted', reason: 'Enough.' });
  });

  it('sees the messages of the last tick as queuedMessages', async () => {
    const com = new COM();
    const look = createTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      handler: () => {
        com.queueMessage({ id: 'm1', type: 'feedback', content: 'good', timestamp: 1 });
        return 'seen';
      },
    });
    const queued: string[][] = [];
    await engineWith({ model: scriptedModel([calling('look'), done]), tools: [look] }).execute(
      'Hello',
      { onTickStart: (_com: COM, state: TickState) => void queued.push(state.queuedMessages.map(({ id }) => id)) },
      { com },
    );
    expect(queued).toEqual([[], ['m1']]);
  });

  it('asks with its confirmationMessage', async () => {
    const questions: string[] = [];
    const run = () => 'done';
    const metadata = { description: 'd', input: z.object({ path: z.string() }), requiresConfirmation: true };
    const tools = [
      { metadata: { ...metadata, name: 'a', confirmationMessage: 'Sure?' }, run },
      {
        metadata: {
          ...metadata,
          name: 'b',
          confirmationMessage: ({ path }: { path: string }) => `Delete ${path}?`,
        },
        run,
      },
      { metadata: { ...metadata, name: 'c' }, run },
    ];
    const calls = ['a', 'b', 'c'].map((name, index) => call(String(index), name, { path: '/tmp/x' }));
    const model = scriptedModel([[...calls, finish('tool-calls')], done]);
    await engineWith({
      model,
      tools,
      approve: ({ message }) => {
        questions.push(message);
        return 'approve';
      },
    }).execute('Hello');
    expect(questions).toEqual(['Sure?', 'Delete /tmp/x?', 'Allow c to execute?']);
  });

  it('has a root component, which an agent of the call replaces', async () => {
    const agent = (name: string) => ({ name, onStart: (com: COM) => com.addMetadata('agent', name) });
    const engine = engineWith({ model: scriptedModel([done, done]), root: agent('default') });
    expect((await engine.execute('a')).metadata).toEqual({ agent: 'default' });
    expect((await engine.execute('b', agent('other'))).metadata).toEqual({ agent: 'other' });
  });

  it.each<[string, unknown]>([
    ['a plain object', { onStart: (com: COM) => com.addMetadata('ran', true) }],
    [
      'a class without a base class',
      class {
        onStart(com: COM) {
          com.addMetadata('ran', true);
        }
      },
    ],
    ['a function that returns one', () => ({ onStart: (com: COM) => com.addMetadata('ran', true) })],
    ['an asynchronous function', async () => ({ onStart: (com: COM) => com.addMetadata('ran', true) })],
  ])('passes %s as its agent', async (_, agent) => {
    const result = await engineWith({ model: scriptedModel([done]) }).execute('a', agent as never);
    expect(result.metadata).toEqual({ ran: true });
  });

  it.each<[string, unknown, RegExp]>([
    ['JSX', { type: 'Message', props: {} }, /^JSX is not supported/],
    ['a function component', () => ({ type: 'Message', props: {} }), /^JSX is not supported/],
    ['a function that returns nothing', () => null, /does not create a component/],
    ['onAfterCompile', { onAfterCompile: () => {} }, /onAfterCompile is not supported/],
    ['an option that does not exist', { maxTick: 1 }, /"maxTick" is not supported. Did you mean "maxTicks"\?/],
  ])('is told why %s does not work', async (_, agent, message) => {
    const engine = engineWith({ model: scriptedModel([done]) });
    await expect(engine.execute('a', agent as never)).rejects.toMatchObject(refusal(message));
    await expect(engine.stream('a', agent as never).result).rejects.toMatchObject(refusal(message));
  });

  it('is told that render cannot return JSX', async () => {
    const agent = { render: () => ({ type: 'Message', props: {} }) };
    expect(await engineWith({ model: scriptedModel([done]) }).execute('a', agent)).toMatchObject({
      status: 'failed',
      error: refusal('returned something from render(). JSX is not supported'),
    });
  });

  it.each([
    ['channels', { channels: {} }, /"channels" is not supported. Read the events/],
    ['lifecycleHooks', { lifecycleHooks: {} }, /Use a component/],
    ['persistExecutionState', { persistExecutionState: () => {} }, /Pass a `store`/],
    ['a misspelt setting', { maxtick: 1 }, /Did you mean "maxTicks"/],
  ])('is told what to use instead of %s', (_, config, message) => {
    expect(() => new Engine(config as never)).toThrow(expect.objectContaining(refusal(message)));
  });

  it.each([
    ['sections', { timeline: [], sections: {} }, /sections, which is not supported: pass system messages/],
    ['modelOptions', { timeline: [], modelOptions: { presencePenalty: 1 } }, /modelOptions.presencePenalty/],
  ])('is told what to use instead of %s in the input', async (_, input, message) => {
    await expect(engineWith({ model: scriptedModel([]) }).execute(input as never)).rejects.toMatchObject(
      refusal(message),
    );
  });

  it('is told not to use execute.call()', async () => {
    const engine = engineWith({ model: scriptedModel([]) });
    await expect(engine.execute.call({ timeline: [] } as never, 'a')).rejects.toMatchObject(refusal('without .call()'));
  });

  it('uses tools with metadata.input, of createTool, of defineTool, and of the input', async () => {
    const input = z.object({ value: z.string().default('x') });
    const tools = [
      { metadata: { name: 'plain', description: 'd', input }, run: ({ value }: { value: string }) => `plain ${value}` },
      createTool({
        name: 'created',
        description: 'd',
        input,
        handler: async ({ value }) => [
          { type: 'text' as const, text: `created ${value}` },
          { type: 'json', text: '{}' } as never,
        ],
      }),
      defineTool({
        name: 'defined',
        description: 'd',
        annotations: { readOnlyHint: true, openWorldHint: false },
        input,
        run: ({ value }, { caller }) => new ToolContent([{ type: 'text', text: `defined ${value} ${caller.kind}` }]),
      }),
    ];
    const ofInput = { metadata: { name: 'json', description: 'd', input: { type: 'object' } }, run: () => 'json' };
    const calls = ['plain', 'created', 'defined', 'json'].map((name, index) => call(String(index), name));
    const model = scriptedModel([[...calls, call('5', 'plain', { value: 5 }), finish('tool-calls')], done]);
    const result = await engineWith({ model, tools: tools as never }).execute({ messages: [hello], tools: [ofInput] });
    expect(model.requests[0]?.tools.map(({ inputSchema }) => inputSchema.type)).toEqual(Array(4).fill('object'));
    const [, results] = result.messages;
    expect(results?.content).toMatchObject([
      { content: [{ text: 'plain x' }] },
      { content: [{ text: 'created x' }, { type: 'text', text: '```json\n{}\n```' }] },
      { content: [{ text: 'defined x agent' }] },
      { content: [{ text: 'json' }] },
      { isError: true, content: [{ text: expect.stringContaining('value') }] },
    ]);
  });

  it('is asked before a tool of defineTool that can change something runs', async () => {
    const ran: string[] = [];
    const wipe = defineTool({
      name: 'wipe',
      description: 'd',
      input: z.object({}),
      run: () => ({ ran: ran.push('wipe') }),
    });
    const run = (approve?: () => 'approve') =>
      engineWith({ model: scriptedModel([calling('wipe'), done]), tools: [wipe], approve }).execute('a');
    await run();
    expect(ran).toEqual([]);
    await run(() => 'approve');
    expect(ran).toEqual(['wipe']);
  });

  it.each<[string, unknown, RegExp]>([
    ['a name', 'search', /not a name: "search"/],
    ['nothing', null, /not null/],
    ['an object without metadata', { name: 'x', run: () => '' }, /needs metadata/],
    ['no description', { metadata: { name: 'x' }, run: () => '' }, /"x" needs metadata.description/],
    ['no schema', { metadata: { name: 'x', description: 'd' }, run: () => '' }, /"x" needs metadata.inputSchema/],
    [
      'a client tool',
      { metadata: { name: 'x', description: 'd', input: {} } },
      /"x" has no function run\(input\). Tools that a client runs/,
    ],
    [
      'a schema of zod 3',
      { metadata: { name: 'x', description: 'd', input: { _def: {}, safeParse: () => {} } }, run: () => '' },
      /"x" is not a schema of zod 4/,
    ],
    [
      'a schema that JSON cannot describe',
      { metadata: { name: 'x', description: 'd', input: z.object({ at: z.date() }) }, run: () => '' },
      /"x" cannot be described to a model/,
    ],
    [
      'a schema that is no object',
      { metadata: { name: 'x', description: 'd', input: z.string() }, run: () => '' },
      /"x" must be an object/,
    ],
  ])('is told why %s is no tool', async (_, tool, message) => {
    const engine = engineWith({ model: scriptedModel([]), tools: [tool as never] });
    await expect(engine.execute('a')).rejects.toMatchObject(refusal(message));
    expect(() => new COM().addTool(tool as never)).toThrow(expect.objectContaining(refusal(message)));
  });

  it('gets data that only looks like blocks as JSON', async () => {
    const rows = [{ type: 'document', title: 'Plan' }];
    const list = createTool({ name: 'list', description: 'Lists.', input: z.object({}), handler: () => rows });
    const result = await engineWith({ model: scriptedModel([calling('list'), done]), tools: [list] }).execute('a');
    expect(result.messages[1]?.content).toMatchObject([{ content: [{ type: 'text', text: JSON.stringify(rows) }] }]);
  });

  it('passes props to its component', async () => {
    class Greeter extends Component<{ name: string }> {
      override onStart(com: COM) {
        com.addMessage({ role: 'user', content: `I am ${this.props.name}.` });
      }
    }
    const model = scriptedModel([done]);
    await engineWith({ model }).execute({ timeline: [] }, new Greeter({ name: 'Ann' }));
    expect(model.requests[0]?.messages[0]?.content).toEqual([{ type: 'text', text: 'I am Ann.' }]);
  });

  it('merges the settings of a run with those of the engine', async () => {
    const model = scriptedModel([done, done]);
    const engine = engineWith({
      model,
      settings: { temperature: 0, maxOutputTokens: 50, providerOptions: { openai: { user: 'a', store: false } } },
      budget: { maxTokens: 1_000 },
    });
    await engine.execute(
      { messages: [hello], modelOptions: { maxTokens: 20 } },
      { settings: { topP: 0.5, temperature: undefined, providerOptions: { openai: { user: 'b' } } } },
    );
    expect(model.requests[0]?.settings).toEqual({
      temperature: 0,
      maxOutputTokens: 20,
      topP: 0.5,
      providerOptions: { openai: { user: 'b', store: false } },
    });
    expect(await engine.execute('b', { budget: { maxTokens: 5 } })).toMatchObject({ status: 'completed' });
  });

  it.each(['begin', 'save', 'finish'] as const)('still gets an answer if its store fails in %s', async (method) => {
    const calls: string[] = [];
    const work = (name: string) => async () => {
      calls.push(name);
      if (name === method) throw new Error('disk full');
    };
    const store = { begin: work('begin'), save: work('save'), finish: work('finish') } as unknown as RunStore;
    const result = await engineWith({ model: scriptedModel([done]), store }).execute('a', { runId: 'run_1' });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(warnings).toEqual(['The run "run_1" could not be stored, and continues: disk full']);
    expect(calls).toEqual(method === 'begin' ? ['begin'] : ['begin', 'save', 'finish']);
  });

  it('makes a failed or aborted run reject with throwOnError', async () => {
    const broken = () => scriptedModel([[say('part'), { type: 'throw', error: new Error('no line') }]]);
    const failing = engineWith({ model: broken(), throwOnError: true });
    await expect(failing.execute('a')).rejects.toMatchObject({
      code: 'INTERNAL_ERROR',
      details: { result: { status: 'failed', text: 'part' } },
    });
    expect(await engineWith({ model: broken() }).execute('a')).toMatchObject({ status: 'failed' });

    const stream = engineWith({ model: broken() }).stream('a', { throwOnError: true });
    const types: string[] = [];
    const reading = (async () => {
      for await (const { type } of stream) types.push(type);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(types.at(-1)).toBe('run.finished');
    await expect(stream.result).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });

    const aborted = engineWith({ model: scriptedModel([done]) });
    await expect(aborted.execute('a', { throwOnError: true, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
      message: expect.stringMatching(/abort/i),
    });
  });

  it('finds the timeline in the last event of a stream', async () => {
    const stream = createEngine({ model: scriptedModel([done]) }).stream('Hello');
    const events: unknown[] = [];
    for await (const event of stream) events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run.finished', result: { timeline: [{ message: hello }, {}] } });
  });
});
