import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2, LanguageModelV2CallOptions, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelStep, startModelServer, type TestModelServer } from '../../test/support/models/model-server.ts';
import { steppedClock } from '../../test/support/time/stepped-clock.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Message } from '../engine/message.ts';
import type { Model, ModelEvent, ModelRequest } from '../engine/model.ts';
import { toModel } from './ai-sdk-model.ts';
import { createLanguageModels } from './create-language-models.ts';

const servers: TestModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(...script: ModelStep[]): Promise<TestModelServer> {
  const server = await startModelServer({ script });
  servers.push(server);
  return server;
}

async function compatible(server: TestModelServer, clock: Clock = instantClock()): Promise<Model> {
  const providers = { local: { type: 'openai-compatible', baseUrl: server.url, apiKey: 'secret-key-1' } } as const;
  return createLanguageModels({ providers, lookUp: () => undefined, clock }).resolve('local/org/scripted:1b');
}

/** A clock whose sleeps take no time and are recorded. */
function instantClock(): Clock & { slept: number[] } {
  const slept: number[] = [];
  return { slept, now: () => Date.UTC(2026, 10, 15, 12), sleep: async (milliseconds) => void slept.push(milliseconds) };
}

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });

function request(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: '',
    messages: [user('Hello')],
    tools: [],
    settings: {},
    signal: new AbortController().signal,
    ...changes,
  };
}

async function collect(model: Model, changes: Partial<ModelRequest> = {}): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request(changes))) events.push(event);
  return events;
}

const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  reasoningTokens: 0,
});

describe('events of a stream', () => {
  it('are text and reasoning in pieces, whole calls, and a finish with the usage', async () => {
    const server = await serve({
      reasoning: ['I should', ' look'],
      text: ['Let me ', 'see.'],
      toolCalls: [
        { id: 'a', name: 'read', arguments: { path: 'x.txt', depth: 2 }, pieces: 4 },
        { id: 'b', name: 'list', arguments: {} },
      ],
      usage: { input: 120, output: 30, cached: 100, reasoning: 7 },
    });
    expect(await collect(await compatible(server))).toEqual([
      { type: 'reasoning', id: 'reasoning-0', delta: 'I should' },
      { type: 'reasoning', id: 'reasoning-0', delta: ' look' },
      { type: 'text', delta: 'Let me ' },
      { type: 'text', delta: 'see.' },
      { type: 'tool-call', id: 'a', name: 'read', input: { path: 'x.txt', depth: 2 } },
      { type: 'tool-call', id: 'b', name: 'list', input: {} },
      {
        type: 'finish',
        reason: 'tool-calls',
        usage: { inputTokens: 120, outputTokens: 30, cachedInputTokens: 100, reasoningTokens: 7 },
      },
    ]);
  });

  it('keep the text of invalid arguments, and treat missing arguments as empty', async () => {
    const toolCalls = [
      { name: 'cut', arguments: '{"path": "x' },
      { name: 'empty', arguments: '' },
    ];
    const events = await collect(await compatible(await serve({ toolCalls })));
    expect(events.slice(0, 2)).toEqual([
      { type: 'tool-call', id: 'call_1', name: 'cut', input: undefined, invalidInput: '{"path": "x' },
      { type: 'tool-call', id: 'call_2', name: 'empty', input: {} },
    ]);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['something_new', 'other'],
  ])('say %s as %s', async (finishReason, reason) => {
    const events = await collect(await compatible(await serve({ text: 'x', finishReason })));
    expect(events.at(-1)).toEqual({ type: 'finish', reason, usage: usage(10, 5) });
  });
});

