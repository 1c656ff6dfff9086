import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../engine/message.ts';
import type { ModelEvent, ModelSettings } from '../engine/model.ts';
import { createLanguageModels } from './create-language-models.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(listener: RequestListener) {
  let connections = 0;
  const server = createServer(listener);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  return { url, connections: () => connections };
}

interface Asking {
  take?: number;
  apiKey?: string;
  abort?: AbortController;
  sleep?: () => void;
}

async function ask(baseUrl: string, { take, apiKey = 'secret-key-1', abort, sleep }: Asking = {}) {
  const own = { type: 'openai-compatible', baseUrl, apiKey } as const;
  const clock = { now: () => Date.now(), sleep: async () => sleep?.() };
  const model = await createLanguageModels({ providers: { own }, lookUp: () => undefined, clock }).resolve('own/m');
  const events: ModelEvent[] = [];
  const { signal } = abort ?? new AbortController();
  const content = [{ type: 'text', text: 'Hello' }] as const;
  const request = { system: '', messages: [{ role: 'user', content }] as const, tools: [], settings: {}, signal };
  for await (const event of model.stream(request)) {
    events.push(event);
    if (abort && event.type === 'text') abort.abort();
    if (events.length === take) break;
  }
  return events;
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const words = data({ choices: [{ delta: { content: 'Hi' } }] });
const end = data({
  choices: [{ delta: {}, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1 },
});
const answer = [
  { type: 'text', delta: 'Hi' },
  {
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens: 3, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 },
  },
];
const events = { 'content-type': 'text/event-stream' };

describe('an OpenAI-compatible server', () => {
  const message = { role: 'assistant', content: 'Hi' };
  const usage = { prompt_tokens: 3, completion_tokens: 1 };
  const whole = JSON.stringify({ choices: [{ message, finish_reason: 'stop' }], usage });
  const json = { 'content-type': 'application/json' };

  it('reuses one connection for consecutive requests', async () => {
    const paths: (string | undefined)[] = [];
    const { url, connections } = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(200, events).end(`${words}${end}data: [DONE]\n\n`);
    });
    for (let question = 1; question <= 3; question += 1) {
      expect(await ask(url)).toEqual(answer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(paths).toEqual(Array(3).fill('/v1/chat/completions'));
    expect(connections()).toBe(1);
  });

  it('that does not close a complete answer is not waited for', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, events).write(`${words}${end}data: [DONE]\n\n`);
    });
    expect(await ask(url)).toEqual(answer);
  });

  it('is disconnected when nobody waits for its answer', async () => {
    let hungUp = () => {};
    const gone = new Promise<void>((resolve) => {
      hungUp = resolve;
    });
    const { url } = await serve((_, response) => {
      response.on('close', hungUp);
      response.writeHead(200, events).write(words);
    });
    expect(await ask(url, { take: 1 })).toEqual([answer[0]]);
    await gone;
  });

  it('may answer in one piece, and without a final marker', async () => {
    const type = { 'content-type': 'application/json; charset=utf-8' };
    const single = await serve((_, response) => void response.writeHead(200, type).end(whole));
    expect(await ask(single.url)).toEqual(answer);
    const wordless = await serve((_, response) => void response.writeHead(200, events).end(`${words}${end}`));
    expect(await ask(wordless.url)).toEqual(answer);
  });

  it.each<[string, Record<string, string>, string | Buffer]>([
    ['with a byte order mark', events, `\uFEFF${words}${end}`],
    ['in one piece with a byte order mark', json, `\uFEFF${whole}`],
    ['in one piece under the type of events', events, whole],
    ['in one piece without a type', {}, whole],
    ['in events under the type of JSON', json, `${words}${end}`],
    ['in lines that end as on old machines', events, `${words}${end}`.replaceAll('\n', '\r')],
    ['with comments and empty events', events, `: PROCESSING\n\n${words}data:\n\ndata:  \n\n${end}data: [DONE] \n\n`],
    ['that is compressed though nobody asked', { ...events, 'content-encoding': 'gzip' }, gzipSync(`${words}${end}`)],
  ])('is understood: an answer %s', async (_, headers, body) => {
    const { url } = await serve((_request, response) => void response.writeHead(200, headers).end(body));
    expect(await ask(url)).toEqual(answer);
  });

  it('that sends a web page is not retried, unlike one that is unreachable', async () => {
    const { url } = await serve((_, response) => void response.writeHead(200).end('\n<!doctype html><p>Sign in</p>'));
    await expect(ask(url)).rejects.toMatchObject({
      message: 'Model "m" of own failed: The server sent a web page instead of an answer. Check the base URL.',
      details: { isRetryable: false },
    });
  });

  it('that passes on a temporary error is retried', async () => {
    let asked = 0;
    const { url } = await serve((_, response) => {
      asked += 1;
      const busy = JSON.stringify({ error: { message: 'Busy', code: 429 } });
      const empty = JSON.stringify({ error: { message: 'Empty', code: 429, type: 'insufficient_quota' } });
      if (asked === 1) response.writeHead(200, json).end(busy);
      else if (asked === 2) response.writeHead(200, events).end(`${words}${end}`);
      else response.writeHead(200, json).end(empty);
    });
    expect(await ask(url)).toEqual(answer);
    await expect(ask(url)).rejects.toMatchObject({ message: expect.stringContaining('Empty') });
    expect(asked).toBe(3);
  });

  it('emits nothing after an abort, even if it has already arrived', async () => {
    const { url } = await serve((_, response) => void response.writeHead(200, events).end(`${words}${words}${end}`));
    await expect(ask(url, { abort: new AbortController() })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('that repeats the key gets an error without it', async () => {
    const { url } = await serve((_, response) => void response.writeHead(200, events).end('data: no secret-key-1\n\n'));
    const error = await ask(url).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('invalid JSON: no ••••••••') });
    expect(inspect(error)).not.toContain('secret-key-1');
  });

  it('gets no request with a key that does not fit into a header', async () => {
    const error = await ask('http://127.0.0.1:1', { apiKey: 'zoë…secret' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: expect.stringContaining('the header "authorization" contains a character'),
    });
    expect(inspect(error)).not.toContain('…secret');
  });

  it('at an address of another protocol causes a helpful error', async () => {
    const sleep = () => expect.unreachable();
    const { url } = await serve((_, response) => void response.end());
    const safe = url.replace('http:', 'https:');
    await expect(ask(safe, { sleep })).rejects.toMatchObject({ message: expect.stringContaining('not use HTTPS') });
    const server = createSocketServer((socket) => void socket.on('error', () => {}).end('220 mail ready\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const mail = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(ask(mail, { sleep })).rejects.toMatchObject({ message: expect.stringContaining('not use HTTP (') });
  });

  it('gets back the signature of its call, and no other server does', async () => {
    const bodies: string[] = [];
    const { url } = await serve(async (request, response) => {
      bodies.push(await text(request));
      const extra_content = { google: { thought_signature: 'sealed-1' } };
      const tool_calls = [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' }, extra_content }];
      const delta = data({ choices: [{ delta: { tool_calls }, finish_reason: 'tool_calls' }] });
      response.writeHead(200, events).end(delta);
    });
    const provider = { type: 'openai-compatible', baseUrl: url } as const;
    const providers = { 'gemini-own': provider, other: provider };
    const models = createLanguageModels({ providers, lookUp: () => undefined });
    const tell = async (model: string, messages: readonly Message[], settings: ModelSettings = {}) => {
      const { signal } = new AbortController();
      const request = { system: '', messages, tools: [], settings, signal };
      const told: ModelEvent[] = [];
      for await (const event of (await models.resolve(model)).stream(request)) told.push(event);
      return told;
    };
    const question: Message = { role: 'user', content: [{ type: 'text', text: 'Look' }] };
    const [call] = await tell('gemini-own/m', [question]);
    if (call?.type !== 'tool-call') throw new Error('There is no call.');
    const { id, name } = call;
    const messages: Message[] = [
      question,
      { role: 'assistant', content: [{ ...call, type: 'tool_use' }] },
      { role: 'tool', content: [{ type: 'tool_result', toolUseId: id, name, content: [], isError: false }] },
    ];
    await tell('gemini-own/m', messages);
    await tell('gemini-own/m', messages, { providerOptions: { geminiOwn: { user: 'me' } } });
    await tell('other/m', messages);
    expect(bodies.map((body) => body.includes('sealed-1'))).toEqual([false, true, true, false]);
  });

  it('gets no key through a redirect', async () => {
    const asked: unknown[] = [];
    const elsewhere = await serve((request, response) => {
      asked.push(request.headers);
      response.end();
    });
    const { url } = await serve((_, response) => void response.writeHead(307, { location: elsewhere.url }).end());
    await expect(ask(url)).rejects.toMatchObject({
      code: 'MODEL_ERROR',
      message: expect.stringContaining('unexpected redirect (HTTP 307)'),
      details: { isRetryable: false },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    ['{"error":{"message":"No tokens left"}}', 'HTTP 422: No tokens left.'],
    ['{"error":"Bad prompt"}', 'HTTP 422: Bad prompt.'],
    ['{"message":"Bad field"}', 'HTTP 422: Bad field.'],
    ['{"detail":"Bad detail"}', 'HTTP 422: Bad detail.'],
    ['{"detail":[{"loc":["body"]}]}', 'HTTP 422: Unprocessable Entity.'],
    ['{"detail":[{"loc":["body"],"msg":"Field required"}]}', 'HTTP 422: Field required.'],
    ['{"object":"error","message":{"detail":[{"msg":"Too long"}]}}', 'HTTP 422: Too long.'],
    ['[{"error":{"code":422,"message":"Bad tool"}}]', 'HTTP 422: Bad tool.'],
    ['null', 'HTTP 422: Unprocessable Entity.'],
    ['<html>down</html>', 'HTTP 422: Unprocessable Entity.'],
    ['x'.repeat(1_500_000), 'HTTP 422: Unprocessable Entity.'],
  ])('that refuses is quoted (%#)', async (body, words) => {
    const { url } = await serve((_, response) => void response.writeHead(422).end(body));
    await expect(ask(url)).rejects.toMatchObject({ message: expect.stringContaining(words), details: { status: 422 } });
  });

  it('that refuses and disconnects is reported with its refusal', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(413).write('{"error', () => request.socket.resetAndDestroy());
    });
    await expect(ask(url)).rejects.toMatchObject({ details: { status: 413, isRetryable: false } });
  });

  it('that sends invalid JSON, or an error in the middle, fails with that', async () => {
    const broken = await serve((_, response) => void response.writeHead(200, events).end('data: {"cho\n\n'));
    await expect(ask(broken.url)).rejects.toMatchObject({ message: expect.stringContaining('invalid JSON: {"cho') });
    const failing = await serve((_, response) => {
      response.writeHead(200, events).end(`${words}${data({ error: { message: 'Out of memory', code: 500 } })}`);
    });
    await expect(ask(failing.url)).rejects.toMatchObject({ message: expect.stringContaining('Out of memory') });
  });
});
