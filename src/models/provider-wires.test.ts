import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { afterEach, describe, expect, it } from 'vitest';
import { HubError } from '../base/hub-error.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { Message, ProviderOptions } from '../engine/message.ts';
import type { Model, ModelEvent } from '../engine/model.ts';
import { executeTicks } from '../engine/run-ticks.ts';
import { toModel } from './ai-sdk-model.ts';
import { createLanguageModels } from './create-language-models.ts';
import type { LanguageModels, ProviderType } from './language-models.ts';

interface Wire {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: unknown }[];
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Replies to each POST with the next list of SSE data, and to GET with the JSON of its path. */
async function startWire(answers: object[][], pages: Record<string, object> = {}, onAsked = () => {}): Promise<Wire> {
  const requests: Wire['requests'] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const text = Buffer.concat(await request.toArray()).toString();
    requests.push({ path, headers: request.headers, body: text === '' ? undefined : JSON.parse(text) });
    onAsked();
    if (request.method === 'GET') {
      const page = pages[path];
      response.writeHead(page ? 200 : 403, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(page ?? { error: { message: 'Not for test-key-123' } }));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const data of answers.shift() ?? []) response.write(`data: ${JSON.stringify(data)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

function modelsOf(type: ProviderType, wire: Wire): LanguageModels {
  const providers = { [type]: { type, baseUrl: wire.url, apiKey: 'test-key-123', headers: { 'x-own': 'yes' } } };
  return createLanguageModels({ providers, lookUp: () => undefined });
}

const tools = [
  { name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: { at: { type: 'number' } } } },
];
const question: Message = { role: 'user', content: [{ type: 'text', text: 'What is there?' }] };

async function ask(model: Model, messages: Message[]): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  for await (const event of model.stream({
    system: 'Be short.',
    messages,
    tools,
    settings: { maxOutputTokens: 99 },
    signal,
  })) {
    events.push(event);
  }
  return events;
}

/** Builds an answer as the engine does: pieces with the same id form one block, options are merged. */
function toAnswer(events: readonly ModelEvent[]): Message {
  const blocks = new Map<string, { type: 'reasoning'; text: string; providerOptions: ProviderOptions }>();
  const content: Message['content'][number][] = [];
  for (const event of events) {
    if (event.type === 'reasoning') {
      let block = blocks.get(event.id ?? '');
      if (!block) {
        block = { type: 'reasoning', text: '', providerOptions: {} };
        blocks.set(event.id ?? '', block);
        content.push(block);
      }
      block.text += event.delta;
      for (const [provider, options] of Object.entries(event.providerOptions ?? {})) {
        block.providerOptions[provider] = { ...block.providerOptions[provider], ...options };
      }
    }
    if (event.type === 'text') content.push({ type: 'text', text: event.delta });
    if (event.type === 'tool-call') {
      const { id, name, input, providerOptions } = event;
      content.push({ type: 'tool_use', id, name, input, providerOptions });
    }
  }
  return { role: 'assistant', content };
}

function results(id: string): Message {
  const image = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' } as const;
  const sound = { type: 'audio', data: 'AAEC', mimeType: 'audio/ogg' } as const;
  return {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        toolUseId: id,
        name: 'look',
        isError: false,
        content: [{ type: 'text', text: 'A cat' }, image, sound],
      },
      {
        type: 'tool_result',
        toolUseId: `${id}-b`,
        name: 'look',
        isError: true,
        content: [{ type: 'text', text: 'Dark' }, image],
      },
    ],
  };
}

describe('Anthropic', () => {
  const usage = { input_tokens: 10, cache_read_input_tokens: 90, cache_creation_input_tokens: 5 };
  const answer = [
    { type: 'message_start', message: { id: 'msg_1', model: 'claude', role: 'assistant', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'I look' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'signed-1' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'sealed-2' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'Wait.' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'content_block_start',
      index: 3,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{"at"' } },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: ': 5}' } },
    { type: 'content_block_stop', index: 3 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 33 } },
    { type: 'message_stop' },
  ];

  it('signs its reasoning, calls a tool, and gets both back with an image in the result', async () => {
    const wire = await startWire([answer, answer]);
    const model = await modelsOf('anthropic', wire).resolve('anthropic/claude-sonnet-4-5');
    const events = await ask(model, [question]);
    expect(events.filter((event) => event.type !== 'reasoning')).toMatchObject([
      { type: 'text', delta: 'Wait.' },
      { type: 'tool-call', id: 'toolu_1', name: 'look', input: { at: 5 } },
      {
        type: 'finish',
        reason: 'tool-calls',
        usage: { inputTokens: 105, outputTokens: 33, cachedInputTokens: 90, reasoningTokens: 0 },
      },
    ]);
    await ask(model, [question, toAnswer(events), results('toolu_1')]);
    const [first = expect.fail(), second = expect.fail()] = wire.requests;
    expect(first).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'test-key-123', 'x-own': 'yes' } });
    expect(first.body).toMatchObject({
      model: 'claude-sonnet-4-5',
      max_tokens: 99,
      system: [{ type: 'text', text: 'Be short.' }],
      tools: [{ name: 'look', description: 'Looks', input_schema: tools[0]?.inputSchema }],
    });
    expect((second.body as { messages: unknown }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is there?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I look', signature: 'signed-1' },
          { type: 'redacted_thinking', data: 'sealed-2' },
          { type: 'text', text: 'Wait.' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 5 } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: 'A cat\n\n[audio: audio/ogg, 3 bytes, not shown here]' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1-b',
            is_error: true,
            content: 'Dark\n\n[image: image/png, 8 bytes, not shown here]',
          },
        ],
      },
    ]);
  });

  it('that ends before the message is complete makes no call, and fails', async () => {
    const wire = await startWire([answer.slice(0, -2)]);
    const model = await modelsOf('anthropic', wire).resolve('anthropic/claude-sonnet-4-5');
    const seen: ModelEvent[] = [];
    const reading = (async () => {
      const { signal } = new AbortController();
      for await (const event of model.stream({ system: '', messages: [question], tools, settings: {}, signal }))
        seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'MODEL_ERROR', details: { isRetryable: true } });
    expect(seen.map((event) => event.type)).not.toContain('tool-call');
    expect(seen.at(-1)).toEqual({ type: 'text', delta: 'Wait.' });
  });

  it('lists its models page by page', async () => {
    const wire = await startWire([], {
      '/v1/models?limit=1000': { data: [{ id: 'claude-b' }], has_more: true, last_id: 'claude-b' },
      '/v1/models?limit=1000&after_id=claude-b': { data: [{ id: 'claude-a' }], has_more: false, last_id: 'claude-a' },
    });
    const { signal } = new AbortController();
    expect(await modelsOf('anthropic', wire).list('anthropic', { signal })).toEqual({
      models: ['claude-a', 'claude-b'],
      facts: {},
    });
    expect(wire.requests[1]?.headers).toMatchObject({
      'x-api-key': 'test-key-123',
      'anthropic-version': '2023-06-01',
      'x-own': 'yes',
    });
  });
});

describe('Google', () => {
  const answer = [
    { candidates: [{ content: { role: 'model', parts: [{ text: 'I look', thought: true }] } }] },
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Wait.' }] } }] },
    {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [{ functionCall: { name: 'look', args: { at: 5 } }, thoughtSignature: 'signed-1' }],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: {
        promptTokenCount: 40,
        candidatesTokenCount: 8,
        thoughtsTokenCount: 4,
        cachedContentTokenCount: 16,
        totalTokenCount: 52,
      },
    },
  ];

  it.each([
    ['gemini-3-pro-preview', 'within the result'],
    ['gemini-2.5-flash', 'beside the result'],
  ])('%s calls a tool, and gets back the signature and an image %s', async (name) => {
    const wire = await startWire([answer, answer]);
    const model = await modelsOf('google', wire).resolve(`google/${name}`);
    const events = await ask(model, [question]);
    const call = events.find((event) => event.type === 'tool-call') ?? expect.fail();
    expect(call).toMatchObject({ name: 'look', input: { at: 5 } });
    expect(events).toContainEqual({ type: 'text', delta: 'Wait.' });
    expect(events.at(-1)).toEqual({
      type: 'finish',
      reason: 'tool-calls',
      usage: { inputTokens: 40, outputTokens: 12, cachedInputTokens: 16, reasoningTokens: 4 },
    });
    await ask(model, [question, toAnswer(events), results(call.id)]);
    const [first = expect.fail(), second = expect.fail()] = wire.requests;
    expect(first.path).toBe(`/v1/models/${name}:streamGenerateContent?alt=sse`);
    expect(first.headers).toMatchObject({ 'x-goog-api-key': 'test-key-123', 'x-own': 'yes' });
    expect(first.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      generationConfig: { maxOutputTokens: 99 },
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: tools[0]?.inputSchema }] }],
    });
    const { contents } = second.body as { contents: { role: string; parts: object[] }[] };
    expect(contents[1]).toMatchObject({
      role: 'model',
      parts: [
        { text: 'I look', thought: true },
        { text: 'Wait.' },
        { functionCall: { name: 'look', args: { at: 5 } }, thoughtSignature: 'signed-1' },
      ],
    });
    const picture = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const sound = { inlineData: { mimeType: 'audio/ogg', data: 'AAEC' } };
    const [result, ...rest] = contents[2]?.parts ?? [];
    expect(result).toMatchObject({ functionResponse: { name: 'look', response: { name: 'look', content: 'A cat' } } });
    const shown = name.startsWith('gemini-3')
      ? (result as { functionResponse: { parts: object[] } }).functionResponse.parts
      : rest;
    expect(shown).toEqual(expect.arrayContaining([picture, sound]));
    expect(rest.at(-1)).toMatchObject({
      functionResponse: { response: { error: 'Dark\n\n[image: image/png, 8 bytes, not shown here]' } },
    });
  });

  it('lists its chat models, page by page, without their prefix', async () => {
    const wire = await startWire([], {
      '/v1/models?pageSize=1000': {
        models: [
          { name: 'models/gemini-2.5-flash', supportedGenerationMethods: ['generateContent'] },
          { name: 'models/embedding-001', supportedGenerationMethods: ['embedContent'] },
        ],
        nextPageToken: 'n/2',
      },
      '/v1/models?pageSize=1000&pageToken=n%2F2': {
        models: [{ name: 'models/gemini-1', inputTokenLimit: 32_768 }],
      },
    });
    const { signal } = new AbortController();
    expect(await modelsOf('google', wire).list('google', { signal })).toEqual({
      models: ['gemini-1', 'gemini-2.5-flash'],
      facts: { 'gemini-1': { context: 32_768 } },
    });
    expect(wire.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': 'test-key-123' });
  });
});

describe('a result inside a user message', () => {
  const use = { type: 'tool_use', id: 'call_7', name: 'look', input: { at: 1 } } as const;
  const said = (text: string) => ({ type: 'text' as const, text });
  const result = (text: string, isError = false) =>
    ({ type: 'tool_result', toolUseId: use.id, name: use.name, isError, content: [said(text)] }) as const;
  const conversations: [name: string, messages: Message[]][] = [
    ['of a conversation', [question, { role: 'assistant', content: [use] }]],
    [
      'of a chat that was recovered after a crash',
      [
        question,
        { role: 'assistant', content: [use] },
        { role: 'tool', content: [result('The run ended before the call had a result.', true)] },
      ],
    ],
  ];
  /** By provider: where its JSON contains the results of calls. */
  const wires: [type: ProviderType, model: string, resultsOf: (body: Body) => unknown[]][] = [
    ['openai-compatible', 'any', ({ messages = [] }) => messages.filter(({ role }) => role === 'tool')],
    ['openai', 'gpt-5', ({ input = [] }) => input.filter(({ type }) => type === 'function_call_output')],
    ['anthropic', 'claude-sonnet-4-5', ({ messages = [] }) => messages.flatMap(partsOf('content', 'tool_use_id'))],
    ['google', 'gemini-3-pro-preview', ({ contents = [] }) => contents.flatMap(partsOf('parts', 'functionResponse'))],
  ];
  type Body = Partial<Record<'messages' | 'input' | 'contents', Record<string, unknown>[]>>;
  const partsOf = (list: string, key: string) => (message: Record<string, unknown>) =>
    ((Array.isArray(message[list]) ? message[list] : []) as object[]).filter((part) => key in part);

  it.each(
    wires.flatMap(([type, model, resultsOf]) =>
      conversations.map(([name, before]) => ({ type, model, resultsOf, name, before })),
    ),
  )('$name is sent once to $type', async ({ type, model: name, resultsOf, before }) => {
    // Only the request matters; nobody waits for the answer.
    const asked = new AbortController();
    const wire = await startWire([[]], {}, () => asked.abort());
    // With another base URL, "openai" would use the older API.
    const model =
      type === 'openai'
        ? toModel(createOpenAI({ baseURL: wire.url, apiKey: 'k' }).responses(name))
        : await modelsOf(type, wire).resolve(`${type}/${name}`);
    const messages: Message[] = [...before, { role: 'user', content: [result('A cat'), said('What next?')] }];
    await executeTicks({ model, com: new ContextObjectModel() }, { input: { messages }, signal: asked.signal });
    const body = (wire.requests[0] ?? expect.fail()).body as Body;
    const results = resultsOf(body);
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).toContain('A cat');
    expect(JSON.stringify(body)).not.toContain('The run ended');
    expect(JSON.stringify(body)).toContain('What next?');
  });
});

it('a list tells context sizes and prices in the words of its server', async () => {
  const wire = await startWire([], {
    '/v1/models': {
      data: [
        { id: 'open/router', context_length: 200_000, pricing: { prompt: '0.00000125', completion: '0.00001' } },
        { id: 'free', context_window: 8_192, pricing: { prompt: '0', completion: '0' } },
        { id: 'auto', context_length: 2_000_000, pricing: { prompt: '-1', completion: '-1' } },
        { id: 'vllm', max_model_len: 32_768 },
        { id: 'mistral', max_context_length: 131_072 },
        { id: 'llama.cpp', meta: { n_ctx_train: 4_096 } },
        { id: 'strange', context_length: 'long', pricing: 'cheap', meta: null },
      ],
    },
  });
  const { signal } = new AbortController();
  const { models, facts } = await modelsOf('openai-compatible', wire).list('openai-compatible', { signal });
  expect(models).toHaveLength(7);
  expect(facts).toEqual({
    'open/router': { context: 200_000, input: 1.25, output: 10 },
    free: { context: 8_192, input: 0, output: 0 },
    auto: { context: 2_000_000 },
    vllm: { context: 32_768 },
    mistral: { context: 131_072 },
    'llama.cpp': { context: 4_096 },
  });
});

describe('a list that is refused', () => {
  it('is reported without the key', async () => {
    const wire = await startWire([]);
    const { signal } = new AbortController();
    const error = await modelsOf('openai-compatible', wire)
      .list('openai-compatible', { signal })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(HubError);
    expect(error).toMatchObject({
      code: 'MODEL_ERROR',
      message:
        'The model list of openai-compatible replied with HTTP 403: Not for ••••••••. Check the key, and whether it may use this model.',
      details: { status: 403, isRetryable: false },
    });
    expect(wire.requests[0]).toMatchObject({ path: '/v1/models', headers: { authorization: 'Bearer test-key-123' } });
  });
});

describe('an image in a message of the user', () => {
  const attached: Message = {
    role: 'user',
    content: [
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'text', text: 'What is there?' },
    ],
  };
  const url = 'data:image/png;base64,iVBORw0KGgo=';

  it.each([
    [
      'anthropic',
      'claude-sonnet-4-5',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
              { type: 'text', text: 'What is there?' },
            ],
          },
        ],
      },
    ],
    [
      'google',
      'gemini-2.5-flash',
      {
        contents: [
          {
            role: 'user',
            parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }, { text: 'What is there?' }],
          },
        ],
      },
    ],
    [
      'openai-compatible',
      'any',
      {
        messages: [
          {},
          {
            role: 'user',
            content: [
              { type: 'image_url', image_url: { url } },
              { type: 'text', text: 'What is there?' },
            ],
          },
        ],
      },
    ],
  ] as const)('reaches %s in its own shape', async (type, name, body) => {
    const wire = await startWire([[]]);
    const model = await modelsOf(type, wire).resolve(`${type}/${name}`);
    await ask(model, [attached]).catch(() => {});
    expect(wire.requests[0]?.body).toMatchObject(body);
  });
});