describe('a request', () => {
  it('contains system text, settings, headers, the model name with its slashes, and the unchanged schema', async () => {
    const server = await serve({ text: 'ok' });
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      required: ['b'],
      properties: { b: { type: 'string', pattern: '^(?!x)' }, a: { $ref: '#/$defs/a' } },
      propertyNames: { pattern: '^[ab]$' },
      $defs: { a: { oneOf: [{ const: 1 }, { type: 'null' }] } },
      'x-own': [1, { z: 1, a: 2 }],
    };
    await collect(await compatible(server), {
      system: 'Be short.',
      tools: [
        {
          name: 'pick',
          description: 'Picks',
          inputSchema,
          providerOptions: { openai: { function: { strict: true } } },
        },
      ],
      settings: { maxOutputTokens: 50, temperature: 0, topP: 0.5, seed: 7, stopSequences: ['END'] },
      headers: { traceparent: '00-1-2-01' },
    });
    const { body, headers } = server.requests[0] ?? expect.fail();
    expect(body).toMatchObject({
      model: 'org/scripted:1b',
      stream: true,
      max_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      seed: 7,
      stop: ['END'],
      tool_choice: 'auto',
    });
    expect(body.messages).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Hello' },
    ]);
    expect(headers).toMatchObject({ authorization: 'Bearer secret-key-1', traceparent: '00-1-2-01' });
    expect(body.tools?.[0]).toMatchObject({ type: 'function', function: { name: 'pick', strict: true } });
    expect(JSON.stringify(body.tools?.[0]?.function.parameters)).toBe(JSON.stringify(inputSchema));
  });

  it('contains earlier calls and results, marked errors, and images if the provider accepts them', async () => {
    const server = await serve({ text: 'ok' });
    const png = { type: 'image', data: 'AAEC', mimeType: 'image/png' } as const;
    await collect(await compatible(server), {
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Look' }, png, { type: 'audio', data: 'AAEC', mimeType: 'audio/ogg' }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'I call' },
            { type: 'tool_use', id: 'a', name: 'shoot', input: { of: 'x' } },
            { type: 'tool_use', id: 'b', name: 'fail', input: 'no object' },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool_result',
              toolUseId: 'a',
              name: 'shoot',
              isError: false,
              content: [
                { type: 'text', text: 'Here' },
                png,
                { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
                { type: 'resource', resource: { uri: 'file:///b', text: 'body' } },
                { type: 'resource', resource: { uri: 'file:///c', mimeType: 'text/csv', blob: 'YSxi' } },
              ],
            },
            {
              type: 'tool_result',
              toolUseId: 'b',
              name: 'fail',
              isError: true,
              content: [{ type: 'text', text: 'No disk' }],
            },
          ],
        },
      ],
    });
    expect(server.requests[0]?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
          { type: 'text', text: '[audio: audio/ogg, 3 bytes, not shown here]' },
        ],
      },
      {
        role: 'assistant',
        content: 'I call',
        reasoning_content: 'hm',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'shoot', arguments: '{"of":"x"}' } },
          { id: 'b', type: 'function', function: { name: 'fail', arguments: '{"invalid_input":"no object"}' } },
        ],
      },
      {
        role: 'tool',
        tool_call_id: 'a',
        content:
          'Here\n\n[image: image/png, 3 bytes, not shown here]\n\n[resource a: file:///a, text/plain]\n\n[resource file:///b]\nbody\n\n[resource file:///c]\na,b',
      },
      { role: 'tool', tool_call_id: 'b', content: 'Error: No disk' },
    ]);
  });

  it('of the Responses API stores nothing at OpenAI, and returns the encrypted reasoning with the call', async () => {
    const server = await serve(
      { reasoning: 'hm', toolCalls: [{ name: 'look', arguments: { at: 1 } }] },
      { text: 'ok' },
    );
    const model = toModel(createOpenAI({ baseURL: server.url, apiKey: 'k' }).responses('o3'));
    const events = await collect(model);
    const reasoning = events.filter((event) => event.type === 'reasoning');
    const call = events.find((event) => event.type === 'tool-call') ?? expect.fail();
    expect(call).toMatchObject({ name: 'look', input: { at: 1 }, providerOptions: { openai: { itemId: 'fc_1' } } });
    await collect(model, {
      messages: [
        user('Hello'),
        {
          role: 'assistant',
          content: [
            {
              type: 'reasoning',
              text: reasoning.map((event) => event.delta).join(''),
              providerOptions: Object.assign({}, ...reasoning.map((event) => event.providerOptions)),
            },
            {
              type: 'tool_use',
              id: call.id,
              name: call.name,
              input: call.input,
              providerOptions: call.providerOptions,
            },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool_result',
              toolUseId: call.id,
              name: call.name,
              isError: false,
              content: [{ type: 'image', data: 'AAEC', mimeType: 'image/png' }],
            },
          ],
        },
      ],
    });
    const { body } = server.requests[1] ?? expect.fail();
    expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    expect(body.input).toMatchObject([
      { role: 'user' },
      { type: 'reasoning', encrypted_content: 'sealed-reasoning', summary: [{ text: 'hm' }] },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'The tool returned a file.' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAEC' },
        ],
      },
    ]);
  });
});

