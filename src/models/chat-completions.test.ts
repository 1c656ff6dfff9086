import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEvent } from '../engine/model.ts';
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

async function ask(baseUrl: string, take = Number.POSITIVE_INFINITY): Promise<ModelEvent[]> {
  const own = { type: 'openai-compatible', baseUrl, apiKey: 'secret-key-1' } as const;
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const model = await createLanguageModels({ providers: { own }, lookUp: () => undefined, clock }).resolve('own/m');
  const events: ModelEvent[] = [];
  const { signal } = new AbortController();
  const content = [{ type: 'text', text: 'Hello' }] as const;
  const request = { system: '', messages: [{ role: 'user', content }] as const, tools: [], settings: {}, signal };
  for await (const event of model.stream(request)) {
    events.push(event);
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
  it('is asked on one connection, one question after the other', async () => {
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

  it('that does not end what it said is over is not waited for', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, events).write(`${words}${end}data: [DONE]\n\n`);
    });
    expect(await ask(url)).toEqual(answer);
  });

  it('whose answer nobody wants any more is told by the end of its connection', async () => {
    let hungUp = () => {};
    const gone = new Promise<void>((resolve) => {
      hungUp = resolve;
    });
    const { url } = await serve((_, response) => {
      response.on('close', hungUp);
      response.writeHead(200, events).write(words);
    });
    expect(await ask(url, 1)).toEqual([answer[0]]);
    await gone;
  });

  it('may answer in one piece, and end without a last word', async () => {
    const whole = await serve((_, response) => {
      const usage = { prompt_tokens: 3, completion_tokens: 1 };
      const body = { choices: [{ message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }], usage };
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    });
    expect(await ask(whole.url)).toEqual(answer);
    const wordless = await serve((_, response) => void response.writeHead(200, events).end(`${words}${end}`));
    expect(await ask(wordless.url)).toEqual(answer);
  });

  it('gets no key by a redirect', async () => {
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
    ['<html>down</html>', 'HTTP 422: Unprocessable Entity.'],
    ['x'.repeat(1_500_000), 'HTTP 422: Unprocessable Entity.'],
  ])('that refuses is quoted (%#)', async (body, words) => {
    const { url } = await serve((_, response) => void response.writeHead(422).end(body));
    await expect(ask(url)).rejects.toMatchObject({ message: expect.stringContaining(words), details: { status: 422 } });
  });

  it('that sends no JSON, or an error in the middle, fails with that', async () => {
    const broken = await serve((_, response) => void response.writeHead(200, events).end('data: {"cho\n\n'));
    await expect(ask(broken.url)).rejects.toMatchObject({ message: expect.stringContaining('no JSON: {"cho') });
    const failing = await serve((_, response) => {
      response.writeHead(200, events).end(`${words}${data({ error: { message: 'Out of memory', code: 500 } })}`);
    });
    await expect(ask(failing.url)).rejects.toMatchObject({ message: expect.stringContaining('Out of memory') });
  });
});