describe('a failure before the first event', () => {
  it.each([
    ['429 with seconds', { status: 429, headers: { 'retry-after': '7' } }, 7000],
    ['429 with a date', { status: 429, headers: { 'retry-after': 'Sun, 15 Nov 2026 12:00:09 GMT' } }, 9000],
    ['503 with milliseconds', { status: 503, headers: { 'retry-after-ms': '250', 'retry-after': '9' } }, 250],
  ] as const)('%s is tried again after that time', async (_, step, wait) => {
    const clock = instantClock();
    const server = await serve(step, { text: 'ok' });
    const events = await collect(await compatible(server, clock));
    expect(events[0]).toEqual({ type: 'text', delta: 'ok' });
    expect(clock.slept).toEqual([wait]);
    expect(server.requests).toHaveLength(2);
  });

  it.each<[string, ModelStep]>([
    ['408', { status: 408 }],
    ['409', { status: 409 }],
    ['500', { status: 500 }],
    ['a dropped connection', 'drop'],
    ['a stream that is cut before it says anything', { text: 'x', cutAfter: 1 }],
    [
      'a stream that is cut within a call',
      { toolCalls: [{ name: 'a', arguments: { path: 'long' }, pieces: 3 }], cutAfter: 3 },
    ],
    ['an answer that ends in order without a word', { text: 'x', endAfter: 1 }],
  ])('%s is retried with growing delays, four attempts in total', async (_, step) => {
    const clock = instantClock();
    const server = await serve(step, step, step, { text: 'ok' });
    expect((await collect(await compatible(server, clock)))[0]).toEqual({ type: 'text', delta: 'ok' });
    expect(server.requests).toHaveLength(4);
    for (const [index, base] of [1000, 2000, 4000].entries()) {
      expect(clock.slept[index]).toBeGreaterThanOrEqual(base / 2);
      expect(clock.slept[index]).toBeLessThanOrEqual(base);
    }
  });

  it('is reported after the last attempt with provider, model, status and message, without the key', async () => {
    const body = { error: { message: 'Slow down, secret-key-1 of sk-proj-abcdefghijkl' } };
    const server = await serve(...Array.from({ length: 4 }, () => ({ status: 429, body })));
    const error = await collect(await compatible(server)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HubError);
    expect(error).toMatchObject({
      code: 'MODEL_ERROR',
      message:
        'Model "org/scripted:1b" of local replied with HTTP 429: Slow down, •••••••• of ••••••••. Gave up after 4 attempts.',
      details: { status: 429, isRetryable: true },
    });
    expect(JSON.stringify(error)).not.toContain('secret-key-1');
    expect((error as HubError).cause).toBeUndefined();
  });

  it.each([
    [{ status: 400, body: { error: { message: 'Bad tool' } } }, 'replied with HTTP 400: Bad tool.', 400],
    [{ status: 401, body: { error: { message: 'Bad key secret-key-1' } } }, 'rejected the key (HTTP 401).', 401],
    [{ status: 404, body: { error: { message: 'No such model' } } }, 'Check the name of the model', 404],
    [
      { status: 429, body: { error: { message: 'Quota', code: 'insufficient_quota' } } },
      'no credit left (HTTP 429): Quota. Add credit',
      429,
    ],
  ])('that is permanent is reported at once (%#)', async (step, words, status) => {
    const server = await serve(step);
    const model = await compatible(server);
    await expect(collect(model)).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      message: expect.stringContaining(words),
      details: { status, isRetryable: false },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('with a wait over a minute is reported at once, with the wait', async () => {
    const server = await serve({ status: 429, headers: { 'retry-after': '61' } });
    await expect(collect(await compatible(server))).rejects.toMatchObject({
      message: expect.stringContaining('It asks you to wait 61 s.'),
      details: { status: 429, isRetryable: true, retryAfterMs: 61_000 },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('of an unreachable server names the reason', async () => {
    const server = await serve();
    const model = await compatible(server);
    await server.close();
    await expect(collect(model)).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      message: expect.stringContaining(
        `cannot be reached: nothing is listening at ${new URL(server.url).host} (ECONNREFUSED). Start the server, or check the address. Gave up after 4 attempts.`,
      ),
      details: { isRetryable: true },
    });
  });
});

describe('a failure after the first event', () => {
  it('is thrown after the received events, without a retry', async () => {
    const server = await serve(
      { text: ['one', 'two'], toolCalls: [{ name: 'a', arguments: {} }], cutAfter: 3 },
      { text: 'again' },
    );
    const model = await compatible(server);
    const seen: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of model.stream(request())) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_ERROR', details: { isRetryable: true } });
    expect(seen).toEqual([
      { type: 'text', delta: 'one' },
      { type: 'text', delta: 'two' },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it('never emits calls of a stream that ended without a finish', async () => {
    const answer = { text: 'x', toolCalls: [{ name: 'a', arguments: {} }] };
    // The connection ends normally, as with a proxy, but the last chunks are missing.
    const server = await serve({ ...answer, endAfter: 3 });
    const seen: ModelEvent[] = [];
    const model = await compatible(server);
    const reading = (async () => {
      for await (const event of model.stream(request())) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_ERROR' });
    expect(seen).toEqual([{ type: 'text', delta: 'x' }]);
  });
});

describe('an abort', () => {
  it('in the middle of a stream ends the request', async () => {
    const server = await serve({ text: ['one', 'two'], hangAfter: 2 });
    const model = await compatible(server);
    const abort = new AbortController();
    const reading = (async () => {
      for await (const event of model.stream(request({ signal: abort.signal }))) {
        expect(event).toEqual({ type: 'text', delta: 'one' });
        abort.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await server.requests[0]?.outcome).toBe('gone');
  });

  it('before an answer or during a retry delay ends at once with the given reason', async () => {
    const server = await serve('hang', { status: 429, headers: { 'retry-after': '50' } });
    const reason = new HubError('TIMEOUT', 'Too long');
    const clock = steppedClock();
    const model = await compatible(server, clock);
    const first = new AbortController();
    const hanging = collect(model, { signal: first.signal });
    await server.requested(1);
    first.abort(reason);
    await expect(hanging).rejects.toBe(reason);
    expect(await server.requests[0]?.outcome).toBe('gone');
    const second = new AbortController();
    const waiting = collect(model, { signal: second.signal });
    await expect.poll(() => clock.sleeps()).toEqual([50_000]);
    second.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(clock.sleeps()).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it('by a reader that stops ends the request', async () => {
    const server = await serve({ text: ['one', 'two'], hangAfter: 2 });
    const model = await compatible(server);
    for await (const event of model.stream(request())) {
      expect(event).toEqual({ type: 'text', delta: 'one' });
      break;
    }
    expect(await server.requests[0]?.outcome).toBe('gone');
  });
});

describe('a model object', () => {
  it('of specification v3 gets files in its own form', async () => {
    const prompts: unknown[] = [];
    const older = {
      specificationVersion: 'v3' as const,
      provider: 'google.older',
      modelId: 'old',
      supportedUrls: {},
      doGenerate: () => expect.fail(),
      doStream: async ({ prompt }: { prompt: unknown }) => {
        prompts.push(prompt);
        const finish = {
          type: 'finish' as const,
          finishReason: { unified: 'stop' as const, raw: 'stop' },
          usage: {
            inputTokens: { total: 3, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: undefined, text: undefined, reasoning: undefined },
          },
        };
        const stream = new ReadableStream<typeof finish>({
          start(controller) {
            controller.enqueue(finish);
            controller.close();
          },
        });
        return { stream };
      },
    };
    const model = toModel(older, { price: { input: 1, output: 2 } });
    const png = { type: 'image', data: 'AAEC', mimeType: 'image/png' } as const;
    const events = await collect(model, {
      messages: [
        { role: 'user', content: [png] },
        { role: 'tool', content: [{ type: 'tool_result', toolUseId: 'a', name: 't', isError: false, content: [png] }] },
      ],
    });
    expect(events).toEqual([{ type: 'finish', reason: 'stop', usage: usage(3, 0) }]);
    expect(model).toMatchObject({ provider: 'google', modelId: 'old', price: { input: 1, output: 2 } });
    expect(prompts[0]).toMatchObject([
      { role: 'user', content: [{ type: 'file', data: 'AAEC', mediaType: 'image/png' }] },
      {
        role: 'tool',
        content: [
          { output: { value: [{ type: 'text' }, { type: 'image-data', data: 'AAEC', mediaType: 'image/png' }] } },
        ],
      },
    ]);
  });

  it('of specification v2 (AI SDK 5) is asked and read in its own form', async () => {
    const asked: LanguageModelV2CallOptions[] = [];
    const parts: LanguageModelV2StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type: 'text-delta', id: 't', delta: 'Let me look.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{"at":1}' },
      {
        type: 'finish',
        finishReason: 'unknown',
        usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13, cachedInputTokens: 5, reasoningTokens: 2 },
      },
    ];
    const older: LanguageModelV2 = {
      specificationVersion: 'v2',
      provider: 'anthropic.messages',
      modelId: 'old',
      supportedUrls: { 'image/*': [/^https:/] },
      doGenerate: () => expect.fail(),
      doStream: async (options) => {
        asked.push(options);
        const stream = new ReadableStream<LanguageModelV2StreamPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        });
        return { stream };
      },
    };
    const png = { type: 'image', data: 'AAEC', mimeType: 'image/png' } as const;
    const link = (url: string, mimeType: string) => ({ type: 'file_link', url, mimeType }) as const;
    const events = await collect(toModel(older), {
      tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object' } }],
      messages: [
        {
          role: 'user',
          content: [png, link('https://a.example/x', 'image/*'), link('https://a.example/x.pdf', 'application/pdf')],
        },
        { role: 'tool', content: [{ type: 'tool_result', toolUseId: 'a', name: 't', isError: false, content: [png] }] },
      ],
    });
    expect(events).toEqual([
      { type: 'reasoning', id: 'r', delta: 'hm' },
      { type: 'text', delta: 'Let me look.' },
      { type: 'tool-call', id: 'a', name: 'look', input: { at: 1 } },
      {
        type: 'finish',
        reason: 'other',
        usage: { inputTokens: 9, outputTokens: 4, cachedInputTokens: 5, reasoningTokens: 2 },
      },
    ]);
    expect(asked[0]?.prompt).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'file', data: 'AAEC', mediaType: 'image/png' },
          { type: 'file', data: new URL('https://a.example/x'), mediaType: 'image/*' },
          { type: 'text', text: '[application/pdf: https://a.example/x.pdf, not shown here]' },
        ],
      },
      {
        role: 'tool',
        content: [{ output: { value: [{ type: 'text' }, { type: 'media', data: 'AAEC', mediaType: 'image/png' }] } }],
      },
    ]);
    expect(asked[0]?.tools).toMatchObject([{ type: 'function', name: 'look', inputSchema: { type: 'object' } }]);
  });

  it.each([
    [{ specificationVersion: 'v1', doStream: () => {} }, 'has the specification version "v1"'],
    ['gpt', 'is not a model of the AI SDK'],
    [undefined, 'is not a model of the AI SDK'],
  ])('that cannot be used is refused with the reason (%#)', (model, words) => {
    expect(() => toModel(model as never)).toThrow(words);
  });
});
